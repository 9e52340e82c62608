// SPDX-License-Identifier: Apache-2.0

/// A request with what policies see of it.
///
/// A class, as it is handed from step to step and would be copied each time, field by field.
final class Decoded<Request: SignRequest>: Sendable {
    let request: Request
    let judged: JudgedRequest
    /// The vocabulary of its facts.
    let schema: FactSchema
    /// What a remembered no would be about, one for each operation; empty where none can be.
    let refusalScopes: [Grant.Scope]
    /// What ties it to others; made once.
    let terms: RequestTerms
    /// What goes on record of each operation.
    let recordedFacts: [[Fact]]
    let digest: [UInt8]
    /// The id of the request: of its question, and of its entries on record.
    let id: [UInt8]
    /// Whether its replay token was on record when it was decoded.
    let tokenWasSeen: Bool?
    /// How much was on record before anything was looked up for it.
    let judgedAt: RecordLength?
    /// How what ages in it is filled in; nil where nothing does.
    let aging: Aging<Request>?
    /// The same frame read for another account that a person may choose; nil where it cannot be.
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

    /// What a remembered yes would be about, one for each operation; empty where none can be.
    ///
    /// Made when it is looked at, as all that only a question needs: most requests need none.
    var scopes: [Grant.Scope] { judged.grantScopes(in: schema) }

    /// What a granted wish would be about, one for each operation; empty where there are none.
    var broadScopes: [Grant.Scope] { judged.broadScopes(in: schema) }

    /// Why a yes to it counts once and no remembered yes answers it; nil where one may.
    var onlyOnce: String? {
        terms.isOneTime ? "the request is for once" : judged.reasonToAskAgain(in: schema)
    }

    /// The scopes of remembered answers about each operation, those of a yes where one is wanted.
    func allScopes(withYes: Bool) -> [OperationScopes] {
        let yeses = withYes ? [scopes, broadScopes] : []
        return judged.operations.indices.map { index in
            OperationScopes(
                yes: yeses.compactMap { $0.indices.contains(index) ? $0[index] : nil },
                no: refusalScopes.indices.contains(index) ? refusalScopes[index] : nil)
        }
    }

    /// What is kept of the request once it is done.
    ///
    /// A client that leaves is no more known by that than before: `new_client` stays.
    var notes: [Note] {
        guard let client = judged.client, !terms.endsConnection else { return terms.notes }
        let keys = Set(judged.operations.map(\.account.id))
        return terms.notes + [Note(client.subject, Note.seen, 1)]
            + keys.map { Note(client.subject, Note.knows($0), 1) }
    }

    /// What the same request sent again is known by.
    var pendingKey: PendingRequests.Key? {
        guard let client = judged.client, let correlator = terms.correlator else { return nil }
        return PendingRequests.Key(
            adapter: judged.adapter, client: client.subject, correlator: correlator,
            peer: judged.peer)
    }
}

/// The scopes under which an operation falls.
struct OperationScopes: Sendable {
    /// Those that a yes may have: its exact values, and what a client was granted ahead.
    let yes: [Grant.Scope]
    /// The one that a no has.
    let no: Grant.Scope?

    /// All of them.
    var all: [Grant.Scope] { yes + (no.map { [$0] } ?? []) }
}
