// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// Finds for each operation one allow rule whose limits have room, and counts its uses.
struct Coverage {
    /// One limit of one rule, counted for one scope.
    private struct Charge {
        let place: Int
        let limit: Int
        let claim: LimitClaim
        var amount: Int128
    }

    private let rules: [CompiledRule]
    private let time: Timestamp
    private var charges: [Charge] = []
    /// The amounts that earlier operations of this request take from each counter.
    private var pending: [String: Int128] = [:]

    init(rules: [CompiledRule], time: Timestamp) {
        self.rules = rules
        self.time = time
    }

    /// The claims of the covered operations on limits, sorted by rule id.
    ///
    /// Windows that coincide today, such as a day and a month on the first, make one claim: claims
    /// on one counter within one window would be added up.
    var claims: [LimitClaim] {
        var claims: [LimitClaim] = []
        for charge in charges.sorted(by: {
            ($0.place, $0.limit, $0.claim.counter) < ($1.place, $1.limit, $1.claim.counter)
        }) {
            let claim = charge.claim
            let known = claims.firstIndex {
                $0.counter == claim.counter && $0.window == claim.window
            }
            let maximum = min(claim.maximum, known.map { claims[$0].maximum } ?? .max)
            let merged = LimitClaim(
                counter: claim.counter, window: claim.window, maximum: maximum,
                amount: charge.amount)
            if let known { claims[known] = merged } else { claims.append(merged) }
        }
        return claims
    }

    /// The result for one operation.
    enum Result {
        /// A rule with room allows the operation.
        case covered(Reason)
        /// No rule has room; the mildest `on_exceed` decides.
        case exceeded(RuleEffect, Reason)
        /// No rule has room, so these rules do not apply.
        case usedUp([CompiledRule])
        /// There is no rule.
        case none
    }

    /// Charges the first of these rules with room, in order of id.
    mutating func cover(
        _ allowing: [Int], in view: FactView, _ usage: some LimitUsage
    ) throws(LedgerError) -> Result {
        var usedUp: [CompiledRule] = []
        for place in allowing {
            let compiled = rules[place]
            if compiled.limits.isEmpty { return .covered(compiled.certain) }
            let claims = compiled.limits.compactMap { $0.claim(in: view, at: time) }
            if try hasRoom(for: claims, usage) {
                charge(claims, to: place)
                return .covered(compiled.certain)
            }
            usedUp.append(compiled)
        }
        let exceeding = usedUp.compactMap { compiled in
            compiled.rule.onExceed.map { (effect: $0, compiled: compiled) }
        }
        if let mildest = exceeding.min(by: { $0.effect < $1.effect }) {
            return .exceeded(mildest.effect, mildest.compiled.exceeded)
        }
        return usedUp.isEmpty ? .none : .usedUp(usedUp)
    }

    private func hasRoom(
        for claims: [LimitClaim], _ usage: some LimitUsage
    ) throws(LedgerError) -> Bool {
        for claim in claims {
            let used = try usage.used(claim, at: time)
            let before = used.addingReportingOverflow(pending[claim.counter] ?? 0)
            let after = before.partialValue.addingReportingOverflow(claim.amount)
            guard !before.overflow, !after.overflow, after.partialValue <= claim.maximum else {
                return false
            }
        }
        return true
    }

    private mutating func charge(_ claims: [LimitClaim], to place: Int) {
        var counters: Set<String> = []
        for (limit, claim) in claims.enumerated() {
            if counters.insert(claim.counter).inserted {
                pending[claim.counter, default: 0] += claim.amount
            }
            let known = charges.firstIndex {
                $0.place == place && $0.limit == limit && $0.claim.counter == claim.counter
            }
            if let known {
                charges[known].amount += claim.amount
            } else {
                charges.append(
                    Charge(place: place, limit: limit, claim: claim, amount: claim.amount))
            }
        }
    }
}
