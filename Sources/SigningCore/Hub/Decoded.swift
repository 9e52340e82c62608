// SPDX-License-Identifier: Apache-2.0

/// A request with the values that policies see.
///
/// It is a class because it is passed from step to step, and copies would be made field by field.
final class Decoded<Request: SignRequest>: Sendable {
    let request: Request
    let judged: JudgedRequest
    /// The vocabulary of its facts.
    let schema: FactSchema
    /// The scopes of a remembered no, one for each operation; empty if a no cannot be remembered.
    let refusalScopes: [Grant.Scope]
    /// The relations to other requests and connections; computed once.
    let terms: RequestTerms
    /// The facts to record for each operation.
    let recordedFacts: [[Fact]]
    let digest: [UInt8]
    /// The id of the request, used in its question and in its entries on record.
    let id: [UInt8]
    /// True if its replay token was on record when it was decoded; nil if that could not be read.
    let tokenWasSeen: Bool?
    /// The length of the record before any lookup for the request.
    let judgedAt: RecordLength?
    /// Fills in values that age; nil if the request has none.
    let aging: Aging<Request>?
    /// Reads the same frame for another account that a person may choose; nil if that fails.
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
    /// Computed on demand, because most requests need no question.
    var scopes: [Grant.Scope] { judged.grantScopes(in: schema) }

    /// The scopes of a granted wish, one for each operation; may be empty.
    var broadScopes: [Grant.Scope] { judged.broadScopes(in: schema) }

    /// The reason that a yes counts once and is never remembered; nil if it may be remembered.
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

    /// The notes to keep once the request is done.
    ///
    /// A client that leaves is not noted as known: `new_client` remains.
    var notes: [Note] {
        guard let client = judged.client, !terms.endsConnection else { return terms.notes }
        let keys = Set(judged.operations.map(\.account.id))
        return terms.notes + [Note(client.subject, Note.seen, 1)]
            + keys.map { Note(client.subject, Note.knows($0), 1) }
    }

    /// The key that identifies the same request sent again.
    var pendingKey: PendingRequests.Key? {
        guard let client = judged.client, let correlator = terms.correlator else { return nil }
        return PendingRequests.Key(
            adapter: judged.adapter, client: client.subject, correlator: correlator,
            peer: judged.peer)
    }
}

/// The scopes that cover an operation.
struct OperationScopes: Sendable {
    /// The scopes of a yes: the exact values, and the wishes that were granted ahead.
    let yes: [Grant.Scope]
    /// The scope of a no.
    let no: Grant.Scope?

    /// All scopes.
    var all: [Grant.Scope] { yes + (no.map { [$0] } ?? []) }
}
