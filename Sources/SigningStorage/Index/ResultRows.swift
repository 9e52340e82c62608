// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// The columns of a result's rows that its entry does not state.
///
/// In a replay addresses, senders and bytes are empty, and a connection has the time of its entry.
struct Unstated {
    /// The changes of connections; a connection has an address and the time of its request.
    var connections: [ConnectionChange] = []
    /// The items for a network; an item has a sender and bytes.
    var items: [Broadcast.Item] = []
    /// The entry of the intent; nil if the ledger contains it.
    var intent: IntentEntry?

    static let nothing = Unstated()

    private init() {}

    init(of settlement: Settlement) {
        guard case .done(_, _, _, let connections, let broadcast, _) = settlement else { return }
        self.connections = connections
        items = broadcast?.items ?? []
    }

    /// The connection with this id; nil if it is not known.
    func connection(_ id: [UInt8]) -> ClientConnection? {
        for case .opens(let connection) in connections where connection.id == id {
            return connection
        }
        return nil
    }

    /// The item with this id; nil if it is not known.
    func item(_ id: String) -> Broadcast.Item? { items.first { $0.id == id } }
}

/// Results, and what is remembered.
extension Index {
    func apply(
        _ result: ResultEntry, at head: AuditHead, _ unstated: Unstated
    ) throws(LedgerError) {
        switch result.outcome {
        case .done(let done):
            try insert(done.remembers, at: head)
            try apply(done, of: result.id, at: head, unstated)
        case .notUsed: try giveBack(result.id, unstated)
        case .failed: break
        }
        try access.run("DELETE FROM open_intents WHERE id = ?", .bytes(result.id))
    }

    /// The entry of a result's intent; nil if it is not known.
    func intent(
        of result: [UInt8], _ unstated: Unstated
    ) throws(LedgerError) -> IntentEntry? {
        if let intent = unstated.intent { return intent }
        return try access.intentEntry(result)
    }

    /// Stores grants.
    func insert(_ grants: [GrantEntry], at head: AuditHead) throws(LedgerError) {
        for stated in grants {
            guard let grant = GrantRecord.grant(stated.body) else {
                throw .corrupt("a remembered answer has an unknown form")
            }
            try access.run(
                """
                INSERT INTO grants (id, sequence, scope_hash, body, seal) VALUES (?, ?, ?, ?, ?)
                """,
                .bytes(grant.id), .integer(head.sequence),
                .bytes(GrantRecord.hash(of: grant.scope)), .text(stated.body), .bytes(stated.seal))
        }
    }

    /// Marks grants as revoked.
    func revoke(_ ids: [[UInt8]], at time: Timestamp) throws(LedgerError) {
        for id in ids {
            try access.run(
                "UPDATE grants SET revoked = ? WHERE id = ?", .integer(time.seconds), .bytes(id))
        }
    }
}
