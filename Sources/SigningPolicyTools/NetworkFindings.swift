// SPDX-License-Identifier: Apache-2.0
import SigningCore
package import SigningPolicy

extension PolicyFindings {
    /// The name of the field that names a network, on every chain with several.
    private static let networkField = "network"

    /// The warnings about rules and assertions that name a network which the home does not know.
    ///
    /// `known` are the names of the home's networks with their genesis ids: a rule that names the
    /// id means the name.
    package static func unknownNetworks(
        in policy: TOMLPolicy, besides known: [String: String?]
    ) -> [Diagnostic] {
        policy.document.rulesAndAssertions.flatMap { kind, rule in
            networks(of: rule).filter { known[$0] == nil }.map { name in
                let meant =
                    known.first { $0.value == name }?.key
                    ?? Suggestion.closest(to: name, among: known.keys.sorted())
                return finding(
                    "P0223",
                    "the \(kind) \"\(rule.id)\" names the network "
                        + "\"\(VisibleText.quotable(name))\", which this home does not have",
                    rule, policy, meant: meant)
            }
        }
    }

    /// The networks that a rule names, each once.
    private static func networks(of rule: PolicyRule) -> [String] {
        let lists = rule.allConditions.filter { $0.field.name == networkField }
            .flatMap(\.matchers).compactMap { matcher in
                switch matcher {
                case .isIn(let list), .notIn(let list): list
                default: nil
                }
            }
        return Set(
            lists.flatMap(\.known).compactMap { value in
                if case .text(let text) = value { text } else { nil }
            }
        ).sorted()
    }
}
