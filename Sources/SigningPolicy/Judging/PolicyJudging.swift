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
        let found = matches(for: request, &ballot)
        // A denial by a rule does not depend on the limits.
        guard ballot.strongest != .deny else {
            return decision(ballot, claims: [], undecided: [], acknowledged: [])
        }
        let drawn = try drawn(by: found, &ballot, at: request.time, usage)
        var coverage = Coverage(rules: rules, time: request.time)
        var undecided: [Int] = []
        // An allow rule is a candidate only if it covers every danger of its operation.
        let acknowledged = found.map(\.dangers)
        for (number, matches) in found.enumerated() {
            var reasons = matches.unacknowledgedReasons(defaultVerdict: document.fallback)
            switch try coverage.cover(matches.allowing, in: matches.view, usage) {
            case .covered(let why):
                ballot.add(.allow, why)
                continue
            // In version 1, an ask rule does not soften a limit that is used up.
            case .exceeded(let effect, let why, let demands):
                ballot.add(effect, why)
                for demand in demands { ballot.add(demand) }
                continue
            case .usedUp(let rules):
                reasons = matches.usedUpReasons(rules, defaultVerdict: document.fallback)
            case .none: break
            }
            if !matches.isAskedAbout {
                undecided.append(number)
                if reasons.isEmpty { reasons = [uncovered] }
            }
            let effect = matches.isAskedAbout ? .ask : document.fallback
            for reason in reasons { ballot.add(effect, reason) }
        }
        return decision(
            ballot, claims: coverage.claims, drawn: drawn, undecided: undecided,
            acknowledged: acknowledged)
    }

    /// The claims of ask rules on budgets, and the state of these budgets in words.
    private struct Drawn {
        var claims: [LimitClaim] = []
        var lines: [String] = []
    }

    /// Charges the budgets of ask rules.
    ///
    /// A used-up budget makes an ask rule as strict as the default, never milder: it must not
    /// vanish beside a rule that allows.
    private func drawn(
        by found: [Matches], _ ballot: inout Ballot, at time: Timestamp, _ usage: some LimitUsage
    ) throws(LedgerError) -> Drawn {
        var drawn = Drawn()
        guard found.contains(where: { !$0.drawing.isEmpty }) else { return drawn }
        var coverage = Coverage(rules: rules, time: time)
        for matches in found {
            let full = try coverage.draw(matches.drawing, in: matches.view, usage)
            for (place, budgets) in zip(matches.drawing, full) {
                let compiled = rules[place]
                for budget in budgets {
                    ballot.add(
                        budget.onExceed ?? max(.ask, document.fallback), compiled.exceeded(budget))
                    if let demand = budget.demand { ballot.add(demand) }
                }
                for trace in try compiled.traces(matches.view, usage, at: time)
                where !drawn.lines.contains(trace.summary) { drawn.lines.append(trace.summary) }
            }
        }
        drawn.claims = coverage.claims
        return drawn
    }

    /// The rules that match each operation; deny and ask rules vote on the ballot at once.
    private func matches(for request: JudgedRequest, _ ballot: inout Ballot) -> [Matches] {
        let bucket = index.bucket(for: request, of: rules)
        let common = FactView(of: request, in: slots)
        guard !request.operations.isEmpty else {
            return [matches(bucket, in: common, request, of: nil, &ballot)]
        }
        return request.operations.map { operation in
            let view = common.entering(operation, of: request, in: slots)
            return matches(bucket, in: view, request, of: operation, &ballot)
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
            switch compiled.rule.effect {
            case .deny, .ask:
                matches.isAskedAbout = true
                ballot.add(
                    compiled.rule.effect, match == .yes ? compiled.certain : compiled.uncertain)
                if let demand = compiled.rule.demand { ballot.add(demand) }
                if !compiled.limits.isEmpty { matches.drawing.append(place) }
            case .allow:
                let missing = compiled.unacknowledged(of: dangers)
                if missing.isEmpty {
                    matches.allowing.append(place)
                } else {
                    matches.unacknowledged.append(missing)
                }
            }
        }
        return matches
    }

    private func decision(
        _ ballot: Ballot, claims: [LimitClaim], drawn: Drawn = Drawn(), undecided: [Int],
        acknowledged: [[Danger]]
    ) -> Decision {
        let verdict: Verdict
        switch ballot.strongest {
        case .allow: verdict = .allow(ballot.reasons)
        case .ask: verdict = .ask(ballot.reasons)
        case .deny: verdict = .deny(ballot.reasons)
        }
        // If a rule or a used-up limit asks too, a grant does not replace the person's answer.
        let isOpen = ballot.strongest == .ask && ballot.reasons.allSatisfy { $0.rule == nil }
        let judgement = Judgement(
            verdict: verdict, claims: isOpen || ballot.strongest == .allow ? claims : [],
            undecided: isOpen ? undecided : [],
            acknowledged: ballot.strongest == .allow ? acknowledged : [],
            demands: ballot.strongest == .ask ? ballot.demands : [],
            askedClaims: ballot.strongest == .ask ? drawn.claims : [],
            budgets: ballot.strongest == .ask ? drawn.lines : [], policyHash: hash)
        return Decision(judgement: judgement, usedDefault: !undecided.isEmpty)
    }
}

/// The rules that match one operation.
struct Matches {
    let dangers: [Danger]
    let view: FactView
    /// The indices of the allow rules that cover the operation, sorted by id.
    var allowing: [Int] = []
    /// The indices of the ask rules that draw on budgets, sorted by id.
    var drawing: [Int] = []
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
