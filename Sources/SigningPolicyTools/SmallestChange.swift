// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// The single change after which a request would be allowed.
package enum SmallestChange: Hashable, Sendable {
    /// Another value of a field of one operation, counted from 1; nil for a request with one
    /// operation.
    case fact(name: String, wanted: String, actual: String, operation: Int?)
    /// The request without a danger.
    case withoutDanger(Danger)
    /// The request, repeated at this time.
    case later(Timestamp)
    /// A rule that also acknowledges a danger.
    case acknowledged(rule: String, Danger)

    /// The most rules that are tried with a further danger, as each takes a new policy.
    private static let changedRulesMax = 64

    /// The change for people.
    package var text: String {
        switch self {
        case .fact(let name, let wanted, let actual, let operation):
            "if \(name)\(operation.map { " of operation \($0)" } ?? "") were \(wanted) "
                + "(it is \(actual))"
        case .withoutDanger(let danger): "without the danger \(danger)"
        case .later(let time): "at \(time.utcText)"
        case .acknowledged(let rule, let danger):
            "if the rule \"\(rule)\" acknowledged \"\(danger)\""
        }
    }

    /// The smallest change found; nil if the request is allowed or no single change is enough.
    package static func find(
        for request: JudgedRequest, _ policy: TOMLPolicy, usage: some LimitUsage
    ) -> SmallestChange? {
        guard let verdict = try? policy.judge(request, usage: usage).verdict,
            verdict.effect != .allow
        else { return nil }
        return laterTime(request, policy, usage) ?? fact(request, policy, usage)
            ?? danger(request, policy, usage) ?? acknowledgement(request, policy, usage)
    }

    private static func isAllowed(
        _ request: JudgedRequest, _ policy: TOMLPolicy, _ usage: some LimitUsage
    ) -> Bool {
        (try? policy.judge(request, usage: usage).verdict.effect) == .allow
    }

    /// The first moment at which limits have room and schedules are open.
    private static func laterTime(
        _ request: JudgedRequest, _ policy: TOMLPolicy, _ usage: some LimitUsage
    ) -> SmallestChange? {
        var moments: Set<Int64> = []
        let now = request.time
        let rules = policy.document.rules
        // Rules often share their hours, and finding the next change of hours takes long.
        for schedule in Set(rules.compactMap(\.schedule)) {
            if let opening = schedule.nextOpening(after: now) { moments.insert(opening.seconds) }
        }
        // A rule that denies is excepted from then on, a rule that allows no longer.
        for isOpen in [true, false] {
            let exceptions = rules.filter { ($0.effect != .allow) == isOpen }.flatMap(\.exceptions)
            for schedule in Set(exceptions.compactMap(\.schedule)) {
                let change = schedule.next(open: isOpen, after: now)
                if let change { moments.insert(change.seconds) }
            }
        }
        for seconds in Set(rules.flatMap(\.allConditions).flatMap(\.firstUseSeconds)) {
            let (end, hasOverflown) = now.seconds.addingReportingOverflow(seconds)
            guard !hasOverflown else { continue }
            moments.insert(firstMoment(request, policy, usage, before: end) ?? end)
        }
        for window in Set(rules.flatMap(\.limits).map(\.window)) {
            if let end = window.end(at: now) { moments.insert(end.seconds) }
            guard case .sliding(let seconds) = window else { continue }
            let (end, hasOverflown) = now.seconds.addingReportingOverflow(seconds)
            if !hasOverflown {
                moments.insert(firstMoment(request, policy, usage, before: end) ?? end)
            }
        }
        for moment in moments.sorted() where moment > now.seconds {
            let time = Timestamp(seconds: moment)
            if isAllowed(request.at(time), policy, usage) { return .later(time) }
        }
        return nil
    }

    /// Bisects for the first moment: within a sliding window the used amount only falls, and
    /// counterparties only become known for longer.
    private static func firstMoment(
        _ request: JudgedRequest, _ policy: TOMLPolicy, _ usage: some LimitUsage,
        before end: Int64
    ) -> Int64? {
        guard isAllowed(request.at(Timestamp(seconds: end)), policy, usage) else { return nil }
        var low = request.time.seconds
        var high = end
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if isAllowed(request.at(Timestamp(seconds: middle)), policy, usage) {
                high = middle
            } else {
                low = middle
            }
        }
        return high
    }

    private static func fact(
        _ request: JudgedRequest, _ policy: TOMLPolicy, _ usage: some LimitUsage
    ) -> SmallestChange? {
        let rules = policy.document.rules.filter { $0.mayMatch(request.protocolID, request.method) }
        let space = RequestSpace(
            rules, protocolID: request.protocolID, method: request.method,
            own: request.ownAddresses, time: request.time, policy.vocabulary)
        var best: (cost: Int128, change: SmallestChange)?
        for number in request.operations.indices {
            for field in space.spaces
            where !SyntheticFields.names.contains(field.field.name)
                && FirstUseField.base(of: field.field.name) == nil
            {
                let actual = request.value(of: field.field.name, operation: number)
                for value in field.values.compactMap({ $0 }) where value != actual {
                    let cost = Self.cost(from: actual, to: value)
                    guard best.map({ cost < $0.cost }) ?? true else { continue }
                    let others = request.setting(
                        field.field, to: value, operation: number, policy.vocabulary)
                    guard others.allSatisfy({ isAllowed($0, policy, usage) }) else { continue }
                    best = (
                        cost,
                        .fact(
                            name: field.field.name, wanted: field.field.shown(value),
                            actual: field.field.shown(actual),
                            operation: request.operations.count > 1 ? number + 1 : nil)
                    )
                }
            }
        }
        return best?.change
    }

    /// The cost of a change; nearer numbers cost less.
    private static func cost(from actual: FactValue?, to value: FactValue) -> Int128 {
        guard let left = actual?.number, let right = value.number else { return 1 }
        let (difference, hasOverflown) = left.subtractingReportingOverflow(right)
        return hasOverflown ? .max : Int128(clamping: difference.magnitude)
    }

    private static func danger(
        _ request: JudgedRequest, _ policy: TOMLPolicy, _ usage: some LimitUsage
    ) -> SmallestChange? {
        for danger in request.allDangers
        where isAllowed(request.without(danger), policy, usage) {
            return .withoutDanger(danger)
        }
        return nil
    }

    private static func acknowledgement(
        _ request: JudgedRequest, _ policy: TOMLPolicy, _ usage: some LimitUsage
    ) -> SmallestChange? {
        let traces = (try? policy.explain(request, usage: usage).rules) ?? []
        let lacking = Set(
            traces.compactMap { trace in
                if case .unacknowledged = trace.state { trace.rule } else { nil }
            })
        let places = policy.document.rules.indices.filter {
            lacking.contains(policy.document.rules[$0].id)
        }
        for place in places.prefix(changedRulesMax) {
            let rule = policy.document.rules[place]
            for danger in request.allDangers where !rule.covers(danger) {
                var document = policy.document
                document.rules[place].acknowledged.append(danger)
                if isAllowed(request, policy.with(document), usage) {
                    return .acknowledged(rule: rule.id, danger)
                }
            }
        }
        return nil
    }
}

extension Condition {
    /// The ages at which a condition on first uses changes; empty for other conditions.
    fileprivate var firstUseSeconds: [Int64] {
        guard FirstUseField.base(of: field.name) != nil else { return [] }
        return matchers.compactMap { matcher in
            switch matcher {
            case .atLeast(let bound): Int64(exactly: bound)
            case .atMost(let bound): Int64(exactly: bound).flatMap { $0 < .max ? $0 + 1 : nil }
            default: nil
            }
        }
    }
}
