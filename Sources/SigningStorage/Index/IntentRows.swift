// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// Intents with all that they use up.
extension Index {
    func apply(_ intent: IntentEntry, at head: AuditHead) throws(LedgerError) {
        try access.run(
            "INSERT INTO open_intents (id, sequence, time) VALUES (?, ?, ?)", .bytes(intent.id),
            .integer(head.sequence), .integer(head.time.seconds))
        try setFloor(to: head.time)
        if let replay = intent.replay {
            try access.run(
                "INSERT INTO replay_tokens (hash, intent_id) VALUES (?, ?)", .bytes(replay.hash),
                .bytes(intent.id))
        }
        for serial in intent.serials {
            try access.run(
                "INSERT INTO serial_uses (series, number, intent_id) VALUES (?, ?, ?)",
                .text(serial.series), .integer(serial.column), .bytes(intent.id))
        }
        try charge(intent, at: head)
    }

    /// Adds the uses of an intent; each counter is charged once, for all its windows.
    private func charge(_ intent: IntentEntry, at head: AuditHead) throws(LedgerError) {
        for (position, charge) in LimitCharge.charges(of: intent.claims).enumerated() {
            let total = try access.total(of: charge.counter).adding(charge.amount)
            try access.run(
                """
                INSERT INTO uses (counter, time, sequence, position, intent_id, amount, total)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                .text(charge.counter), .integer(head.time.seconds), .integer(head.sequence),
                .integer(Int64(position)), .bytes(intent.id), .text(String(charge.amount)),
                .bytes(total.bytes))
        }
    }

    /// Gives back what an open intent used up.
    func giveBack(_ intentID: [UInt8], _ bytes: NamedBytes) throws(LedgerError) {
        guard let intent = try intent(of: intentID, bytes),
            let begun = try access.openIntent(intentID)
        else { return }
        for charge in LimitCharge.charges(of: intent.claims) {
            try giveBackUses(of: charge.counter, begun)
        }
        if let replay = intent.replay {
            try access.run(
                "DELETE FROM replay_tokens WHERE hash = ? AND intent_id = ?", .bytes(replay.hash),
                .bytes(intentID))
        }
        for serial in intent.serials {
            try access.run(
                "DELETE FROM serial_uses WHERE series = ? AND number = ? AND intent_id = ?",
                .text(serial.series), .integer(serial.column), .bytes(intentID))
        }
    }

    /// Deletes the uses of a counter by an intent and corrects the totals of later uses.
    ///
    /// There are few later uses, as a key that was not used is reported at once.
    private func giveBackUses(of counter: String, _ intent: OpenIntent) throws(LedgerError) {
        let uses = try access.all(
            """
            SELECT counter, time, sequence, position, amount FROM uses
            WHERE counter = ? AND time = ? AND sequence = ?
            """, .text(counter), .integer(intent.time), .integer(intent.sequence)
        ) { row throws(LedgerError) in (place: try row.usePlace(), amount: try row.amount(4)) }
        try access.run(
            "DELETE FROM uses WHERE counter = ? AND time = ? AND sequence = ?", .text(counter),
            .integer(intent.time), .integer(intent.sequence))
        for use in uses {
            let later = try access.all(
                """
                SELECT counter, time, sequence, position, total FROM uses
                WHERE counter = ? AND (time, sequence, position) > (?, ?, ?)
                """, .text(use.place.counter), .integer(use.place.time),
                .integer(use.place.sequence), .integer(use.place.position)
            ) { row throws(LedgerError) in (place: try row.usePlace(), total: try row.total(4)) }
            for other in later {
                try access.run(
                    """
                    UPDATE uses SET total = ?
                    WHERE counter = ? AND time = ? AND sequence = ? AND position = ?
                    """, .bytes(other.total.removing(use.amount).bytes),
                    .text(other.place.counter), .integer(other.place.time),
                    .integer(other.place.sequence), .integer(other.place.position))
            }
        }
    }
}

/// An intent without a result.
struct OpenIntent: Hashable {
    /// The number of its entry.
    let sequence: Int64
    /// The time of its uses of limits: that of its entry, or of a later repair of the clock.
    let time: Int64
}

extension Access<LedgerError> {
    /// An intent that has no result; nil if there is none with this id.
    func openIntent(_ id: [UInt8]) throws(LedgerError) -> OpenIntent? {
        try first("SELECT sequence, time FROM open_intents WHERE id = ?", .bytes(id)) {
            row throws(LedgerError) in
            OpenIntent(sequence: try row.integer(0), time: try row.integer(1))
        }
    }
}
