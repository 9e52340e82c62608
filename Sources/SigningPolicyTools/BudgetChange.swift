// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// A budget that differs between two policies.
package struct BudgetChange: Sendable {
    package let name: String
    /// The budget before and after in words; `before` is nil for an added budget, `after` for a
    /// removed one.
    package let before: String?
    package let after: String?

    /// `added`, `removed` or `changed`.
    package var word: String {
        if before == nil { return "added" }
        return after == nil ? "removed" : "changed"
    }

    /// The name with its words, such as `daily (5 per 1d -> 6 per 1d)`.
    package var text: String {
        "\(name) (\([before, after].compactMap(\.self).joined(separator: " -> ")))"
    }

    static func all(from old: PolicyDocument, to new: PolicyDocument) -> [BudgetChange] {
        let (before, after) = (words(old), words(new))
        return Set(before.keys).union(after.keys).sorted().compactMap { name in
            guard before[name] != after[name] else { return nil }
            return BudgetChange(name: name, before: before[name], after: after[name])
        }
    }

    private static func words(_ document: PolicyDocument) -> [String: String] {
        Dictionary(document.budgets.map { ($0.name, $0.words) }) { first, _ in first }
    }
}

extension PolicyBudget {
    /// All that the canonical form holds, in words.
    fileprivate var words: String {
        var parts = limits.map(\.words).sorted()
        if isFinal { parts.append("final") }
        if let demand {
            let keys = demand.members.map { "\($0.name) \($0.key.approverText)" }.sorted()
            parts.append(
                "escalates to \(demand.text) within \(WrittenDuration.text(of: demand.seconds))"
                    + (demand.submitterMayApprove ? ", submitter too" : "")
                    + ": \(keys.joined(separator: ", "))")
        } else if onExceed == .ask {
            parts.append("escalates")
        }
        parts += rates.map { "\($0.asset) at \($0.rate)" }
        return parts.joined(separator: ", ")
    }
}

extension PolicyLimit {
    fileprivate var words: String {
        let by = scope.isEmpty ? "" : " by \(scope.map(\.name).joined(separator: " and "))"
        switch measure {
        case .operations: return "\(maximum) \(window.text)\(by)"
        case .sum(let field):
            return "\(field.shown(.integer(maximum))) of \(field.name) \(window.text)\(by)"
        }
    }
}
