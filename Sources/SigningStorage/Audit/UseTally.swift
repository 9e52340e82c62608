// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// Holds the uses of limits against the intents that speak of them.
struct UseTally {
    private let ends: ArchiveEnds
    /// When the clock was repaired: later uses were moved there.
    private var repairTimes: Set<Int64> = []
    private var count: Int64 = 0
    /// What intents of which no use is kept have used of each counter.
    private var folded: [String: RunningTotal] = [:]

    init(_ ends: ArchiveEnds) {
        self.ends = ends
    }

    /// Looks ahead for what later entries changed of earlier ones' rows.
    mutating func prepare(in access: borrowing Access<LedgerError>) throws(LedgerError) {
        repairTimes = Set(
            try access.all("SELECT time FROM audit WHERE kind = 'repair'") {
                row throws(LedgerError) in try row.integer(0)
            })
    }

    /// Whether an intent's uses are what its entry states, or none where it was given back.
    mutating func holds(
        _ intent: IntentEntry, of entry: AuditHead, wasUsed: Bool,
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> Bool {
        let claimed = wasUsed ? LimitCharge.charges(of: intent.claims) : []
        guard entry.sequence > ends.folded else {
            for charge in claimed {
                folded[charge.counter, default: .zero] =
                    folded[charge.counter, default: .zero].adding(charge.amount)
            }
            return true
        }
        let found = try access.charges(of: intent.id, entry, repairedAt: repairTimes)
        count += Int64(found.count)
        return claimed == found
    }

    /// Whether there are no uses beyond those, and the last one of each counter that was folded
    /// has the right total.
    func isWhole(in access: borrowing Access<LedgerError>) throws(LedgerError) -> Bool {
        let found = try access.first(
            "SELECT count(*) FROM uses WHERE sequence > ?",
            .integer(max(ends.folded, ends.unknown))
        ) { row throws(LedgerError) in try row.integer(0) }
        guard found == count else { return false }
        guard ends.unknown == 0 else { return true }
        let last = try access.all(
            "SELECT counter, total FROM uses WHERE sequence <= ?", .integer(ends.folded)
        ) { row throws(LedgerError) in (counter: try row.text(0), total: try row.total(1)) }
        return last.count == folded.count && last.allSatisfy { folded[$0.counter] == $0.total }
    }
}

extension Access<LedgerError> {
    /// What is on record for an intent; a use at another time than the entry's, or than that of
    /// a repair of the clock that it was moved to, or with another total than its predecessor
    /// leads to, is none of it.
    fileprivate func charges(
        of intentID: [UInt8], _ entry: AuditHead, repairedAt repairs: Set<Int64>
    ) throws(LedgerError) -> [LimitCharge] {
        let uses = try all(
            """
            SELECT counter, time, sequence, position, amount, total FROM uses
            WHERE intent_id = ? ORDER BY position
            """, .bytes(intentID)
        ) { row throws(LedgerError) in
            (place: try row.usePlace(), amount: try row.amount(4), total: try row.total(5))
        }
        return try uses.map { (use) throws(LedgerError) in
            let found = use.place.time
            let isInTime =
                found == entry.time.seconds
                || (found < entry.time.seconds && repairs.contains(found))
            let before = try total(before: use.place)
            let fits =
                isInTime && use.place.sequence == entry.sequence
                && before.adding(use.amount) == use.total
            return LimitCharge(counter: fits ? use.place.counter : "", amount: use.amount)
        }
    }
}
