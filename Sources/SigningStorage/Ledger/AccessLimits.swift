// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

extension Access<LedgerError> {
    /// What is used of a claim's counter within its window before `now`.
    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        let amounts = try all(
            "SELECT amount FROM uses WHERE counter = ? AND time > ?",
            .text(claim.counter), .integer(claim.window.lastUncounted(before: now))
        ) { row throws(LedgerError) in try row.amount(0) }
        return amounts.reduce(0) { sum, amount in
            let (sum, hasOverflown) = sum.addingReportingOverflow(amount)
            return hasOverflown ? .max : sum
        }
    }

    /// Uses up every claim, or refuses; each counter is charged once, whatever its windows.
    func charge(
        _ claims: [LimitClaim], to intentID: [UInt8], at time: Timestamp
    ) throws(LedgerError) {
        let uses = claims.map {
            LimitUse(counter: $0.counter, window: "\($0.window)", amount: $0.amount)
        }
        for (claim, total) in zip(claims, LimitUse.totals(of: uses)) {
            let used = try used(claim, at: time)
            let (sum, hasOverflown) = used.addingReportingOverflow(total)
            guard claim.amount >= 0, !hasOverflown, sum <= claim.maximum else {
                throw .limitExceeded(counter: claim.counter)
            }
        }
        for (position, charge) in LimitUse.charges(of: uses).enumerated() {
            try run(
                """
                INSERT INTO uses (counter, time, intent_id, position, amount)
                VALUES (?, ?, ?, ?, ?)
                """,
                .text(charge.counter), .integer(time.seconds), .bytes(intentID),
                .integer(Int64(position)), .text(charge.amount))
        }
    }

    /// What each counter with this beginning has used since a moment, sorted by counter.
    func counters(
        beginningWith prefix: String, countMax: Int
    ) throws(LedgerError) -> [String] {
        try all(
            """
            SELECT DISTINCT counter FROM uses WHERE counter >= ? AND counter < ?
            ORDER BY counter LIMIT ?
            """,
            .text(prefix), .text(prefix + "\u{10FFFF}"), .integer(Int64(countMax))
        ) { row throws(LedgerError) in try row.text(0) }
    }
}

/// What one claim uses of its counter.
struct LimitUse {
    let counter: String
    /// Tells windows apart.
    let window: String
    let amount: Int128

    /// For each use, what all uses of its counter and window come to.
    static func totals(of uses: [LimitUse]) -> [Int128] {
        uses.map { use in
            uses.reduce(0) { sum, other in
                guard other.counter == use.counter, other.window == use.window else { return sum }
                let (total, hasOverflown) = sum.addingReportingOverflow(other.amount)
                return hasOverflown ? .max : total
            }
        }
    }

    /// One charge for each counter: windows look at the same uses, so the largest total counts.
    static func charges(of uses: [LimitUse]) -> [LimitCharge] {
        var largest: [String: Int128] = [:]
        for (use, total) in zip(uses, totals(of: uses)) {
            largest[use.counter] = max(total, largest[use.counter] ?? 0)
        }
        var seen: Set<String> = []
        return uses.filter { seen.insert($0.counter).inserted }.map { use in
            LimitCharge(counter: use.counter, amount: String(largest[use.counter] ?? 0))
        }
    }
}

/// What one intent uses of one counter, as the table has it.
struct LimitCharge: Hashable {
    let counter: String
    let amount: String
}

extension Row<LedgerError> {
    /// The amount in a column; SQLite's own integers are too small for amounts.
    func amount(_ column: Int) throws(LedgerError) -> Int128 {
        guard let amount = Int128(try text(column)), amount >= 0 else {
            throw .corrupt("a use of a limit has no amount")
        }
        return amount
    }
}
