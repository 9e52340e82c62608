// SPDX-License-Identifier: Apache-2.0

/// A decoded request, with the values that policies see.
///
/// It is a class, as copies of a structure with so many fields would be slow.
final class Decoded<Request: SignRequest>: Sendable {
    let request: Request
    let judged: JudgedRequest
    /// The schema of the adapter, which declares the facts that the request may have.
    let schema: FactSchema
    /// The scopes of a remembered no, one for each operation; empty if a no cannot be remembered.
    let refusalScopes: [Grant.Scope]
    /// The relations to other requests and to connections.
    let terms: RequestTerms
    /// For each operation, the facts that are recorded.
    let recordedFacts: [[Fact]]
    let digest: [UInt8]
    /// The id of the request, used in its question and in its entries on record.
    let id: [UInt8]
    /// True if the replay token was on record when the request was decoded; nil if unknown.
    let tokenWasSeen: Bool?
    /// The length of the record when the frame was first decoded.
    let judgedAt: RecordLength?
    /// Renews the values that age before signing; nil if the request has no such values.
    let aging: Aging<Request>?
    /// Decodes the same frame for another account, which a person may choose; nil if that fails.
    let other: @Sendable (KeyID) -> Decoded?

    init(
        _ request: Request, _ judged: JudgedRequest, of adapter: some ProtocolAdapter,
        id: [UInt8], digest: [UInt8], tokenWasSeen: Bool?, judgedAt: RecordLength?,
        aging: Aging<Request>? = nil, other: @escaping @Sendable (KeyID) -> Decoded? = { _ in nil }
    ) {
        let schema = adapter.schema
        self.request = request
        self.judged = judged
        self.schema = schema
        refusalScopes = judged.refusalScopes(in: schema)
        terms = request.terms
        recordedFacts = judged.recordedFacts(in: schema)
        self.id = id
        self.digest = digest
        self.tokenWasSeen = tokenWasSeen
        self.judgedAt = judgedAt
        self.aging = aging
        self.other = other
    }

    /// The scopes of a remembered yes, one for each operation; empty if a yes cannot be remembered.
    ///
    /// They are computed on demand, as most requests need no person.
    var scopes: [Grant.Scope] { judged.grantScopes(in: schema) }

    /// For each operation, the scope that a granted wish would have; may be empty.
    var broadScopes: [Grant.Scope] { judged.broadScopes(in: schema) }

    /// The reason that a yes counts only once; nil if a yes may be remembered.
    var onlyOnce: String? {
        terms.isOneTime ? "a yes counts only once" : judged.reasonToAskAgain(in: schema)
    }

    /// Returns the scopes of remembered answers for each operation, including a yes if `withYes`.
    func allScopes(withYes: Bool) -> [OperationScopes] {
        let yeses = withYes ? [scopes, broadScopes] : []
        return judged.operations.indices.map { index in
            OperationScopes(
                yes: yeses.compactMap { $0.indices.contains(index) ? $0[index] : nil },
                no: refusalScopes.indices.contains(index) ? refusalScopes[index] : nil)
        }
    }

    /// The notes to store after the request is done.
    ///
    /// They mark the client as known, unless it ends its connection: it is then new again.
    var notes: [Note] {
        guard let client = judged.client, !terms.endsConnection else { return terms.notes }
        let keys = Set(judged.operations.map(\.account.id))
        return terms.notes + [Note(client.subject, Note.seen, 1)]
            + keys.map { Note(client.subject, Note.knows($0), 1) }
    }

    /// The key by which the same request sent again is found; nil if the request has no name.
    var pendingKey: PendingRequests.Key? {
        guard let client = judged.client, let correlator = terms.correlator else { return nil }
        return PendingRequests.Key(
            adapter: judged.adapter, client: client.subject, correlator: correlator,
            peer: judged.peer)
    }
}

/// The scopes of remembered answers that apply to an operation.
struct OperationScopes: Sendable {
    /// The scopes of a yes: that of a yes to such a request, and that of a granted wish.
    let yes: [Grant.Scope]
    /// The scope of a no; nil if a no cannot be remembered.
    let no: Grant.Scope?

    /// All scopes.
    var all: [Grant.Scope] { yes + (no.map { [$0] } ?? []) }
}
