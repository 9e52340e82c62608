// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// Finds for each operation one allow rule whose limits have room, and counts the uses of limits.
struct Coverage {
    /// A limit that the request is charged to, counted for one scope.
    private struct Charge {
        let limit: CompiledLimit
        /// The maximum is what `usedByName` leaves of the limit's.
        let claim: LimitClaim
        let usedByName: Int128
    }

    /// A budget without room for an operation.
    struct Shortage {
        let budget: PolicyBudget
        let reason: Reason
        /// The state of the budget for the person who is asked.
        let line: String
    }

    private let rules: [CompiledRule]
    private let time: Timestamp
    private var charges: [Charge] = []
    /// The amounts that the operations so far take from each counter.
    private(set) var pending: [String: Int128] = [:]
    /// The counters that count the current operation already.
    private var counted: Set<String> = []
    /// The longest delay of the rules that cover the operations, in seconds.
    private(set) var delay: Int64 = 0
    /// The budgets that do not count an operation although a person may approve it, in words.
    private var uncounted: [String] = []

    init(rules: [CompiledRule], time: Timestamp) {
        self.rules = rules
        self.time = time
    }

    /// The claims of the operations on limits, each with the amounts of all operations.
    var claims: [LimitClaim] { charges.map { total($0.claim) } }

    /// All limits of a counter see the same uses, those of a budget by several rules.
    private func total(_ claim: LimitClaim) -> LimitClaim {
        LimitClaim(
            counter: claim.counter, window: claim.window, maximum: claim.maximum,
            amount: pending[claim.counter] ?? 0)
    }

    /// The effect of a yes on each budget, in words.
    func budgetLines(_ usage: some LimitUsage) throws(LedgerError) -> [String] {
        var lines: [String] = []
        for charge in charges where charge.limit.budget != nil {
            let used = try usage.used(charge.claim, at: time)
            lines.append(
                LimitTrace(
                    charge.limit, total(charge.claim), used: used, byName: charge.usedByName,
                    at: time
                ).question)
        }
        return lines + uncounted
    }

    /// The result for one operation.
    enum Result {
        /// A rule with room allows the operation.
        case covered(Reason)
        /// A used-up limit decides: if no rule has room, an escalating budget or the mildest
        /// `on_exceed`.
        case exceeded(RuleEffect, Reason, [ApproverDemand])
        /// No rule has room, so these rules do not apply.
        case usedUp([CompiledRule])
        /// There is no rule.
        case none
    }

    /// Begins the next operation and charges the final budgets of the rules that match it.
    ///
    /// They count it however it is approved. Returns those that have no room for it.
    mutating func begin(
        _ places: [Int], in view: FactView, _ usage: some LimitUsage
    ) throws(LedgerError) -> [Shortage] {
        counted = []
        return try draw(places, isFinal: true, in: view, usage)
    }

    /// Charges the budgets of these rules that have room for the operation, for the case that a
    /// person agrees; returns the others.
    ///
    /// A budget counts an operation once, also if several rules draw on it.
    mutating func draw(
        _ places: [Int], isFinal: Bool = false, in view: FactView, _ usage: some LimitUsage
    ) throws(LedgerError) -> [Shortage] {
        var short: [Shortage] = []
        for place in places {
            for budget in rules[place].rule.budgets where budget.isFinal == isFinal {
                guard !short.contains(where: { $0.budget.name == budget.name }),
                    try !charge(place, budget, in: view, usage)
                else { continue }
                short.append(try shortage(of: budget, place, in: view, usage))
            }
        }
        for line in short.map(\.line) where !uncounted.contains(line) { uncounted.append(line) }
        return short
    }

    private func shortage(
        of budget: PolicyBudget, _ place: Int, in view: FactView, _ usage: some LimitUsage
    ) throws(LedgerError) -> Shortage {
        let missing = rules[place].limits.filter { $0.budget?.name == budget.name }
            .flatMap { $0.missingFields(in: view) }
        let reason = rules[place].exceeded(budget, missing)
        let full = try traces(of: place, in: view, usage).first {
            $0.budget == budget.name && $0.asked > $0.left
        }
        let line = missing.isEmpty ? full?.question : nil
        return Shortage(budget: budget, reason: reason, line: line ?? reason.text)
    }

