// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// A statement about the policy: no request that matches is allowed without a question.
///
/// Tools prove it; it changes no verdict.
package struct PolicyAssertion: Sendable {
    /// The id, the conditions and the times, as a deny rule with them.
    package let rule: PolicyRule
    /// The author's reason.
    package let because: String

    package var id: String { rule.id }
}

extension PolicyReader {
    /// The most assertions in one file.
    static let assertionCountMax = 1_000
    private static let notOfAssertions = [
        "effect", "acknowledge", "limit", "on_exceed", "expires", "approvers", "budget",
    ]

    /// Reads `[[never]]`, with the conditions of rules.
    mutating func readAssertions(_ node: TOMLNode) -> [PolicyAssertion] {
        if version == 1 {
            report.error(.notHere, "[[never]] is for version = 2", at: node.keyPosition)
        }
        let read = readTables(node, countMax: Self.assertionCountMax).compactMap { item in
            readAssertion(item)
        }
        return unique(read, by: \.rule)
    }

    private mutating func readAssertion(_ node: TOMLNode) -> PolicyAssertion? {
        guard case .table(var members) = node.value else { return nil }
        for member in members where Self.notOfAssertions.contains(member.key) {
            report.error(
                .notHere, "\"\(member.key)\" is for rules only, not for [[never]]",
                at: member.keyPosition)
        }
        let parts = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
        let because = readText("because", parts, node)
        members.removeAll { Self.notOfAssertions.contains($0.key) || $0.key == "because" }
        func member(_ key: String, _ value: TOMLValue) -> TOMLNode {
            TOMLNode(
                key: key, keyPosition: node.keyPosition, position: node.position, value: value)
        }
        members.append(member("effect", .text(RuleEffect.deny.rawValue)))
        guard let rule = readRule(member(node.key, .table(members))), let because else {
            return nil
        }
        return PolicyAssertion(rule: rule, because: because)
    }
}
