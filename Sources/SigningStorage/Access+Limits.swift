// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

extension Access<LedgerError> {
    /// What is used of a claim's counter within its window before `now`.
    ///
    /// A use counts until exactly the window's length has passed.
    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        let amounts = try all(
            "SELECT amount FROM uses WHERE counter = ? AND time > ?",
            .text(claim.counter), .integer(claim.windowStart(before: now))
        ) { row throws(LedgerError) in try row.amount(0) }
        return amounts.reduce(0) { sum, amount in
            let (sum, hasOverflown) = sum.addingReportingOverflow(amount)
            return hasOverflown ? .max : sum
        }
    }

    /// Uses up every claim, or refuses.
    func charge(
        _ claims: [LimitClaim], to intentID: [UInt8], at time: Timestamp
    ) throws(LedgerError) {
        for (position, claim) in claims.enumerated() {
            // Earlier claims of this intent on the same counter are in the sum already.
            let used = try used(claim, at: time)
            let (total, hasOverflown) = used.addingReportingOverflow(claim.amount)
            guard claim.amount >= 0, !hasOverflown, total <= claim.maximum else {
                throw .limitExceeded(counter: claim.counter)
            }
            try run(
                """
                INSERT INTO uses (counter, time, intent_id, position, amount)
                VALUES (?, ?, ?, ?, ?)
                """,
                .text(claim.counter), .integer(time.seconds), .bytes(intentID),
                .integer(Int64(position)), .text(String(claim.amount)))
        }
    }
}

extension LimitClaim {
    /// The last second that does not count any more.
    fileprivate func windowStart(before now: Timestamp) -> Int64 {
        // A window without length would make the limit none.
        guard let windowSeconds, windowSeconds > 0 else { return .min }
        let (start, hasOverflown) = now.seconds.subtractingReportingOverflow(windowSeconds)
        return hasOverflown ? .min : start
    }
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
