// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// Intents with all that they use up.
extension Index {
    func apply(_ intent: IntentEntry, at head: AuditHead) throws(LedgerError) {
        try access.run(
            "INSERT INTO intents (id, sequence) VALUES (?, ?)", .bytes(intent.id),
            .integer(head.sequence))
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

    /// Gives back what an intent used up.
    func giveBack(_ intentID: [UInt8], _ unstated: Unstated) throws(LedgerError) {
        try giveBackUses(of: intentID)
        if let replay = try intent(of: intentID, unstated)?.replay {
            try access.run(
                "DELETE FROM replay_tokens WHERE hash = ? AND intent_id = ?", .bytes(replay.hash),
                .bytes(intentID))
        }
        try access.run("DELETE FROM serial_uses WHERE intent_id = ?", .bytes(intentID))
    }

    /// Deletes the uses of an intent and corrects the totals of later uses.
    ///
    /// There are few later uses, as a key that was not used is reported at once.
    private func giveBackUses(of intentID: [UInt8]) throws(LedgerError) {
        let uses = try access.all(
            "SELECT counter, time, sequence, position, amount FROM uses WHERE intent_id = ?",
            .bytes(intentID)
        ) { row throws(LedgerError) in (place: try row.usePlace(), amount: try row.amount(4)) }
        try access.run("DELETE FROM uses WHERE intent_id = ?", .bytes(intentID))
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
