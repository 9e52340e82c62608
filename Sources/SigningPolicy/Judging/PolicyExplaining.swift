// SPDX-License-Identifier: Apache-2.0
public import SigningCore

extension TOMLPolicy {
    /// Judges a request and reports the result of every rule.
    public func explain(
        _ request: JudgedRequest, usage: some LimitUsage
    ) throws(LedgerError) -> PolicyExplanation {
        let decision = try decide(request, usage: usage)
        var ballot = Ballot()
        var coverage = Coverage(rules: rules, time: request.time)
        var traces: [RuleTrace] = []
        for (number, matches) in try matches(for: request, &ballot, usage).enumerated() {
            let subject = Subject(
                request: request, number: request.operations.isEmpty ? nil : number,
                matches: matches, deciding: decision.judgement.verdict.reasons.compactMap(\.rule))
            for place in rules.indices {
                traces.append(try trace(place, subject, coverage, usage))
            }
            // The limits of later operations count this one.
            _ = try isUndecided(matches, &ballot, &coverage, usage)
        }
        return PolicyExplanation(
            judgement: decision.judgement, rules: traces,
            dangers: dangers(of: request, traces), usedDefault: decision.usedDefault,
            file: fileName)
    }

    private func dangers(of request: JudgedRequest, _ traces: [RuleTrace]) -> [DangerTrace] {
        request.allDangers.map { danger in
            let matching = traces.filter { trace in
                switch trace.state {
                case .matched, .unacknowledged: trace.effect == RuleEffect.allow.rawValue
                default: false
                }
            }
            let ids = Set(matching.map(\.rule))
            return DangerTrace(
                danger: danger,
                acknowledgedBy: rules.map(\.rule).filter {
                    ids.contains($0.id) && $0.covers(danger)
                }.map(\.id))
        }
    }

    /// One operation with the rules that match it.
    private struct Subject {
        let request: JudgedRequest
        let number: Int?
        let matches: Matches
        /// The ids of the rules that decided the request.
        let deciding: [String]
    }

    private func trace(
        _ place: Int, _ subject: Subject, _ coverage: Coverage, _ usage: some LimitUsage
    ) throws(LedgerError) -> RuleTrace {
        let rule = rules[place].rule
        let (state, fires) = state(of: rules[place], subject)
        return RuleTrace(
            rule: rule.id, effect: rule.effect.rawValue, line: rule.position.line,
            operation: subject.number, state: state, fires: fires,
            limits: fires ? try coverage.traces(of: place, in: subject.matches.view, usage) : [])
    }

    private func state(
        of compiled: CompiledRule, _ subject: Subject
    ) -> (state: RuleTrace.State, fires: Bool) {
        if !compiled.rule.isInForce(for: subject.request) {
            return (compiled.rule.inactiveState(in: subject.request), false)
        }
        let view = subject.matches.view
        for test in compiled.conditions
        where test.truth(in: view) == .no {
            return (
                .unmatched(
                    field: test.condition.field.name,
                    actual: test.condition.shownField.shown(view[test.slot]),
                    wanted: test.condition.wanted(test.reading)),
                false
            )
        }
        if let failed = compiled.batch.first(where: { $0.truth(in: view) == .no }) {
            return (failed.state, false)
        }
        let match = compiled.match(in: view)
        switch match {
        case .no: return (.excepted, false)
        case .unknown:
            let fields = compiled.unknownFields(in: view)
            return (.unknown(fields: fields), compiled.fires(on: match))
        case .yes:
            guard compiled.rule.effect == .allow else { return (.matched, true) }
            let missing = compiled.unacknowledged(of: subject.matches.dangers)
            guard !missing.isEmpty else { return (.matched, true) }
            // A final budget of the rule may deny anyway.
            return (.unacknowledged(missing), subject.deciding.contains(compiled.rule.id))
        }
    }
}

extension PolicyRule {
    /// The reason that the rule is not in force.
    fileprivate func inactiveState(in request: JudgedRequest) -> RuleTrace.State {
        if isExpired(at: request.time) { return .expired }
        if request.isClockBehind { return .clockBehind }
        return .closed(until: schedule?.nextOpening(after: request.time))
    }
}

extension CompiledRule.Batch {
    /// The reason that a rule with this condition does not match.
    fileprivate var state: RuleTrace.State {
        .unmatchedBatch(quantifier.rawValue, fields: tests.map(\.condition.field.name))
    }
}

extension CompiledRule {
    /// The fields that make the match uncertain, in the order of the file.
    fileprivate func unknownFields(in view: FactView) -> [String] {
        let tests = (conditions + exceptions.flatMap(\.tests)).filter {
            $0.truth(in: view) == .unknown
        }
        let open = batch.filter { $0.truth(in: view) == .unknown }.map(\.quantifier.rawValue)
        let isTimeOpen = exceptions.contains { $0.scheduleTruth(in: view) == .unknown }
        return tests.map(\.condition.field.name) + open
            + (isTimeOpen ? [EngineFact.time.rawValue] : [])
            + limits.flatMap { $0.missingFields(in: view) }
    }
}
