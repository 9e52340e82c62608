// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SQLiteLedger {
    /// The most sessions that are kept; beyond it the oldest end.
    package static let sessionsMax = 1_000

    /// The sessions of a client, oldest first; one that something has to reach a network for
    /// counts once it has.
    package func sessions(
        of client: Client, in protocolID: ProtocolID
    ) throws(LedgerError) -> [ClientSession] {
        try query { access throws(LedgerError) in
            try access.sessions(
                "AND protocol = ? AND client = ? AND proof = ?",
                [.text(protocolID.name), .text(client.id), .text(client.proof.rawValue)])
        }
    }

    /// Every session, oldest first.
    package func allSessions() throws(LedgerError) -> [ClientSession] {
        try read { access throws(LedgerError) in try access.sessions("", []) }
    }
}

extension Access<LedgerError> {
    fileprivate func sessions(
        _ condition: String, _ values: [SQLiteValue]
    ) throws(LedgerError) -> [ClientSession] {
        try rows(
            """
            SELECT id, protocol, client, proof, network, key_id, address, time FROM sessions
            WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.sequence = sessions.sequence)
            \(condition) ORDER BY sequence, id
            """, values, countMax: SQLiteLedger.sessionsMax
        ) { row throws(LedgerError) in
            guard let proof = Client.Proof(rawValue: try row.text(3)) else {
                throw .corrupt("a session of a client that nothing backs")
            }
            return ClientSession(
                id: try row.bytes(0), protocolID: ProtocolID(try row.text(1)),
                client: Client(id: try row.text(2), name: nil, proof: proof),
                network: try row.text(4), key: KeyID(try row.text(5)),
                address: try row.text(6), started: Timestamp(seconds: try row.integer(7)))
        }
    }

    /// Refuses where one of these sessions has ended.
    func check(sessions ids: [[UInt8]]) throws(LedgerError) {
        for id in ids {
            guard try exists("SELECT 1 FROM sessions WHERE id = ?", .bytes(id)) else {
                throw .sessionEnded
            }
        }
    }

    /// Carries out what an entry says about sessions.
    func change(_ changes: [SessionChange], of entry: AuditHead) throws(LedgerError) {
        for change in changes {
            switch change {
            case .opens(let session): try open(session, of: entry)
            case .ends(let id): try run("DELETE FROM sessions WHERE id = ?", .bytes(id))
            case .forgets(let client, let protocolID):
                try forget(client, in: protocolID, of: entry)
            }
        }
    }

    private func open(_ session: ClientSession, of entry: AuditHead) throws(LedgerError) {
        try run(
            """
            DELETE FROM sessions WHERE protocol = ? AND client = ? AND proof = ? AND network = ?
            AND key_id = ?
            """, .text(session.protocolID.name), .text(session.client.id),
            .text(session.client.proof.rawValue), .text(session.network),
            .text(session.key.text))
        try run(
            """
            INSERT INTO sessions
                (id, sequence, protocol, client, proof, network, key_id, address, time)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .bytes(session.id), .integer(entry.sequence), .text(session.protocolID.name),
            .text(session.client.id), .text(session.client.proof.rawValue),
            .text(session.network), .text(session.key.text), .text(session.address),
            .integer(session.started.seconds))
        try run(
            """
            DELETE FROM sessions WHERE id NOT IN
                (SELECT id FROM sessions ORDER BY sequence DESC, id LIMIT ?)
            """, .integer(Int64(SQLiteLedger.sessionsMax)))
    }

    /// Takes back what was remembered about a client: what it may, not what it may not.
    private func forget(
        _ client: Client, in protocolID: ProtocolID, of entry: AuditHead
    ) throws(LedgerError) {
        let open = try all(
            "SELECT id, body FROM grants WHERE revoked IS NULL"
        ) { row throws(LedgerError) in
            (id: try row.bytes(0), grant: GrantRecord.grant(try row.text(1)))
        }
        let ids = open.filter { _, grant in
            guard let scope = grant?.scope, grant?.answer == .yes else { return false }
            return scope.client == client.id && scope.proof == client.proof
                && scope.protocolID == protocolID
        }.map(\.id)
        try revoke(ids, at: entry.time)
    }
}
