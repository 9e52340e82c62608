// SPDX-License-Identifier: Apache-2.0
package import SigningPolicy

/// A rule that differs between two policies.
package struct RuleChange: Sendable {
    package let id: String
    /// The rule before and after; `before` is nil for an added rule, `after` for a removed one.
    package let before: PolicyRule?
    package let after: PolicyRule?

    /// `added`, `removed` or `changed`.
    package var word: String {
        if before == nil { return "added" }
        return after == nil ? "removed" : "changed"
    }

    /// The rule's effect, such as `allow`, or `deny -> allow`.
    package var effects: String {
        let effects = [before?.effect, after?.effect].compactMap { $0?.rawValue }
        return effects.count == 2 && effects[0] == effects[1]
            ? effects[0] : effects.joined(separator: " -> ")
    }
}
