// SPDX-License-Identifier: Apache-2.0
public import SigningCore

extension TOMLPolicy {
    /// Judges a request and reports the result of every rule.
    public func explain(
        _ request: JudgedRequest, usage: some LimitUsage
    ) throws(LedgerError) -> PolicyExplanation {
        let decision = try decide(request, usage: usage)
        let common = FactView(of: request, in: slots)
        var traces: [RuleTrace] = []
        if request.operations.isEmpty {
            let subject = Subject(request: request, number: nil, operation: nil, view: common)
            try trace(subject, usage, &traces)
        }
        for (number, operation) in request.operations.enumerated() {
            let view = common.entering(operation, of: request, in: slots)
            let subject = Subject(
                request: request, number: number, operation: operation, view: view)
            try trace(subject, usage, &traces)
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

    /// The request and the operation that the rules are applied to.
    private struct Subject {
        let request: JudgedRequest
        let number: Int?
        let operation: RequestedOperation?
        let view: FactView
    }

    private func trace(
        _ subject: Subject, _ usage: some LimitUsage, _ traces: inout [RuleTrace]
    ) throws(LedgerError) {
        for compiled in rules {
            let (state, fires) = state(of: compiled, subject)
            var limits: [LimitTrace] = []
            if state == .matched, !compiled.rule.limits.isEmpty {
                limits = try compiled.traces(subject.view, usage, at: subject.request.time)
            }
            traces.append(
                RuleTrace(
                    rule: compiled.rule.id, effect: compiled.rule.effect.rawValue,
                    line: compiled.rule.position.line, operation: subject.number, state: state,
                    fires: fires, limits: limits))
        }
    }

    private func state(
        of compiled: CompiledRule, _ subject: Subject
    ) -> (state: RuleTrace.State, fires: Bool) {
        if !compiled.rule.isInForce(for: subject.request) {
            return (compiled.rule.inactiveState(in: subject.request), false)
        }
        let view = subject.view
        for test in compiled.conditions
        where test.truth(in: view) == .no {
            return (
                .unmatched(
                    field: test.condition.field.name,
                    actual: test.condition.field.shown(view[test.slot]),
                    wanted: test.condition.wanted(test.reading)),
                false
            )
        }
        let match = compiled.match(in: view)
        switch match {
        case .no: return (.excepted, false)
        case .unknown:
            let fields = compiled.unknownFields(in: view)
            return (.unknown(fields: fields), compiled.fires(on: match))
        case .yes:
            guard compiled.rule.effect == .allow else { return (.matched, true) }
            let dangers = subject.request.dangers(of: subject.operation)
            let missing = compiled.unacknowledged(of: dangers)
            return missing.isEmpty ? (.matched, true) : (.unacknowledged(missing), false)
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

extension CompiledRule {
    /// The fields that make the match uncertain, in the order of the file.
    fileprivate func unknownFields(in view: FactView) -> [String] {
        let conditions = (conditions + (exception ?? [])).filter {
            $0.truth(in: view) == .unknown
        }
        return conditions.map(\.condition.field.name)
            + limits.flatMap { $0.missingFields(in: view) }
    }

    /// The state of each limit that can count the operation.
    func traces(
        _ view: FactView, _ usage: some LimitUsage, at time: Timestamp
    ) throws(LedgerError) -> [LimitTrace] {
        var traces: [LimitTrace] = []
        for compiled in limits {
            guard let claim = compiled.claim(in: view, at: time) else { continue }
            let used = try usage.used(claim, at: time)
            traces.append(LimitTrace(compiled, claim, used: used, at: time))
        }
        return traces
    }
}
