// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// The reason that a policy file cannot be rewritten for the newest version of the format.
package struct PolicyUpgradeError: Error, Sendable {
    package let text: String
}

/// Rewrites a policy file of version 1 as a file of version 2 that allows the same.
///
/// In version 1, a rule whose limit is used up denies or asks, by `on_exceed`. In version 2, it
/// does not apply, and the default answers. So a limit stays where the default gives the verdict
/// of `on_exceed`. Else it becomes a budget with the name of the rule, which is final or escalates;
/// the name keeps the counter. A final budget also counts what people approve, and denies what it
/// has no room for where version 1 asked.
package enum PolicyUpgrade {
    /// The new text of a file; `policy` is the policy that was read from it.
    package static func rewrite(
        _ source: [UInt8], _ policy: TOMLPolicy, at now: Timestamp
    ) throws(PolicyUpgradeError) -> [UInt8] {
        guard policy.document.version == 1 else { return source }
        let moved = try movedLimits(of: policy.document, policy.vocabulary)
        guard let edited = try? UpgradedText(source, moving: moved).bytes,
            let text = PolicyFormatter.format(edited)
        else { throw Self.otherLayout }
        let upgraded: TOMLPolicy
        do throws(PolicyLoadError) {
            upgraded = try TOMLPolicy.load(
                text.span, fileName: policy.fileName, schemas: policy.vocabulary.schemas, at: now
            ) { _ in [] }
        } catch {
            let first = error.diagnostics.first { $0.severity == .error }
            throw PolicyUpgradeError(text: first?.message ?? Self.otherLayout.text)
        }
        // The text was edited without being understood, so its meaning is compared.
        let expected = policy.document.canonicalJSON
        let budgets = Set(upgraded.document.budgets.map(\.name))
        guard budgets == Set(moved.keys),
            upgraded.document.ofVersion1.canonicalJSON.isExactly(expected)
        else {
            throw Self.otherLayout
        }
        return text
    }

    private static let otherLayout = PolicyUpgradeError(
        text: "write each rule as [[rule]], with limit and on_exceed on lines of their own")

    /// The limits of a rule that become a budget.
    struct MovedLimits {
        /// The verdict if they are used up.
        let onExceed: RuleEffect
        let isByCalendar: Bool

        init(of rule: PolicyRule, _ onExceed: RuleEffect) {
            self.onExceed = onExceed
            isByCalendar = rule.ownLimits.contains { limit in
                if case .calendar = limit.window { true } else { false }
            }
        }
    }

    /// The limits that become budgets, by the ids of their rules.
    private static func movedLimits(
        of document: PolicyDocument, _ vocabulary: PolicyVocabulary
    ) throws(PolicyUpgradeError) -> [String: MovedLimits] {
        var moved: [String: MovedLimits] = [:]
        for rule in document.rules where !rule.ownLimits.isEmpty {
            guard rule.onExceed == .deny else {
                if document.fallback == .deny { moved[rule.id] = MovedLimits(of: rule, .ask) }
                continue
            }
            func meets(_ effect: RuleEffect) -> PolicyRule? {
                document.rules.first {
                    $0.effect == effect && $0.id != rule.id && !$0.excludes(rule)
                        && vocabulary.mayMatch($0, rule)
                }
            }
            // The default denies as well, and no ask rule answers in its place.
            if document.fallback == .deny, meets(.ask) == nil { continue }
            // A final budget denies what another rule allows.
            if let other = meets(.allow) {
                throw PolicyUpgradeError(
                    text: "the rules \"\(rule.id)\" and \"\(other.id)\" may both allow a request, "
                        + "and version 2 has no \"on_exceed\" that denies only where the other "
                        + "rule has no room: decide what a used-up limit of \"\(rule.id)\" means")
            }
            moved[rule.id] = MovedLimits(of: rule, .deny)
        }
        return moved
    }
}

extension PolicyDocument {
    /// The document of version 1 that an upgraded document comes from.
    fileprivate var ofVersion1: PolicyDocument {
        var copy = self
        copy.version = 1
        copy.budgets = []
        for place in rules.indices where rules[place].effect == .allow {
            let budget = rules[place].budgets.first
            let byDefault = rules[place].ownLimits.isEmpty ? RuleEffect.deny : fallback
            copy.rules[place].onExceed = budget?.onExceed ?? byDefault
            copy.rules[place].ownLimits += budget?.limits ?? []
            copy.rules[place].budgets = []
        }
        return copy
    }
}

extension PolicyRule {
    /// True if no operation satisfies this rule and the other: both list values of one field, and
    /// no value is in both lists.
    fileprivate func excludes(_ other: PolicyRule) -> Bool {
        conditions.contains { one in
            !one.field.isList
                && other.conditions.contains { two in
                    guard one.field == two.field, let first = one.listed, let second = two.listed
                    else { return false }
                    return first.isDisjoint(with: second)
                }
        }
    }
}

extension Condition {
    /// The values that the condition lists; nil if it lists none, or accounts that may change.
    fileprivate var listed: Set<ExactValue>? {
        for case .isIn(let list) in matchers where !list.includesOwn {
            return Set(list.known.map { ExactValue(value: $0) })
        }
        return nil
    }
}
