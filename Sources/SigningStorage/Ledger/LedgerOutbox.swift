// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

extension SQLiteLedger {
    /// The maximum number of items that one listing reads.
    package static let unsentMax = 1_000

    /// Records the result of sending an item, and deletes the item if the result is final.
    package func record(
        _ result: Broadcast.Result, of itemID: String, at time: Timestamp
    ) async throws(LedgerError) {
        try await queue.write { access throws(LedgerError) in
            try access.record(result, of: itemID, at: time)
        }
    }

    /// True if the item may have been sent and the result is not known.
    package func mayHaveSent(_ itemID: String) throws(LedgerError) -> Bool {
        try read { access throws(LedgerError) in
            try access.exists(
                "SELECT 1 FROM outbox WHERE id = ? AND state = 'unknown'", .text(itemID))
        }
    }

    /// The items of a protocol that are being sent, or that may have been sent with an unknown
    /// result; newest first.
    package func unsettled(of protocolID: ProtocolID) throws(LedgerError) -> [UnsentItem] {
        try read { access throws(LedgerError) in
            try access.all(
                """
                SELECT id, protocol, network, sender, bytes, state, time FROM outbox
                WHERE protocol = ? AND state <> 'not_sent'
                ORDER BY sequence DESC, place, id LIMIT ?
                """, .text(protocolID.name), .integer(Int64(Self.unsentMax)), read: Self.item)
        }
    }

    private static func item(_ row: borrowing Row<LedgerError>) throws(LedgerError) -> UnsentItem {
        UnsentItem(
            protocolID: ProtocolID(try row.text(1)), network: try row.text(2),
            item: Broadcast.Item(
                id: try row.text(0), sender: try row.text(3), bytes: try row.bytes(4)),
            state: try row.text(5), signed: Timestamp(seconds: try row.integer(6)))
    }

    /// The items that are not known to have arrived at their network; oldest first, those of one
    /// request in its order.
    ///
    /// With `protocolID` or `itemID`, only items of this protocol or with this id.
    package func unsent(
        of protocolID: ProtocolID? = nil, itemID: String? = nil
    ) throws(LedgerError) -> [UnsentItem] {
        try read { access throws(LedgerError) in
            try access.all(
                """
                SELECT id, protocol, network, sender, bytes, state, time FROM outbox
                WHERE protocol = ifnull(?, protocol) AND id = ifnull(?, id)
                ORDER BY sequence, place, id LIMIT ?
                """, protocolID.map { .text($0.name) } ?? .null,
                itemID.map { .text($0) } ?? .null, .integer(Int64(Self.unsentMax)), read: Self.item)
        }
    }

    /// Records that a signed message from another party was accepted; false if the message with
    /// this mark was accepted before.
    package func accept(_ mark: [UInt8], at time: Timestamp) throws(LedgerError) -> Bool {
        try database.write { access throws(LedgerError) in
            guard try !access.exists("SELECT 1 FROM accepted WHERE mark = ?", .bytes(mark)) else {
                return false
            }
            let entry = try access.append(.accept(mark: mark), at: time)
            try access.run(
                "INSERT INTO accepted (mark, time) VALUES (?, ?)", .bytes(mark),
                .integer(entry.time.seconds))
            return true
        }
    }
}

extension Access<LedgerError> {
    /// Records the result of sending an item, and deletes the item if the result is final.
    func record(
        _ result: Broadcast.Result, of itemID: String, at time: Timestamp
    ) throws(LedgerError) {
        _ = try append(.broadcast(BroadcastEntry(result, of: itemID)), at: time)
        try endConnections(with: result, of: itemID)
        switch result {
        case .accepted, .failed, .refused:
            try run("DELETE FROM outbox WHERE id = ?", .text(itemID))
        case .declined, .unknown, .notSent:
            // The state "unknown" stays: the item may have been sent before, even if a later
            // attempt fails.
            try run(
                "UPDATE outbox SET state = ? WHERE id = ? AND state <> 'unknown'",
                .text(result.state), .text(itemID))
        }
    }

    /// Ends the connections that the item's request opened, unless the item was accepted: they are
    /// valid only if all items of the request arrive.
    fileprivate func endConnections(
        with result: Broadcast.Result, of itemID: String
    ) throws(LedgerError) {
        if case .accepted = result { return }
        try run(
            "DELETE FROM sessions WHERE sequence = (SELECT sequence FROM outbox WHERE id = ?)",
            .text(itemID))
    }

    /// Stores the items that a request sends to a network, in the transaction that records its
    /// result.
    ///
    /// `isSignedHere` is true if this hub's keys signed the items. Items signed elsewhere may be
    /// invalid, so they never replace the bytes of a stored item.
    func queue(
        _ broadcast: Broadcast, for intentID: [UInt8], isSignedHere: Bool, of entry: AuditHead
    ) throws(LedgerError) {
        let protocolID = try intentEntry(intentID)?.request.protocolID
        // The id of an item depends only on the signed content, not on the signature, so the same
        // id may be stored already. Such an item may have been sent, by this or another process,
        // unless its state is "not_sent".
        for (place, item) in broadcast.items.enumerated() {
            try run(
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
                """, .text(item.id), .integer(entry.sequence), .text(protocolID?.name ?? ""),
                .text(broadcast.network), .text(item.sender), .bytes(item.bytes),
                .integer(isSignedHere ? 1 : 0), .integer(Int64(place)),
                .integer(entry.time.seconds))
        }
    }
}

extension Broadcast.Result {
    /// The word for the result in the record.
    var outcome: BroadcastEntry.Outcome {
        switch self {
        case .accepted: .accepted
        case .failed: .failed
        case .refused: .refused
        case .declined: .declined
        case .unknown: .unknown
        case .notSent: .notSent
        }
    }

    /// The word for the state in the outbox.
    ///
    /// It is "unknown" for an item that a node declined, as the item may have arrived by another
    /// node.
    fileprivate var state: String {
        (outcome == .declined ? .unknown : outcome).rawValue
    }

    /// The reason that the item did not arrive; nil if there is none.
    var text: String? {
        switch self {
        case .accepted, .failed: nil
        case .refused(let name, let text), .declined(let name, let text): "\(name): \(text)"
        case .unknown(let text), .notSent(let text): text
        }
    }
}
