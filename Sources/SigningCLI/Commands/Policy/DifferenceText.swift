// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningPolicy
import SigningPolicyTools

extension PolicyDifference {
    /// The maximum number of rules with an example request; the names of all rules are shown.
    private static let shownRulesMax = 20
    /// The maximum number of lines about changed parts.
    private static let shownPartsMax = 100

    /// The difference as text for people.
    var text: String {
        var rows = [word]
        for (name, witness) in [("widens", widening), ("tightens", tightening)] {
            guard let witness else { continue }
            rows += Self.rows("  \(name)", witness)
        }
        rows += ruleRows
        if !changedActs.isEmpty {
            rows.append("changed governance: \(changedActs.joined(separator: ", "))")
        }
        let parts = namedParts
        rows += parts.prefix(Self.shownPartsMax).map { "  \($0)" }
        if parts.count > Self.shownPartsMax {
            rows.append("  and \(parts.count - Self.shownPartsMax) more such lines")
        }
        if widening == nil, isChanged {
            rows.append("\(isProvedNotToWiden ? "proved" : "not proved"): nothing widens")
        }
        if tightening == nil, isChanged {
            rows.append("\(isProvedNotToTighten ? "proved" : "not proved"): nothing tightens")
        }
        if triedCount > 0 {
            rows.append(
                "tried \(triedCount) requests made of the values that rules name"
                    + (triedAllNamed ? "" : ", a sample of them"))
        }
        return rows.joined(separator: "\n")
    }

    /// The changed rules by name, with an example of each widening that is not shown above.
    private var ruleRows: [String] {
        var rows: [String] = []
        for word in ["added", "changed", "removed"] {
            let rules = changes.filter { $0.word == word }
            guard !rules.isEmpty else { continue }
            let names = rules.map { "\($0.id) (\($0.effects))" }
            rows.append("\(word) rules: \(names.joined(separator: ", "))")
        }
        let shown = widening?.request
        for change in changes.filter({ $0.widening.map { $0.request != shown } ?? false })
            .prefix(Self.shownRulesMax)
        {
            guard let witness = change.widening else { continue }
            rows += Self.rows("  \(change.id) widens", witness)
        }
        let unseen = changes.filter(\.mayWidenUnseen).map(\.id)
        if !unseen.isEmpty {
            rows.append(
                "may widen, though no request was found that shows it: "
                    + unseen.joined(separator: ", "))
        }
        return rows
    }

    private static func rows(_ head: String, _ witness: Witness) -> [String] {
        ["\(head): \(witness.before) -> \(witness.after) for \(witness.request)"]
            + (witness.past.map { ["    with \($0)"] } ?? [])
    }

    var json: JSON {
        [
            "difference": .string(word), "widening": Self.json(widening),
            "tightening": Self.json(tightening),
            "changed_rules": .array(changedRules.map { .string($0) }),
            "rules": .array(changes.map(Self.json)),
            "changed_governance": .array(changedActs.map { .string($0) }),
            // The tried requests are examples; only equal texts prove that the policies are equal.
            "tried": .integer(Int64(triedCount)), "exhaustive": .bool(!isChanged),
            "proved_not_to_widen": .bool(!isChanged || isProvedNotToWiden),
            "proved_not_to_tighten": .bool(!isChanged || isProvedNotToTighten),
        ]
    }

    private static func json(_ change: RuleChange) -> JSON {
        [
            "id": .string(change.id), "change": .string(change.word),
            "before": (change.before?.effect.rawValue).map { .string($0) } ?? .null,
            "after": (change.after?.effect.rawValue).map { .string($0) } ?? .null,
            "proved_not_to_widen": .bool(change.isProvedNotToWiden),
            "widening": json(change.widening),
        ]
    }

    private static func json(_ witness: Witness?) -> JSON {
        guard let witness else { return .null }
        return [
            "request": .string(witness.request), "before": .string(witness.before),
            "after": .string(witness.after), "past": witness.past.map { .string($0) } ?? .null,
        ]
    }
}
