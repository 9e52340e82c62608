// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// A judgement, and whether the default contributed to it.
struct Decision {
    let judgement: Judgement
    let usedDefault: Bool
}

extension TOMLPolicy {
    /// Judges every operation; the strongest verdict wins.
    func decide(
        _ request: JudgedRequest, usage: some LimitUsage
    ) throws(LedgerError) -> Decision {
        var ballot = Ballot()
        let found = try matches(for: request, &ballot, usage)
        // A denial by a rule does not depend on the limits.
        guard ballot.strongest != .deny else {
            return Decision(judgement: judgement(by: ballot), usedDefault: false)
        }
        var coverage = Coverage(rules: rules, time: request.time)
        var undecided: [Int] = []
        for (number, matches) in found.enumerated()
        where try isUndecided(matches, &ballot, &coverage, usage) { undecided.append(number) }
        return Decision(
            judgement: judgement(
                by: ballot, claims: coverage.claims, undecided: undecided,
                acknowledged: found.map(\.dangers),
                delay: coverage.delay,
                budgets: ballot.strongest == .ask ? try coverage.budgetLines(usage) : []),
            usedDefault: !undecided.isEmpty)
    }

    /// Collects the votes of limits and of the default on one operation, and charges it.
    ///
    /// Returns true if only the default decides it.
    func isUndecided(
        _ matches: Matches, _ ballot: inout Ballot, _ coverage: inout Coverage,
        _ usage: some LimitUsage
    ) throws(LedgerError) -> Bool {
        let overdrawn = try coverage.begin(matches.capped, in: matches.view, usage)
        for shortage in overdrawn { ballot.add(.deny, shortage.reason) }
        guard overdrawn.isEmpty else { return false }
        // A used-up budget makes an ask rule as strict as the default, never milder: it must not
        // vanish beside a rule that allows.
        for short in try coverage.draw(matches.asking, in: matches.view, usage) {
            ballot.add(short.budget.onExceed ?? max(.ask, document.fallback), short.reason)
            if let demand = short.budget.demand { ballot.add(demand) }
        }
        var reasons = matches.unacknowledgedReasons(defaultVerdict: document.fallback)
        // In version 1, an ask rule does not soften a limit that is used up.
        let isTrial = matches.isAskedAbout && document.version > 1
        switch try coverage.cover(matches.allowing, isTrial: isTrial, in: matches.view, usage) {
        case .covered(let why):
            ballot.add(.allow, why)
            return false
        case .exceeded(let effect, let why, let demands):
            ballot.add(effect, why)
            for demand in demands { ballot.add(demand) }
            return false
        case .usedUp(let rules):
            reasons = matches.usedUpReasons(rules, defaultVerdict: document.fallback)
        case .none: break
        }
        if reasons.isEmpty, !matches.isAskedAbout { reasons = [uncovered] }
        let effect = matches.isAskedAbout ? .ask : document.fallback
        for reason in reasons { ballot.add(effect, reason) }
        return !matches.isAskedAbout
    }

    /// The rules that match each operation; deny and ask rules vote on the ballot at once.
    func matches(
        for request: JudgedRequest, _ ballot: inout Ballot, _ usage: some LimitUsage
    ) throws(LedgerError) -> [Matches] {
        let bucket = index.bucket(for: request, of: rules)
        let common = FactView(of: request, in: slots)
        guard !request.operations.isEmpty else {
            return [matches(bucket, in: common, request, of: nil, &ballot)]
        }
        guard slots.seesBatches || !slots.firstUses.isEmpty else {
            return request.operations.map { operation in
                let view = common.entering(operation, of: request, in: slots)
                return matches(bucket, in: view, request, of: operation, &ballot)
            }
        }
        var views = request.operations.map { common.entering($0, of: request, in: slots) }
        for (place, operation) in request.operations.enumerated() {
            ballot.add(try views[place].meet(operation, at: request.time, in: slots, usage))
        }
        return zip(request.operations, views).map { operation, view in
            matches(bucket, in: view.among(views), request, of: operation, &ballot)
        }
    }

    private func matches(
        _ bucket: RuleBucket, in view: FactView, _ request: JudgedRequest,
        of operation: RequestedOperation?, _ ballot: inout Ballot
    ) -> Matches {
        let dangers = request.dangers(of: operation)
        var matches = Matches(dangers: dangers, view: view)
        for place in bucket.candidates(in: view) {
            let compiled = rules[place]
            let match = compiled.match(in: view)
            guard compiled.fires(on: match), compiled.rule.isInForce(for: request) else { continue }
            if compiled.hasFinalBudget { matches.capped.append(place) }
            switch compiled.rule.effect {
            case .deny, .ask:
                matches.isAskedAbout = true
                ballot.add(
                    compiled.rule.effect, match == .yes ? compiled.certain : compiled.uncertain)
                if let demand = compiled.rule.demand { ballot.add(demand) }
                if !compiled.limits.isEmpty { matches.asking.append(place) }
            case .allow:
                let missing = compiled.unacknowledged(of: dangers)
                if missing.isEmpty {
                    matches.allowing.append(place)
                } else {
                    matches.unacknowledged.append(missing)
                }
            }
        }
        // Where several rules allow an operation, the shortest delay counts.
        if matches.allowing.count > 1, hasDelays {
            matches.allowing.sort { (rules[$0].rule.delay, $0) < (rules[$1].rule.delay, $1) }
        }
        return matches
    }

