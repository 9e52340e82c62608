// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// Connections, items for networks, and accepted messages.
extension Index {
    /// Changes connections and stores the items for a network.
    func apply(
        _ done: ResultEntry.Done, of intentID: [UInt8], at head: AuditHead, _ bytes: NamedBytes
    ) throws(LedgerError) {
        for note in done.notes { try keep(note, bytes) }
        guard !done.connections.isEmpty || done.broadcast != nil else { return }
        let protocolID = try intent(of: intentID, bytes)?.request.protocolID
        guard let protocolID else { throw .corrupt("a result without its intent") }
        for change in done.connections {
            switch change {
            case .opens(let id, let client, let key, let network, let expires, let begun):
                let connection = ClientConnection(
                    id: id, protocolID: protocolID, client: client.client, network: network,
                    key: key, address: begun?.address ?? "", started: begun?.time ?? head.time,
                    expires: expires)
                try open(connection, at: head)
            case .ends(let id): try end(connection: id)
            // An entry of its own revokes the grants.
            case .forgets: break
            }
        }
        if let broadcast = done.broadcast {
            try queue(
                broadcast, of: protocolID, isSignedHere: !done.digests.isEmpty, at: head, bytes)
        }
    }

    /// Opens a connection in place of one of the same client with the same key and network.
    private func open(_ connection: ClientConnection, at head: AuditHead) throws(LedgerError) {
        try access.run(
            """
            DELETE FROM sessions WHERE protocol = ? AND client = ? AND proof = ? AND network = ?
            AND key_id = ?
            """, .text(connection.protocolID.name), .text(connection.client.id),
            .text(connection.client.proof.rawValue), .text(connection.network),
            .text(connection.key.text))
        try access.run(
            """
            INSERT INTO sessions
                (id, sequence, protocol, client, proof, network, key_id, address, time, expires)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, .bytes(connection.id), .integer(head.sequence), .text(connection.protocolID.name),
            .text(connection.client.id), .text(connection.client.proof.rawValue),
            .text(connection.network), .text(connection.key.text), .text(connection.address),
            .integer(connection.started.seconds),
            connection.expires.map { .integer($0.seconds) } ?? .null)
        try access.run("DELETE FROM sessions WHERE expires <= ?", .integer(head.time.seconds))
        try access.run(
            """
            DELETE FROM sessions WHERE id NOT IN
                (SELECT id FROM sessions ORDER BY sequence DESC, id LIMIT ?)
            """, .integer(Int64(SQLiteLedger.connectionsMax)))
    }

    func end(connection id: [UInt8]) throws(LedgerError) {
        try access.run("DELETE FROM sessions WHERE id = ?", .bytes(id))
    }

    /// Stores the items that a request sends to a network.
    ///
    /// `isSignedHere` is true if this hub's keys signed the items. Items signed elsewhere may be
    /// invalid, so they never replace the bytes of a stored item.
    private func queue(
        _ broadcast: BroadcastItems, of protocolID: ProtocolID, isSignedHere: Bool,
        at head: AuditHead, _ bytes: NamedBytes
    ) throws(LedgerError) {
        // The id of an item depends only on the signed content, not on the signature, so the same
        // id may be stored already. Such an item may have been sent, by this or another process,
        // unless its state is "not_sent".
        for (place, id) in broadcast.items.enumerated() {
            let item =
                broadcast.signed.indices.contains(place) ? broadcast.signed[place] : nil
            try access.run(
                """
                INSERT INTO outbox
                    (id, sequence, protocol, network, sender, bytes, state, place, time)
                VALUES (?, ?, ?, ?, ?, ?, 'signed', ?8, ?9)
                ON CONFLICT (id) DO UPDATE SET
                    sequence = excluded.sequence, place = excluded.place, time = excluded.time,
                    protocol = excluded.protocol,
                    network = excluded.network, sender = excluded.sender,
                    bytes = iif(?7, excluded.bytes, bytes),
                    state = iif(
                        state = 'not_sent' AND (?7 OR bytes = excluded.bytes), 'signed', 'unknown')
                """, .text(id), .integer(head.sequence), .text(protocolID.name),
                .text(broadcast.network), .text(item?.sender ?? ""), bytes.bytes(item?.digest),
                .integer(isSignedHere ? 1 : 0), .integer(Int64(place)),
                .integer(head.time.seconds))
        }
    }

    /// Deletes an item whose result is final, and ends the connections that its request opened,
    /// unless it was accepted: they are valid only if all items of the request arrive.
    func apply(_ broadcast: BroadcastEntry) throws(LedgerError) {
        if broadcast.outcome != .accepted {
            try access.run(
                "DELETE FROM sessions WHERE sequence = (SELECT sequence FROM outbox WHERE id = ?)",
                .text(broadcast.item))
        }
        guard !broadcast.outcome.isFinal else {
            return try access.run("DELETE FROM outbox WHERE id = ?", .text(broadcast.item))
        }
        // An item that a node declined may have arrived by another node.
        let state = broadcast.outcome == .declined ? .unknown : broadcast.outcome
        // The state "unknown" stays: the item may have been sent before, even if a later attempt
        // fails.
        try access.run(
            "UPDATE outbox SET state = ? WHERE id = ? AND state <> 'unknown'",
            .text(state.rawValue), .text(broadcast.item))
    }

    func accept(_ mark: [UInt8], at head: AuditHead) throws(LedgerError) {
        try access.run(
            "INSERT INTO accepted (mark, time) VALUES (?, ?)", .bytes(mark),
            .integer(head.time.seconds))
    }
}
