// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

extension Access<LedgerError> {
    /// The amount used of a claim's counter within its window before `now`.
    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        let last = claim.window.lastUncounted(before: now)
        return try total(of: claim.counter)
            .since(try total(of: claim.counter, upTo: last))
    }

    /// Records the uses of all claims; throws if a limit would be exceeded.
    ///
    /// `used` are the amounts that were used before, one for each claim. Each counter is charged
    /// once, for all its windows.
    func charge(
        _ claims: [LimitClaim], beside used: [Int128], to intentID: [UInt8], of entry: AuditHead
    ) throws(LedgerError) {
        let uses = claims.map {
            LimitUse(counter: $0.counter, window: "\($0.window)", amount: $0.amount)
        }
        for ((claim, used), total) in zip(zip(claims, used), LimitUse.totals(of: uses)) {
            let (sum, hasOverflown) = used.addingReportingOverflow(total)
            guard claim.amount >= 0, !hasOverflown, sum <= claim.maximum else {
                throw .limitExceeded(counter: claim.counter)
            }
        }
        for (position, charge) in LimitUse.charges(of: uses).enumerated() {
            let total = try total(of: charge.counter).adding(charge.amount)
            try run(
                """
                INSERT INTO uses (counter, time, sequence, position, intent_id, amount, total)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                .text(charge.counter), .integer(entry.time.seconds), .integer(entry.sequence),
                .integer(Int64(position)), .bytes(intentID), .text(String(charge.amount)),
                .bytes(total.bytes))
        }
    }

    /// The counters with this prefix that were ever used, sorted.
    func counters(
        beginningWith prefix: String, countMax: Int
    ) throws(LedgerError) -> [String] {
        var found: [String] = []
        // Finds one counter with each query, as reading all rows would take too long: a counter may
        // have a million uses.
        while found.count < countMax {
            let next = try first(
                "SELECT min(counter) FROM uses WHERE counter >= ? AND counter < ?",
                .text(found.last.map { $0 + "\0" } ?? prefix), .text(prefix + "\u{10FFFF}")
            ) { row throws(LedgerError) in try row.optionalText(0) }
            guard let next = next ?? nil else { break }
            found.append(next)
        }
        return found
    }
}

/// The use of a counter by one claim.
struct LimitUse {
    let counter: String
    /// The window as text; different windows have different texts.
    let window: String
    let amount: Int128

    /// For each use, the sum of all uses with its counter and window.
    static func totals(of uses: [LimitUse]) -> [Int128] {
        uses.map { use in
            uses.reduce(0) { sum, other in
                guard other.counter == use.counter, other.window == use.window else { return sum }
                let (total, hasOverflown) = sum.addingReportingOverflow(other.amount)
                return hasOverflown ? .max : total
            }
        }
    }

    /// One charge for each counter: the largest of the sums for its windows, as all windows of a
    /// counter see the same charges.
    static func charges(of uses: [LimitUse]) -> [LimitCharge] {
        var largest: [String: Int128] = [:]
        for (use, total) in zip(uses, totals(of: uses)) {
            largest[use.counter] = max(total, largest[use.counter] ?? 0)
        }
        var seen: Set<String> = []
        return uses.filter { seen.insert($0.counter).inserted }.map { use in
            LimitCharge(counter: use.counter, amount: largest[use.counter] ?? 0)
        }
    }
}

/// The use of a counter by one intent, as stored in the table.
struct LimitCharge: Hashable {
    let counter: String
    let amount: Int128
}

extension Row<LedgerError> {
    /// The amount in a column, stored as text because SQLite's integers are too small.
    func amount(_ column: Int) throws(LedgerError) -> Int128 {
        guard let amount = Int128(try text(column)), amount >= 0 else {
            throw .corrupt("a use of a limit has no amount")
        }
        return amount
    }
}
