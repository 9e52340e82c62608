// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// A key that a rule names and nobody holds.
package struct UnheldKey: Sendable {
    package let rule: PolicyRule
    package let name: String
    /// The key that was probably meant.
    package let meant: String?

    /// What is wrong, for people.
    package var text: String {
        "the rule \"\(rule.id)\" names the key \"\(name)\", which is not held here"
    }
}

extension TOMLPolicy {
    /// The keys that rules name one by one and that are not among these, in the order of rules.
    package func unheldKeys(among held: [String]) -> [UnheldKey] {
        document.rules.flatMap { rule in
            rule.keyNames.filter { !held.contains($0) }.map { name in
                UnheldKey(
                    rule: rule, name: name, meant: Suggestion.closest(to: name, among: held))
            }
        }
    }

    /// The ids of the rules that tell a key of the one name from a key of the other.
    package func rules(telling old: String, from new: String) -> [String] {
        document.rules.filter { rule in
            rule.keyConditions.contains { condition in
                condition.mayHold(for: .text(old), .every, own: [])
                    != condition.mayHold(for: .text(new), .every, own: [])
            }
        }.map(\.id)
    }
}

extension PolicyRule {
    fileprivate var keyConditions: [Condition] {
        (conditions + (exception ?? [])).filter { $0.field.name == EngineFact.key.rawValue }
    }

    /// The names of keys that stand in it, each once.
    fileprivate var keyNames: [String] {
        var names: [String] = []
        for matcher in keyConditions.flatMap(\.matchers) {
            guard case .isIn(let list) = matcher else {
                if case .notIn(let list) = matcher { names += list.texts }
                continue
            }
            names += list.texts
        }
        return names.reduce(into: []) { once, name in
            if !once.contains(name) { once.append(name) }
        }
    }
}

extension ValueList {
    fileprivate var texts: [String] {
        known.compactMap { if case .text(let text) = $0 { text } else { nil } }
    }
}
