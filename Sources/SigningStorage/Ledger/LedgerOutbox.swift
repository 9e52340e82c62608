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
            _ = try access.append(.accept(mark: mark), at: time)
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

    /// The reason that the item did not arrive; nil if there is none.
    var text: String? {
        switch self {
        case .accepted, .failed: nil
        case .refused(let name, let text), .declined(let name, let text): "\(name): \(text)"
        case .unknown(let text), .notSent(let text): text
        }
    }
}
