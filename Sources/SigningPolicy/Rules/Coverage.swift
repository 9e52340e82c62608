// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// Finds for each operation one allow rule whose limits have room, and counts its uses.
struct Coverage {
    /// One limit of one rule or budget, counted for one scope.
    private struct Charge {
        let place: Int
        let limit: Int
        let claim: LimitClaim
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
            // All limits of a counter see the same uses, those of a budget by several rules.
            let merged = LimitClaim(
                counter: claim.counter, window: claim.window, maximum: maximum,
                amount: pending[claim.counter] ?? 0)
            if let known { claims[known] = merged } else { claims.append(merged) }
        }
        return claims
    }

    /// The result for one operation.
    enum Result {
        /// A rule with room allows the operation.
        case covered(Reason)
        /// A used-up limit decides: a final budget; or, if no rule has room, an escalating budget
        /// or the mildest `on_exceed`.
        case exceeded(RuleEffect, Reason, [ApproverDemand])
        /// No rule has room, so these rules do not apply.
        case usedUp([CompiledRule])
        /// There is no rule.
        case none
    }

    /// Charges the first of these rules with room, in order of id.
    mutating func cover(
        _ allowing: [Int], in view: FactView, _ usage: some LimitUsage
    ) throws(LedgerError) -> Result {
        // A final budget denies even if another rule has room.
        for place in allowing where rules[place].hasFinalBudget {
            let full = try budgetsWithoutRoom(of: rules[place], in: view, usage)
            if let budget = full.first(where: \.isFinal) {
                return .exceeded(.deny, rules[place].exceeded(budget), [])
            }
        }
        var usedUp: [CompiledRule] = []
        for place in allowing {
            let compiled = rules[place]
            if compiled.limits.isEmpty { return .covered(compiled.certain) }
            let claims = compiled.limits.compactMap { $0.claim(in: view, at: time) }
            if try hasRoom(for: claims, usage) {
                var counters: Set<String> = []
                charge(claims, to: place, counted: &counters)
                return .covered(compiled.certain)
            }
            usedUp.append(compiled)
        }
        var escalating: (reason: Reason, demands: [ApproverDemand])?
        for compiled in usedUp {
            let full = try budgetsWithoutRoom(of: compiled, in: view, usage)
            for budget in full where budget.onExceed == .ask {
                escalating = escalating ?? (compiled.exceeded(budget), [])
                escalating?.demands += [budget.demand].compactMap { $0 }
            }
        }
        if let escalating { return .exceeded(.ask, escalating.reason, escalating.demands) }
        let exceeding = usedUp.compactMap { compiled in
            compiled.rule.onExceed.map { (effect: $0, compiled: compiled) }
        }
        if let mildest = exceeding.min(by: { $0.effect < $1.effect }) {
            return .exceeded(mildest.effect, mildest.compiled.exceeded, [])
        }
        return usedUp.isEmpty ? .none : .usedUp(usedUp)
    }

    /// Charges the budgets of the ask rules of one operation, for the case that a person agrees.
    ///
    /// Returns for each rule the budgets that have no room or cannot count the operation; if there
    /// are any, the rule charges nothing. A budget that several rules name is charged once.
    mutating func draw(
        _ places: [Int], in view: FactView, _ usage: some LimitUsage
    ) throws(LedgerError) -> [[PolicyBudget]] {
        var full: [[PolicyBudget]] = []
        for place in places {
            full.append(try budgetsWithoutRoom(of: rules[place], in: view, usage))
        }
        var counters: Set<String> = []
        for (place, _) in zip(places, full).filter({ $1.isEmpty }) {
            let claims = rules[place].limits.compactMap { $0.claim(in: view, at: time) }
            charge(claims, to: place, counted: &counters)
        }
        return full
    }

    private func budgetsWithoutRoom(
        of compiled: CompiledRule, in view: FactView, _ usage: some LimitUsage
    ) throws(LedgerError) -> [PolicyBudget] {
        var full: [PolicyBudget] = []
        for limit in compiled.limits {
            guard let budget = limit.budget, full.last?.name != budget.name else { continue }
            if let claim = limit.claim(in: view, at: time), try hasRoom(for: [claim], usage) {
                continue
            }
            full.append(budget)
        }
        return full
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

    /// Charges one operation; `counters` are those that it was counted in already.
    private mutating func charge(
        _ claims: [LimitClaim], to place: Int, counted counters: inout Set<String>
    ) {
        for (number, claim) in claims.enumerated() {
            if counters.insert(claim.counter).inserted {
                pending[claim.counter, default: 0] += claim.amount
            }
            let isKnown = charges.contains {
                $0.place == place && $0.limit == number && $0.claim.counter == claim.counter
            }
            if !isKnown { charges.append(Charge(place: place, limit: number, claim: claim)) }
        }
    }
}
