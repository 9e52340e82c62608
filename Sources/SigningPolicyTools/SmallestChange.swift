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
        for rule in policy.document.rules {
            if let opening = rule.schedule?.nextOpening(after: now) {
                moments.insert(opening.seconds)
            }
            for schedule in rule.exceptions.compactMap(\.schedule) {
                // A rule that denies is excepted from then on, a rule that allows no longer.
                let change = schedule.next(open: rule.effect != .allow, after: now)
                if let change { moments.insert(change.seconds) }
            }
            for limit in rule.limits {
                if let end = limit.window.end(at: now) { moments.insert(end.seconds) }
                guard case .sliding(let seconds) = limit.window else { continue }
                let (end, hasOverflown) = now.seconds.addingReportingOverflow(seconds)
                if !hasOverflown {
                    moments.insert(firstMoment(request, policy, usage, before: end) ?? end)
                }
            }
        }
        for moment in moments.sorted() where moment > now.seconds {
            let time = Timestamp(seconds: moment)
            if isAllowed(request.at(time), policy, usage) { return .later(time) }
        }
        return nil
    }

    /// Bisects for the first moment: within a sliding window the used amount only falls.
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
            where !SyntheticFields.names.contains(field.field.name) {
                let actual = request.value(of: field.field.name, operation: number)
                for value in field.values.compactMap({ $0 }) where value != actual {
                    let other = request.setting(field.field.name, to: value, operation: number)
                    let cost = Self.cost(from: actual, to: value)
                    guard best.map({ cost < $0.cost }) ?? true,
                        isAllowed(other, policy, usage)
                    else { continue }
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
        for place in policy.document.rules.indices {
            let rule = policy.document.rules[place]
            guard rule.effect == .allow else { continue }
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

/// Fields that are not facts of an operation: changing them does not change the request.
private enum SyntheticFields {
    static let names = Set(EngineFact.allCases.map(\.rawValue))
        .subtracting([EngineFact.client.rawValue])
}

extension JudgedRequest {
    fileprivate func value(of name: String, operation: Int) -> FactValue? {
        if name == EngineFact.client.rawValue { return client.map { .text($0.id) } }
        return operations[operation].facts.first { $0.name == name }?.value
            ?? facts.first { $0.name == name }?.value
    }

    fileprivate func setting(
        _ name: String, to value: FactValue, operation place: Int
    ) -> JudgedRequest {
        if name == EngineFact.client.rawValue, case .text(let id) = value {
            return changed(
                client: Client(
                    id: id, name: client?.name, proof: client?.proof ?? .claimed,
                    callback: client?.callback))
        }
        var operations = operations
        let old = operations[place]
        operations[place] = RequestedOperation(
            account: old.account, operation: old.operation,
            facts: old.facts.filter { $0.name != name } + [Fact(name, value)],
            effects: old.effects, dangers: old.dangers, outflows: old.outflows)
        return changed(operations: operations)
    }

    fileprivate func without(_ danger: Danger) -> JudgedRequest {
        changed(
            dangers: dangers.filter { $0 != danger },
            operations: operations.map { old in
                RequestedOperation(
                    account: old.account, operation: old.operation, facts: old.facts,
                    effects: old.effects, dangers: old.dangers.filter { $0 != danger },
                    outflows: old.outflows)
            })
    }

    fileprivate func at(_ time: Timestamp) -> JudgedRequest { changed(time: time) }

    private func changed(
        client: Client? = nil, time: Timestamp? = nil, dangers: [Danger]? = nil,
        operations: [RequestedOperation]? = nil
    ) -> JudgedRequest {
        var changed = JudgedRequest(
            adapter: adapter, protocolID: protocolID, method: method,
            client: client ?? self.client, peer: peer, time: time ?? self.time,
            clock: time ?? clock,
            frameBytes: frameBytes, decoding: decoding, facts: facts, effects: effects,
            dangers: dangers ?? self.dangers,
            operations: operations ?? self.operations, ownAddresses: ownAddresses)
        changed.hub = hub
        return changed
    }
}
