// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// Finds for each operation one allow rule whose limits have room, and counts what it takes.
struct Coverage {
    private struct Charge {
        let place: Int
        /// What the ledger counts for each limit, before this request.
        let used: [Int128]
        /// The operations of this request that the rule covers.
        var operations: Int128
    }

    private let rules: [CompiledRule]
    private let time: Timestamp
    private var charges: [Charge] = []

    init(rules: [CompiledRule], time: Timestamp) {
        self.rules = rules
        self.time = time
    }

    /// The limits that the covered operations use up, sorted by rule id.
    var claims: [LimitClaim] {
        charges.filter { $0.operations > 0 }.sorted { $0.place < $1.place }.flatMap { charge in
            let compiled = rules[charge.place]
            return compiled.rule.limits.indices.map {
                compiled.claim(onLimit: $0, amount: charge.operations)
            }
        }
    }

    /// Charges the first of these rules with room, in order of id.
    ///
    /// Where none has room, the mildest `on_exceed` decides; nil where there is no rule.
    mutating func cover(
        _ allowing: [Int], _ usage: some LimitUsage
    ) throws(LedgerError) -> (effect: RuleEffect, reason: Reason)? {
        var mildest: CompiledRule?
        for place in allowing {
            let compiled = rules[place]
            if compiled.rule.limits.isEmpty { return (.allow, compiled.certain) }
            let index = try charge(of: place, usage)
            let needed = charges[index].operations + 1
            if compiled.hasRoom(for: needed, beside: charges[index].used) {
                charges[index].operations = needed
                return (.allow, compiled.certain)
            }
            if mildest.map({ compiled.rule.onExceed < $0.rule.onExceed }) ?? true {
                mildest = compiled
            }
        }
        return mildest.map { ($0.rule.onExceed, $0.exceeded) }
    }

    private mutating func charge(
        of place: Int, _ usage: some LimitUsage
    ) throws(LedgerError) -> Int {
        if let known = charges.firstIndex(where: { $0.place == place }) { return known }
        let used = try rules[place].used(usage, at: time)
        charges.append(Charge(place: place, used: used, operations: 0))
        return charges.count - 1
    }
}

extension CompiledRule {
    /// The share of one limit that some operations would use up.
    func claim(onLimit index: Int, amount: Int128) -> LimitClaim {
        let limit = rule.limits[index]
        return LimitClaim(
            counter: counters[index], windowSeconds: limit.seconds, maximum: Int128(limit.count),
            amount: amount)
    }

    /// What the ledger counts for each limit.
    func used(_ usage: some LimitUsage, at time: Timestamp) throws(LedgerError) -> [Int128] {
        var used: [Int128] = []
        for index in rule.limits.indices {
            used.append(try usage.used(claim(onLimit: index, amount: 1), at: time))
        }
        return used
    }

    /// Whether so many operations fit beside what is used.
    func hasRoom(for operations: Int128, beside used: [Int128]) -> Bool {
        zip(rule.limits, used).allSatisfy { limit, used in
            let (sum, overflow) = used.addingReportingOverflow(operations)
            return !overflow && sum <= Int128(limit.count)
        }
    }
}