    private func judgement(
        by ballot: Ballot, claims: [LimitClaim] = [], undecided: [Int] = [],
        acknowledged: [[Danger]] = [], delay: Int64 = 0, budgets: [String] = []
    ) -> Judgement {
        switch ballot.strongest {
        case .allow:
            return Judgement(
                verdict: .allow(ballot.reasons), claims: claims, acknowledged: acknowledged,
                delay: delay, newCounterparties: ballot.newCounterparties, policyHash: hash)
        case .ask:
            // If a rule or a used-up limit asks too, a grant does not replace the person's answer.
            let isOpen = ballot.reasons.allSatisfy { $0.rule == nil }
            return Judgement(
                verdict: .ask(ballot.reasons),
                claims: isOpen || document.version > 1 ? claims : [],
                undecided: isOpen ? undecided : [], demands: ballot.demands, budgets: budgets,
                newCounterparties: ballot.newCounterparties, policyHash: hash)
        case .deny:
            return Judgement(
                verdict: .deny(ballot.reasons), claims: [],
                newCounterparties: ballot.newCounterparties, policyHash: hash)
        }
    }
}

/// The rules that match one operation.
struct Matches {
    let dangers: [Danger]
    let view: FactView
    /// The indices of the allow rules that cover the operation, sorted by delay, then by id.
    var allowing: [Int] = []
    /// The indices of the ask rules that draw on budgets, sorted by id.
    var asking: [Int] = []
    /// The indices of the rules that draw on final budgets, sorted by id, also of allow rules that
    /// do not acknowledge a danger.
    var capped: [Int] = []
    /// For each allow rule that matches but does not cover the operation: the dangers that it does
    /// not acknowledge.
    var unacknowledged: [[Danger]] = []
    /// True if an ask or deny rule matched.
    var isAskedAbout = false

    init(dangers: [Danger], view: FactView) {
        self.dangers = dangers
        self.view = view
    }

    /// The reasons if only limits keep these rules from applying.
    ///
    /// They name the rules, so that neither a remembered answer nor the right to disconnect
    /// replaces a limit.
    func usedUpReasons(_ rules: [CompiledRule], defaultVerdict: RuleEffect) -> [Reason] {
        let ending = isAskedAbout ? "" : "; the default is to \(defaultVerdict.rawValue)"
        return rules.map { Reason(.limitExceeded, $0.exceeded.text + ending, rule: $0.rule.id) }
    }

    /// The reason if only dangers keep allow rules from covering the operation.
    func unacknowledgedReasons(defaultVerdict: RuleEffect) -> [Reason] {
        guard !unacknowledged.isEmpty else { return [] }
        let unmatched = dangers.filter { danger in
            unacknowledged.allSatisfy { $0.contains(danger) }
        }
        let names = (unmatched.isEmpty ? dangers : unmatched).map { "\"\($0.name)\"" }
        let subject = unmatched.isEmpty ? "no single rule" : "no rule"
        let ending = isAskedAbout ? "" : "; the default is to \(defaultVerdict.rawValue)"
        let text = "\(subject) that allows this acknowledges \(names.joined(separator: ", "))"
        return [Reason(.policyDenied, text + ending)]
    }
}

/// Collects the verdicts of rules and the default; the strongest wins, with its reasons.
struct Ballot {
    private(set) var strongest = RuleEffect.allow
    private(set) var reasons: [Reason] = []
    /// The demands for approvers, once for each rule.
    private(set) var demands: [ApproverDemand] = []
    /// The counterparties that are new, once each, up to a bound.
    private(set) var newCounterparties: [Counterparty] = []

    mutating func add(_ new: [Counterparty]) {
        for party in new
        where newCounterparties.count < Counterparty.newMax && !newCounterparties.contains(party) {
            newCounterparties.append(party)
        }
    }

    mutating func add(_ demand: ApproverDemand) {
        if !demands.contains(demand) { demands.append(demand) }
    }

    mutating func add(_ effect: RuleEffect, _ reason: Reason) {
        if effect > strongest {
            strongest = effect
            reasons = []
        }
        if effect == strongest, !reasons.contains(reason) { reasons.append(reason) }
    }
}
