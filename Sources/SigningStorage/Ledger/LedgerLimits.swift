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

    /// Throws if claims would exceed a limit; `used` are the amounts that were used before, one for
    /// each claim.
    func check(_ claims: [LimitClaim], beside used: [Int128]) throws(LedgerError) {
        for ((claim, used), total) in zip(zip(claims, used), LimitClaim.totals(of: claims)) {
            let (sum, hasOverflown) = used.addingReportingOverflow(total)
            guard claim.amount >= 0, !hasOverflown, sum <= claim.maximum else {
                throw .limitExceeded(counter: claim.counter)
            }
        }
    }
}

extension LimitClaim {
    /// For each claim, the sum of the amounts of all claims on its counter and window.
    static func totals(of claims: [LimitClaim]) -> [Int128] {
        if claims.count == 1 { return claims.map(\.amount) }
        var sums: [String: [LimitWindow: Int128]] = [:]
        for claim in claims {
            let sum = sums[claim.counter]?[claim.window] ?? 0
            let (total, hasOverflown) = sum.addingReportingOverflow(claim.amount)
            sums[claim.counter, default: [:]][claim.window] = hasOverflown ? .max : total
        }
        return claims.map { sums[$0.counter]?[$0.window] ?? 0 }
    }
}

/// The use of a counter by one intent, as stored in the table.
struct LimitCharge: Hashable {
    let counter: String
    let amount: Int128

    /// One charge for each counter: the largest of the sums for its windows, as all windows of a
    /// counter see the same charges.
    static func charges(of claims: [LimitClaim]) -> [LimitCharge] {
        var largest: [String: Int128] = [:]
        for (claim, total) in zip(claims, LimitClaim.totals(of: claims)) {
            largest[claim.counter] = max(total, largest[claim.counter] ?? 0)
        }
        var seen: Set<String> = []
        return claims.filter { seen.insert($0.counter).inserted }.map { claim in
            LimitCharge(counter: claim.counter, amount: largest[claim.counter] ?? 0)
        }
    }
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
