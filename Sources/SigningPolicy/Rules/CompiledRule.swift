// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// A rule with the slots of the facts in its conditions and all reasons that it can give.
///
/// A class, like conditions and value lists, so that judging copies references and not values.
final class CompiledRule: Sendable {
    /// A condition and the slot of its fact.
    struct Test: Sendable {
        let slot: Int
        let condition: Condition
        let reading: ListReading

        func truth(in view: FactView) -> Truth {
            condition.truth(of: view[slot], reading, in: view)
        }
    }

    /// The tests of one condition on all operations of a request, or on one of them.
    struct Batch: Sendable {
        let quantifier: BatchCondition.Quantifier
        let tests: [Test]

        /// Without operations, `any` does not hold, and `all` is unknown.
        func truth(in view: FactView) -> Truth {
            let truths = view.operations.lazy.map { CompiledRule.truth(of: tests, in: $0) }
            return switch quantifier {
            case .all: truths.min() ?? .unknown
            case .any: truths.max() ?? .no
            }
        }
    }

    /// The tests of one exception.
    struct Exception: Sendable {
        let tests: [Test]
        let schedule: Schedule?

        /// The least of what the conditions and the hours say; a clock behind the record leaves the
        /// hours unknown.
        func truth(in view: FactView) -> Truth {
            min(CompiledRule.truth(of: tests, in: view), scheduleTruth(in: view))
        }

        func scheduleTruth(in view: FactView) -> Truth {
            guard let schedule else { return .yes }
            return view.time.map { Truth(schedule.isOpen(at: $0)) } ?? .unknown
        }
    }

    let rule: PolicyRule
    /// All conditions, in the order of the file.
    let conditions: [Test]
    /// The conditions that the index by protocol and operation does not decide.
    let openConditions: [Test]
    let batch: [Batch]
    let exceptions: [Exception]
    /// The limits of the rule, then those of its budgets.
    let limits: [CompiledLimit]
    let hasFinalBudget: Bool
    /// The reason if the rule matches.
    let certain: Reason
    /// The reason if the match is uncertain.
    let uncertain: Reason
    /// The reason if the rule's limits have no room.
    let exceeded: Reason

    init(_ rule: PolicyRule, in slots: FactSlots) {
        func tests(_ conditions: [Condition], _ reading: ListReading) -> [Test] {
            conditions.compactMap { condition in
                slots.slot(of: condition.field.name).map {
                    Test(slot: $0, condition: condition, reading: reading)
                }
            }
        }
        self.rule = rule
        let reading = ListReading(of: rule.effect)
        conditions = tests(rule.conditions, reading)
        openConditions = conditions.filter { !$0.condition.isIndexed }
        batch = rule.batch.map {
            Batch(quantifier: $0.quantifier, tests: tests($0.conditions, reading))
        }
        exceptions = rule.exceptions.map { exception in
            Exception(
                tests: tests(exception.conditions, reading.inException),
                schedule: exception.schedule)
        }
        limits =
            rule.ownLimits.map { CompiledLimit($0, of: rule.id, in: slots) }
            + rule.budgets.flatMap { budget in
                budget.limits.map {
                    CompiledLimit($0, of: budget.name, budget: budget, in: slots)
                }
            }
        hasFinalBudget = rule.budgets.contains(where: \.isFinal)
        let verb = Self.verb(of: rule.effect)
        let after = rule.delay > 0 ? " after \(WrittenDuration.text(of: rule.delay))" : ""
        certain = Reason(
            .policyDenied, "the rule \"\(rule.id)\" \(verb) this\(after)", rule: rule.id)
        uncertain = Reason(
            .policyDenied,
            "the rule \"\(rule.id)\" \(verb) this, because a match cannot be ruled out",
            rule: rule.id)
        exceeded = Reason(
            .limitExceeded, "a limit of the rule \"\(rule.id)\" is used up", rule: rule.id)
    }

    /// Whether the rule matches: all conditions hold and no exception does.
    ///
    /// An unknown exception makes the match unknown. An unknown match voids an allow rule and
    /// leaves a deny or ask rule in force. For an allow rule, a limit with nothing to count has the
    /// same effect: an absent amount is not 0.
    func match(in view: FactView) -> Truth {
        var holds = Self.truth(of: openConditions, in: view)
        guard holds != .no else { return .no }
        for condition in batch { holds = min(holds, condition.truth(in: view)) }
        guard holds != .no else { return .no }
        for exception in exceptions { holds = min(holds, exception.truth(in: view).negated) }
        guard holds == .yes, rule.effect == .allow else { return holds }
        return limits.allSatisfy { $0.isCountable(in: view) } ? .yes : .unknown
    }

    /// Whether the rule applies given the certainty of its match.
    func fires(on match: Truth) -> Bool {
        match == .yes || (match == .unknown && rule.effect != .allow)
    }

    /// The dangers that this rule does not acknowledge.
    func unacknowledged(of dangers: [Danger]) -> [Danger] {
        dangers.isEmpty ? [] : dangers.filter { !rule.covers($0) }
    }

    /// The reason if a budget of the rule has no room, or lacks these fields to count an operation.
    func exceeded(_ budget: PolicyBudget, _ missing: [String]) -> Reason {
        let state =
            missing.first.map { name in
                "cannot count this: "
                    + (name.hasPrefix(RuleTrace.missingRate)
                        ? "it has no \(name)" : "\"\(name)\" is not known")
            } ?? "is used up"
        return Reason(.limitExceeded, "the budget \"\(budget.name)\" \(state)", rule: rule.id)
    }

    static func truth(of tests: [Test], in view: FactView) -> Truth {
        var result = Truth.yes
        for test in tests {
            result = min(result, test.truth(in: view))
            if result == .no { break }
        }
        return result
    }

    private static func verb(of effect: RuleEffect) -> String {
        switch effect {
        case .allow: "allows"
        case .ask: "asks about"
        case .deny: "denies"
        }
    }
}

extension Condition {
    /// True if the index decides the condition: protocol and operation are never unknown.
    var isIndexed: Bool {
        field.name == EngineFact.protocolID.rawValue || field.name == EngineFact.operation.rawValue
    }
}
