// SPDX-License-Identifier: Apache-2.0
import SigningCore
package import SigningPolicy

/// The parts that differ between two policies: rules, budgets, assets, assertions, approvers of
/// acts, and texts.
package struct PolicyChanges: Sendable {
    /// The rules that differ, sorted by id.
    package let rules: [RuleChange]
    /// The budgets that differ, sorted by name.
    package let budgets: [PartChange]
    /// The assets that differ, sorted by name.
    package let assets: [PartChange]
    /// The rules and budgets whose counters start anew, sorted by name.
    package let counters: [CounterChange]
    /// The assertions that differ, sorted by id.
    package let assertions: [AssertionChange]
    /// The owner's acts for which the two policies demand different approvers.
    package let acts: [String]

    private let old: TOMLPolicy
    private let new: TOMLPolicy

    /// True if a rule, a budget, an asset, an assertion, a used set, the default, or the approvers
    /// of an act differ.
    package var isChanged: Bool {
        !rules.isEmpty || !budgets.isEmpty || !assets.isEmpty || !assertions.isEmpty
            || !acts.isEmpty
            || old.document.fallback != new.document.fallback
    }

    package init(from old: TOMLPolicy, to new: TOMLPolicy) {
        self.old = old
        self.new = new
        let (before, after) = (old.document.rulesByID, new.document.rulesByID)
        let areSetsChanged = Self.sets(of: old.document) != Self.sets(of: new.document)
        let rules = [old, new].map { policy in
            Self.exact(policy.document.rules.map { ($0.id, $0.canonicalText) })
        }
        self.rules = Self.changed(rules[0], rules[1], areSetsChanged: areSetsChanged).map {
            RuleChange(id: $0, before: before[$0], after: after[$0])
        }
        let assertions = [old, new].map { policy in
            Self.exact(policy.document.assertions.map { ($0.id, $0.json.written) })
        }
        self.assertions = Self.changed(
            assertions[0], assertions[1], areSetsChanged: areSetsChanged
        ).map { id in
            let isIn = assertions.map { $0[ExactText(id)] != nil }
            return AssertionChange(
                id: id, word: !isIn[0] ? "added" : !isIn[1] ? "removed" : "changed")
        }
        budgets = PartChange.budgets(from: old.document, to: new.document)
        assets = PartChange.assets(from: old.document, to: new.document)
        counters = CounterChange.all(from: old, to: new)
        acts = Governance.Act.allCases.filter {
            Self.differ(old.governance.demands[$0], new.governance.demands[$0])
        }.map(\.rule)
    }

    /// The names of the texts that differ, sorted.
    private static func changed(
        _ before: [ExactText: ExactText], _ after: [ExactText: ExactText], areSetsChanged: Bool
    ) -> [String] {
        Set(before.keys).union(after.keys).filter { name in
            guard let left = before[name], let right = after[name] else { return true }
            // A set with other members changes what names it.
            return left != right || (areSetsChanged && left.text.contains("\"@"))
        }.map(\.text).sorted()
    }

    private static func sets(of document: PolicyDocument) -> [ExactText] {
        document.canonicalParts.filter { $0.hasPrefix("set ") }.map(ExactText.init)
    }

    private static func exact(_ texts: [(name: String, text: String)]) -> [ExactText: ExactText] {
        Dictionary(uniqueKeysWithValues: texts.map { (ExactText($0.name), ExactText($0.text)) })
    }

    /// Whether the demands differ in their approvers; the names of approvers do not matter.
    private static func differ(_ one: ApproverDemand?, _ other: ApproverDemand?) -> Bool {
        guard let one, let other else { return (one == nil) != (other == nil) }
        return !one.isSame(as: other)
    }

    /// The parts that differ: `-` for removed parts, `+` for added parts.
    ///
    /// Each member of a set that is in both policies is one part. A part with characters outside
    /// ASCII is repeated with code points, as some characters look like others.
    package var changedParts: [String] {
        let (before, after) = (parts(of: old.document), parts(of: new.document))
        let (known, kept) = (Set(before), Set(after))
        return before.filter { !kept.contains($0) }.flatMap { $0.lines("- ") }
            + after.filter { !known.contains($0) }.flatMap { $0.lines("+ ") }
    }

    /// The changed parts that must be shown in full: keys of approvers, approvers of acts, lines of
    /// tables, and parts with characters outside ASCII, which may look like other text.
    package var namedParts: [String] {
        let (before, after) = (parts(of: old.document), parts(of: new.document))
        let (known, kept) = (Set(before), Set(after))
        func isNamed(_ part: ExactText) -> Bool {
            let isOfTable = part.text.hasPrefix("rule ") && !part.text.hasPrefix("rule {")
            return !part.isASCII || isOfTable
                || ["approver ", "governance"].contains { part.text.hasPrefix($0) }
        }
        return before.filter { !kept.contains($0) && isNamed($0) }.flatMap { $0.lines("- ") }
            + after.filter { !known.contains($0) && isNamed($0) }.flatMap { $0.lines("+ ") }
    }

    private func parts(of document: PolicyDocument) -> [ExactText] {
        let names = Set(old.document.sets.map { ExactText($0.name) })
            .intersection(new.document.sets.map { ExactText($0.name) })
        return document.parts { names.contains(ExactText($0)) }.map(ExactText.init)
    }
}

extension PolicyDocument {
    fileprivate var rulesByID: [String: PolicyRule] {
        Dictionary(rules.map { ($0.id, $0) }) { first, _ in first }
    }
}

extension ApproverDemand {
    /// Whether both demand the same of the same keys.
    fileprivate func isSame(as other: ApproverDemand) -> Bool {
        minimum == other.minimum && members.map(\.key) == other.members.map(\.key)
            && submitterMayApprove == other.submitterMayApprove && seconds == other.seconds
    }
}

extension Verdict {
    var effect: RuleEffect {
        switch self {
        case .allow: .allow
        case .ask: .ask
        case .deny: .deny
        }
    }
}

/// A text that is equal only to a text with the same bytes; strings also compare equal if they are
/// canonically equivalent.
private struct ExactText: Hashable {
    let text: String
    private let bytes: [UInt8]

    init(_ text: String) {
        self.text = text
        bytes = Array(text.utf8)
    }

    static func == (one: Self, other: Self) -> Bool { one.bytes == other.bytes }

    func hash(into hasher: inout Hasher) { hasher.combine(bytes) }

    var isASCII: Bool { bytes.allSatisfy { $0 < 0x80 } }

    /// The text after a mark; if it is not pure ASCII, a second line shows its code points.
    func lines(_ mark: String) -> [String] {
        guard !isASCII else { return ["\(mark)\(text)"] }
        let exact = text.unicodeScalars.map { scalar in
            scalar.isASCII
                ? String(scalar) : "<U+\(String(scalar.value, radix: 16, uppercase: true))>"
        }.joined()
        return ["\(mark)\(text)", "  exactly: \(exact)"]
    }
}