    /// The state of each limit of a rule that can count the operation, before it is charged.
    func traces(
        of place: Int, in view: FactView, _ usage: some LimitUsage
    ) throws(LedgerError) -> [LimitTrace] {
        var traces: [LimitTrace] = []
        for limit in rules[place].limits {
            guard let claim = limit.claim(in: view, at: time) else { continue }
            let byName = try usedByName(limit, in: view, usage)
            traces.append(
                LimitTrace(
                    limit, claim.leaving(byName), used: try usage.used(claim, at: time),
                    byName: byName, earlier: pending[claim.counter] ?? 0, at: time))
        }
        return traces
    }

    /// The amount that the record counts under the name of the operation's key.
    private func usedByName(
        _ limit: CompiledLimit, in view: FactView, _ usage: some LimitUsage
    ) throws(LedgerError) -> Int128 {
        guard let claim = limit.claimByName(in: view, at: time) else { return 0 }
        return max(0, try usage.usedByName(claim, at: time))
    }

    /// Charges the first of these rules with room.
    ///
    /// With `isTrial` it is only found: if an ask rule matches as well, a person decides.
    mutating func cover(
        _ allowing: [Int], isTrial: Bool, in view: FactView, _ usage: some LimitUsage
    ) throws(LedgerError) -> Result {
        var usedUp: [Int] = []
        for place in allowing {
            if try charge(place, isTrial: isTrial, in: view, usage) {
                delay = max(delay, rules[place].rule.delay)
                return .covered(rules[place].certain)
            }
            usedUp.append(place)
        }
        var escalating: (reason: Reason, demands: [ApproverDemand])?
        for place in usedUp {
            var drawn = self
            let short = try drawn.draw([place], in: view, usage).filter {
                $0.budget.onExceed == .ask
            }
            guard let first = short.first else { continue }
            self = drawn
            escalating = escalating ?? (first.reason, [])
            escalating?.demands += short.compactMap(\.budget.demand)
        }
        if let escalating { return .exceeded(.ask, escalating.reason, escalating.demands) }
        let exceeding = usedUp.map { rules[$0] }.compactMap { compiled in
            compiled.rule.onExceed.map { (effect: $0, compiled: compiled) }
        }
        if let mildest = exceeding.min(by: { $0.effect < $1.effect }) {
            return .exceeded(mildest.effect, mildest.compiled.exceeded, [])
        }
        return usedUp.isEmpty ? .none : .usedUp(usedUp.map { rules[$0] })
    }

    /// Charges one operation to the limits of a rule, or to those of one of its budgets.
    ///
    /// Returns false, and charges nothing, if one of them has no room or cannot count it.
    private mutating func charge(
        _ place: Int, _ budget: PolicyBudget? = nil, isTrial: Bool = false, in view: FactView,
        _ usage: some LimitUsage
    ) throws(LedgerError) -> Bool {
        var added: [Charge] = []
        for limit in rules[place].limits
        where budget == nil || limit.budget?.name == budget?.name {
            guard let whole = limit.claim(in: view, at: time) else { return false }
            guard !counted.contains(whole.counter) else { continue }
            let byName = try usedByName(limit, in: view, usage)
            let claim = whole.leaving(byName)
            // A lowered limit may be overused: then it has no room for an amount of 0 either.
            // Neither sum can overflow: uses are never negative.
            let used = try usage.used(claim, at: time)
            guard used <= claim.maximum, claim.amount <= claim.maximum - used,
                pending[claim.counter] ?? 0 <= claim.maximum - used - claim.amount
            else { return false }
            added.append(Charge(limit: limit, claim: claim, usedByName: byName))
        }
        for charge in added where !isTrial {
            if counted.insert(charge.claim.counter).inserted {
                pending[charge.claim.counter, default: 0] += charge.claim.amount
            }
            // Windows that coincide today, such as a day and a month on the first, make one claim:
            // claims on one counter within one window would be added up.
            let known = charges.firstIndex {
                $0.claim.counter == charge.claim.counter && $0.claim.window == charge.claim.window
            }
            if let known, charges[known].claim.maximum <= charge.claim.maximum { continue }
            if let known { charges[known] = charge } else { charges.append(charge) }
        }
        return true
    }
}

extension LimitClaim {
    /// The claim after other uses of its limit, which another counter has.
    fileprivate func leaving(_ used: Int128) -> LimitClaim {
        guard used > 0 else { return self }
        // Neither is negative, so the difference cannot overflow.
        return LimitClaim(
            counter: counter, window: window, maximum: maximum - used, amount: amount)
    }
}
