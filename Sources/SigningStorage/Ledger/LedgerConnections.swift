// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

extension SQLiteLedger {
    /// The maximum number of connections in a ledger; a further one ends the oldest.
    package static let connectionsMax = 1_000

    /// The connections of a client, oldest first.
    ///
    /// Leaves out a connection whose transaction is not known to have arrived at its network yet.
    package func connections(
        of client: Client, in protocolID: ProtocolID
    ) throws(LedgerError) -> [ClientConnection] {
        try query { access throws(LedgerError) in
            try access.connections(
                "AND protocol = ? AND client = ? AND proof = ?",
                [.text(protocolID.name), .text(client.id), .text(client.proof.rawValue)])
        }
    }

    /// Every connection, oldest first.
    package func allConnections() throws(LedgerError) -> [ClientConnection] {
        try read { access throws(LedgerError) in try access.connections("", []) }
    }

    /// Ends connections, records this, and revokes the yeses that their clients have for the keys
    /// of the connections.
    ///
    /// Returns the number of ended connections.
    @discardableResult
    package func end(connections ids: [[UInt8]], at time: Timestamp) throws(LedgerError) -> Int {
        try database.write { access throws(LedgerError) in
            var open: [ClientConnection] = []
            for id in ids { open += try access.connections("AND id = ?", [.bytes(id)]) }
            guard !open.isEmpty else { return 0 }
            _ = try access.append(
                .revoke(RevokeEntry(grants: [], connections: open.map(\.id))), at: time)
            for connection in open {
                try access.forget(connection.client, in: connection.protocolID, at: time) {
                    $0 == connection.key
                }
            }
            return open.count
        }
    }
}

extension Access<LedgerError> {
    fileprivate func connections(
        _ condition: String, _ values: [SQLiteValue]
    ) throws(LedgerError) -> [ClientConnection] {
        try rows(
            """
            SELECT id, protocol, client, proof, network, key_id, address, time, expires
            FROM sessions
            WHERE NOT EXISTS (SELECT 1 FROM outbox WHERE outbox.sequence = sessions.sequence)
            \(condition) ORDER BY sequence, id
            """, values, countMax: SQLiteLedger.connectionsMax
        ) { row throws(LedgerError) in
            guard let proof = Client.Proof(rawValue: try row.text(3)) else {
                throw .corrupt("a session has a client proof of an unknown form")
            }
            return ClientConnection(
                id: try row.bytes(0), protocolID: ProtocolID(try row.text(1)),
                client: Client(id: try row.text(2), name: nil, proof: proof),
                network: try row.text(4), key: KeyID(try row.text(5)),
                address: try row.text(6), started: Timestamp(seconds: try row.integer(7)),
                expires: try row.optionalInteger(8).map { Timestamp(seconds: $0) })
        }
    }

    /// Throws if one of these connections has ended.
    func check(connections ids: [[UInt8]], at time: Timestamp) throws(LedgerError) {
        for id in ids {
            let isOpen = try exists(
                "SELECT 1 FROM sessions WHERE id = ? AND (expires IS NULL OR expires > ?)",
                .bytes(id), .integer(time.seconds))
            guard isOpen else { throw .connectionEnded }
        }
    }

    /// Revokes the remembered yeses of a client, for the keys that `isMeant` selects; remembered
    /// denials stay.
    func forget(
        _ client: Client, in protocolID: ProtocolID, at time: Timestamp,
        where isMeant: (KeyID) -> Bool = { _ in true }
    ) throws(LedgerError) {
        let open = try all(
            "SELECT id, body FROM grants WHERE revoked IS NULL"
        ) { row throws(LedgerError) in
            (id: try row.bytes(0), grant: GrantRecord.grant(try row.text(1)))
        }
        let ids = open.filter { _, grant in
            guard let scope = grant?.scope, grant?.answer == .yes else { return false }
            return scope.client == client.id && scope.proof == client.proof
                && scope.protocolID == protocolID && isMeant(scope.key)
        }.map(\.id)
        try revoke(ids, at: time)
    }
}
