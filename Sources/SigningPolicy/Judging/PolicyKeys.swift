// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// A key name in a rule or assertion that is not the name of a key in this home.
package struct UnheldKey: Sendable {
    /// `rule` or `assertion`.
    let kind: String
    package let rule: PolicyRule
    package let name: String
    /// The name of the key that was probably meant.
    package let meant: String?

    /// The problem in words.
    package var text: String {
        "the \(kind) \"\(rule.id)\" names the key \"\(name)\", which is not held here"
    }
}

extension TOMLPolicy {
    /// The keys that rules name and that are not in the list, in the order of rules.
    package func unheldKeys(among held: [String]) -> [UnheldKey] {
        document.rulesAndAssertions.flatMap { kind, rule in
            rule.keyNames.filter { !held.contains($0) }.map { name in
                UnheldKey(
                    kind: kind, rule: rule, name: name,
                    meant: Suggestion.closest(to: name, among: held))
            }
        }
    }

    /// The ids of the rules that treat a key named `old` differently from a key named `new`.
    package func rules(distinguishing old: String, from new: String) -> [String] {
        document.rulesAndAssertions.map(\.rule).filter { rule in
            rule.keyConditions.contains { condition in
                condition.mayHold(for: .text(old), .every, own: [])
                    != condition.mayHold(for: .text(new), .every, own: [])
            }
        }.map(\.id)
    }

    /// The ids of the rules that treat a key with the tags `old` differently from one with `new`.
    package func rules(distinguishing old: [String], from new: [String]) -> [String] {
        let values = [old, new].map { FactValue.list($0.map { .text($0) }) }
        return document.rulesAndAssertions.map(\.rule).filter { rule in
            rule.tagConditions.contains { condition in
                condition.mayHold(for: values[0], .every, own: [])
                    != condition.mayHold(for: values[1], .every, own: [])
            }
        }.map(\.id)
    }

    /// The tags that rules name, sorted.
    package var namedTags: [String] {
        let conditions = document.rulesAndAssertions.flatMap(\.rule.tagConditions)
        let lists = conditions.flatMap(\.matchers).compactMap { matcher in
            switch matcher {
            case .isIn(let list), .notIn(let list), .has(let list): list
            default: nil
            }
        }
        return Set(lists.flatMap(\.texts)).sorted()
    }
}

extension PolicyRule {
    fileprivate var tagConditions: [Condition] {
        allConditions.filter { $0.field.name == EngineFact.keyTags.rawValue }
    }

    fileprivate var keyConditions: [Condition] {
        allConditions.filter { $0.field.name == EngineFact.key.rawValue }
    }

    /// The key names in the rule, without duplicates.
    fileprivate var keyNames: [String] {
        let lists = keyConditions.flatMap(\.matchers).compactMap { matcher in
            switch matcher {
            case .isIn(let list), .notIn(let list): list
            default: nil
            }
        }
        return lists.flatMap(\.texts).reduce(into: []) { once, name in
            if !once.contains(name) { once.append(name) }
        }
    }
}

extension ValueList {
    fileprivate var texts: [String] {
        known.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}
