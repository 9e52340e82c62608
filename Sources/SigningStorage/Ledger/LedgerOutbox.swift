// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SQLiteLedger {
    /// The most items that one listing reads.
    package static let unsentMax = 1_000

    /// Writes what became of one item, which is forgotten once that is certain.
    package func record(
        _ result: Broadcast.Result, of itemID: String, at time: Timestamp
    ) async throws(LedgerError) {
        try await queue.write { access throws(LedgerError) in
            try access.record(result, of: itemID, at: time)
        }
    }

    /// Whether it is not known what became of an item that was, or is being, sent.
    package func mayHaveSent(_ itemID: String) throws(LedgerError) -> Bool {
        try read { access throws(LedgerError) in
            try access.exists(
                "SELECT 1 FROM outbox WHERE id = ? AND state = 'unknown'", .text(itemID))
        }
    }

    /// The items of a protocol that may have been sent and whose outcome is not known, newest
    /// first.
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

    /// What was signed for a network and is not known to be there, oldest first and in the order
    /// of each request; of one protocol or one id where these are named.
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

    /// Accepts a signed message of somebody else once; false where it was accepted before.
    package func accept(_ mark: [UInt8], at time: Timestamp) throws(LedgerError) -> Bool {
        try database.write { access throws(LedgerError) in
            guard try !access.exists("SELECT 1 FROM accepted WHERE mark = ?", .bytes(mark)) else {
                return false
            }
            let entry = try access.append(AuditRecord(accepting: mark, at: time))
            try access.run(
                "INSERT INTO accepted (mark, time) VALUES (?, ?)", .bytes(mark),
                .integer(entry.time.seconds))
            return true
        }
    }
}

extension Access<LedgerError> {
    /// Writes what became of one item, which is forgotten once that is certain.
    func record(
        _ result: Broadcast.Result, of itemID: String, at time: Timestamp
    ) throws(LedgerError) {
        _ = try append(AuditRecord(result, of: itemID, at: time))
        try endConnections(with: result, of: itemID)
        switch result {
        case .accepted, .failed, .refused:
            try run("DELETE FROM outbox WHERE id = ?", .text(itemID))
        case .declined, .unknown, .notSent:
            // What may have been sent once stays so, whatever happened to it later.
            try run(
                "UPDATE outbox SET state = ? WHERE id = ? AND state <> 'unknown'",
                .text(result.state), .text(itemID))
        }
    }

    /// A client is connected by a request of which everything came about.
    fileprivate func endConnections(
        with result: Broadcast.Result, of itemID: String
    ) throws(LedgerError) {
        if case .accepted = result { return }
        try run(
            "DELETE FROM sessions WHERE sequence = (SELECT sequence FROM outbox WHERE id = ?)",
            .text(itemID))
    }

    /// Keeps what is about to be sent, in the transaction that puts it on record.
    ///
    /// `isSignedHere` says whether keys were used for it: what others signed may be worthless, and
    /// takes the place of nothing.
    func queue(
        _ broadcast: Broadcast, for intentID: [UInt8], isSignedHere: Bool, of entry: AuditHead
    ) throws(LedgerError) {
        let protocolName = try first(
            """
            SELECT json_extract(body, '$.protocol') FROM audit JOIN intents
            ON intents.sequence = audit.sequence WHERE intents.id = ?
            """, .bytes(intentID)
        ) { row throws(LedgerError) in try row.text(0) }
        // A network that knows an item by what was signed knows it again, whoever signed it. What
        // is there already may have been sent, or another process sends it now, unless the record
        // says that it was not.
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
                """, .text(item.id), .integer(entry.sequence), .text(protocolName ?? ""),
                .text(broadcast.network), .text(item.sender), .bytes(item.bytes),
                .integer(isSignedHere ? 1 : 0), .integer(Int64(place)),
                .integer(entry.time.seconds))
        }
    }
}

extension Broadcast.Result {
    /// The word for it on record.
    var outcome: String {
        switch self {
        case .accepted: "accepted"
        case .failed: "failed"
        case .refused: "refused"
        case .declined: "declined"
        case .unknown: "unknown"
        case .notSent: "not_sent"
        }
    }

    /// The word for it in the outbox: what a node refused it may have, for all we know.
    fileprivate var state: String {
        if case .declined = self { Self.unknown("").outcome } else { outcome }
    }

    /// Why it is not there, if it is not.
    var text: String? {
        switch self {
        case .accepted, .failed: nil
        case .refused(let name, let text), .declined(let name, let text): "\(name): \(text)"
        case .unknown(let text), .notSent(let text): text
        }
    }
}
