// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// The answer of one policy to a request, as formulas.
struct PolicySide {
    /// One rule that may match requests of the protocol.
    struct Entry {
        let rule: PolicyRule
        /// True where the rule matches, is in force, and covers every danger.
        let fires: Literal
        /// True where every limit has room.
        let hasRoom: Literal

        /// The verdict if a limit has no room; nil if the rule does not apply then.
        var onExceed: RuleEffect? { rule.onExceed ?? rule.budgets.first?.onExceed }
    }

    let entries: [Entry]
    let isAllowed: Literal
    /// True where rules allow the request, and it does not only end the connection.
    let isAllowedByRules: Literal
    let isAsked: Literal
    let isDenied: Literal
    /// For each delay of rules: true where the request is allowed after so many seconds at most.
    private let allowed: [(delay: Int64, holds: Literal)]
    /// For each owner of counters: true where an allow rule charges them for the operation.
    let charges: [String: Literal]

    /// `room` makes the literal that says whether a rule's limits have room.
    init(
        _ policy: TOMLPolicy, _ model: RequestModel, room: (PolicyRule) -> Literal
    ) {
        let circuit = model.circuit
        let rules = policy.document.rules.filter { rule in
            model.methods.contains { rule.mayMatch(model.protocolID, $0) }
        }
        let entries = rules.map { rule in
            Entry(
                rule: rule, fires: Self.fires(rule, model),
                hasRoom: rule.limits.isEmpty ? circuit.yes : room(rule))
        }
        func fires(_ effect: RuleEffect) -> Literal {
            circuit.any(entries.filter { $0.rule.effect == effect }.map(\.fires))
        }
        // The engine prefers rules with a shorter delay.
        let allowing = entries.filter { $0.rule.effect == .allow }.sorted {
            ($0.rule.delay, $0.rule.id) < ($1.rule.delay, $1.rule.id)
        }
        let isGranted = circuit.any(allowing.map { circuit.all([$0.fires, $0.hasRoom]) })
        let exhausted = Self.exhausted(allowing, isGranted, circuit)
        let (denies, asks) = (fires(.deny), fires(.ask))
        let isUncovered = circuit.all([!isGranted, !exhausted.asks, !exhausted.denies, !asks])
        let isDefault = policy.document.fallback == .deny ? isUncovered : circuit.no
        // A client may disconnect if no rule says otherwise.
        let disconnects = circuit.all([
            model.endsConnection, !denies, !asks, !circuit.any(allowing.map(\.fires)),
        ])
        isDenied = circuit.all([
            !disconnects, circuit.any([denies, exhausted.denies, isDefault]),
        ])
        isAllowedByRules = circuit.all([!isDenied, !asks, isGranted])
        isAllowed = circuit.any([disconnects, isAllowedByRules])
        isAsked = circuit.all([!isDenied, !isAllowed])
        charges = Self.charges(allowing, circuit)
        self.entries = entries
        let (isNotDenied, isNotAsked) = (!isDenied, !asks)
        allowed = Set(allowing.map(\.rule.delay) + [0]).sorted().map { delay in
            let inTime = allowing.filter { $0.rule.delay <= delay }
            let isGranted = circuit.any(inTime.map { circuit.all([$0.fires, $0.hasRoom]) })
            let byRules = circuit.all([isNotDenied, isNotAsked, isGranted])
            return (delay, circuit.any([disconnects, byRules]))
        }
    }

    /// The delays of the rules, shortest first, with 0.
    var delays: [Int64] { allowed.map(\.delay) }

    /// True where the request is allowed after so many seconds at most.
    func isAllowed(within seconds: Int64) -> Literal {
        allowed.last { $0.delay <= seconds }?.holds ?? isAllowed
    }

    /// The answers where rules match whose limits are all used up.
    ///
    /// The mildest `on_exceed` of these rules decides, or an escalating budget. A rule that does
    /// not apply once its limits are used up would have neither answer.
    private static func exhausted(
        _ allowing: [Entry], _ isGranted: Literal, _ circuit: Circuit
    ) -> (asks: Literal, denies: Literal) {
        func fires(_ effect: RuleEffect) -> Literal {
            circuit.any(
                allowing.filter { !$0.rule.limits.isEmpty && $0.onExceed == effect }
                    .map(\.fires))
        }
        let asks = circuit.all([!isGranted, fires(.ask)])
        return (asks, circuit.all([!isGranted, !asks, fires(.deny)]))
    }

    private static func fires(_ rule: PolicyRule, _ model: RequestModel) -> Literal {
        let circuit = model.circuit
        let reading = ListReading(of: rule.effect)
        let isStrict = rule.effect == .allow
        let matches = matches(rule, model, isCertain: isStrict)
        guard isStrict else { return matches }
        var parts = [matches, model.covers(rule)]
        for limit in rule.limits {
            parts += limit.scope.map { model.isCountable($0) }
        }
        for condition in rule.countingConditions {
            guard case .atLeast = condition.matchers[0] else { continue }
            parts.append(model.truth(of: condition, reading).yes)
        }
        return circuit.all(parts)
    }

    /// True where the rule is in force and its conditions hold: for certain, or unless they are
    /// known not to.
    static func matches(_ rule: PolicyRule, _ model: RequestModel, isCertain: Bool) -> Literal {
        let reading = ListReading(of: rule.effect)
        var parts = [model.isInForce(rule)]
        for condition in rule.conditions {
            let truth = model.truth(of: condition, reading)
            parts.append(isCertain ? truth.yes : !truth.no)
        }
        for condition in rule.batch {
            let truth = model.truth(of: condition, reading)
            parts.append(isCertain ? truth.yes : !truth.no)
        }
        for exception in rule.exceptions {
            let truths =
                exception.conditions.map { model.truth(of: $0, reading.inException) }
                + [exception.schedule].compactMap(\.self).map { model.truth(of: $0) }
            parts.append(model.circuit.any(truths.map { isCertain ? $0.no : !$0.yes }))
        }
        return model.circuit.all(parts)
    }

    /// The first rule whose limits have room is charged.
    private static func charges(_ allowing: [Entry], _ circuit: Circuit) -> [String: Literal] {
        var charges: [String: Literal] = [:]
        var isCovered = circuit.no
        for entry in allowing {
            let grants = circuit.all([entry.fires, entry.hasRoom])
            let owner = entry.rule.counterOwner
            charges[owner] = circuit.any([
                charges[owner] ?? circuit.no, circuit.all([grants, !isCovered]),
            ])
            isCovered = circuit.any([isCovered, grants])
        }
        return charges
    }
}
