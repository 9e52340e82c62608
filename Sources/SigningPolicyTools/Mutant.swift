// SPDX-License-Identifier: Apache-2.0
import SigningCore
package import SigningPolicy

/// A policy with one change.
///
/// If all tests still pass, they do not check the changed part.
package struct Mutant: Sendable {
    /// The most mutants of one policy.
    package static let countMax = 2_000

    /// The change, in words.
    package let text: String
    /// The line of the rule; nil for the file's default.
    package let line: Int?
    package let document: PolicyDocument

    /// Every mutant of a policy, in the order of its rules, at most `countMax`.
    package static func all(of document: PolicyDocument) -> [Mutant] {
        var mutants: [Mutant] = []
        var other = document
        other.fallback = document.fallback == .ask ? .deny : .ask
        mutants.append(
            Mutant(text: "default is \(other.fallback.rawValue)", line: nil, document: other))
        for budget in document.budgets {
            func add(_ text: String, _ change: (inout PolicyBudget) -> Void) {
                mutants.append(
                    Mutant(
                        text: "budget \"\(budget.name)\" \(text)", line: budget.position.line,
                        document: document.changing(budget: budget.name, change)))
            }
            for index in budget.limits.indices {
                add("with limit \(index + 1) raised by one") {
                    $0.limits[index] = $0.limits[index].raisedByOne
                }
            }
            switch budget.onExceed {
            case .deny: add("escalating") { $0.onExceed = .ask }
            case .ask: add("final") { $0.onExceed = .deny }
            case .allow, nil: break
            }
        }
        for place in document.rules.indices.sorted(by: {
            document.rules[$0].position < document.rules[$1].position
        }) {
            mutants += Self.mutants(ofRule: place, document)
            guard mutants.count < countMax else { break }
        }
        return Array(mutants.prefix(countMax))
    }

    /// The mutants under which every test passes.
    package static func survivors(
        of policy: TOMLPolicy, _ cases: [TestCase]
    ) -> (survivors: [Mutant], count: Int) {
        let mutants = all(of: policy.document)
        let survivors = mutants.filter {
            TestRun(policy.with($0.document), cases).failures.isEmpty
        }
        return (survivors, mutants.count)
    }

    private static func mutants(ofRule place: Int, _ document: PolicyDocument) -> [Mutant] {
        let rule = document.rules[place]
        var mutants: [Mutant] = []
        func add(_ text: String, _ changed: PolicyRule?) {
            var other = document
            if let changed { other.rules[place] = changed } else { other.rules.remove(at: place) }
            mutants.append(
                Mutant(
                    text: "rule \"\(rule.id)\" \(text)", line: rule.position.line, document: other))
        }
        add("is gone", nil)
        add(
            "with effect \(rule.effect.other.rawValue)",
            rule.changing { $0.effect = $0.effect.other })
        for index in rule.conditions.indices {
            let condition = rule.conditions[index]
            if condition.field.name != EngineFact.protocolID.rawValue, !rule.isOfTable(condition) {
                add(
                    "without \(condition.field.name)",
                    rule.changing { $0.conditions.remove(at: index) })
            }
            for (text, wider) in condition.moved(by: 1) {
                add("with \(text)", rule.changing { $0.conditions[index] = wider })
            }
        }
        for index in rule.exceptions.indices {
            let number = rule.exceptions.count > 1 ? " \(index + 1)" : ""
            add("without unless\(number)", rule.changing { $0.exceptions.remove(at: index) })
        }
        for (text, changed) in rule.nestedMutants { add(text, changed) }
        for danger in rule.acknowledged {
            add(
                "not acknowledging \(danger.name)",
                rule.changing { $0.acknowledged.removeAll { $0 == danger } })
        }
        for (text, changed) in rule.limitMutants { add(text, changed) }
        for index in rule.budgets.indices {
            add(
                "without the budget \"\(rule.budgets[index].name)\"",
                rule.changing { $0.budgets.remove(at: index) })
        }
        if !rule.ownLimits.isEmpty, let onExceed = rule.onExceed {
            let other = onExceed == .ask ? RuleEffect.deny : .ask
            add("with on_exceed \(other.rawValue)", rule.changing { $0.onExceed = other })
        }
        if rule.delay > 0 { add("without delay", rule.changing { $0.delay = 0 }) }
        if rule.expires != nil { add("without expires", rule.changing { $0.expires = nil }) }
        if rule.schedule != nil {
            add("without hours and days", rule.changing { $0.schedule = nil })
        }
        return mutants
    }
}

extension RuleEffect {
    fileprivate var other: RuleEffect {
        switch self {
        case .allow, .deny: .ask
        case .ask: .allow
        }
    }
}

extension PolicyRule {
    /// The rule with one change of its own limits, each with its words.
    fileprivate var limitMutants: [(text: String, rule: PolicyRule)] {
        var mutants: [(text: String, rule: PolicyRule)] = []
        for (index, limit) in ownLimits.enumerated() {
            let number = index + 1
            mutants.append(("without limit \(number)", changing { $0.ownLimits.remove(at: index) }))
            guard limit.maximum < .max else { continue }
            mutants.append(
                (
                    "with limit \(number) raised by one",
                    changing { $0.ownLimits[index] = limit.raisedByOne }
                ))
            guard let table = limit.table, Set(table.maxima.values).count > 1 else { continue }
            mutants.append(
                (
                    "with the highest maximum of limit \(number) for all",
                    changing {
                        $0.ownLimits[index].table = table.changing { _ in table.highest }
                    }
                ))
        }
        return mutants
    }

    fileprivate func changing(_ change: (inout PolicyRule) -> Void) -> PolicyRule {
        var copy = self
        change(&copy)
        return copy
    }
}

extension PolicyDocument {
    /// Makes a copy with a change of one budget, in every rule that draws on it.
    fileprivate func changing(budget name: String, _ change: (inout PolicyBudget) -> Void) -> Self {
        func changed(_ budgets: [PolicyBudget]) -> [PolicyBudget] {
            budgets.map { budget in
                var copy = budget
                if budget.name == name { change(&copy) }
                return copy
            }
        }
        var copy = self
        copy.budgets = changed(budgets)
        for place in copy.rules.indices {
            copy.rules[place].budgets = changed(copy.rules[place].budgets)
        }
        return copy
    }
}
