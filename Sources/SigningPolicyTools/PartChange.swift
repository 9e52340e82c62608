// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// A named part that differs between two policies: a budget or an asset.
package struct PartChange: Sendable {
    package let name: String
    /// The part before and after in words; `before` is nil for an added part, `after` for a removed
    /// one.
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

    static func budgets(from old: PolicyDocument, to new: PolicyDocument) -> [PartChange] {
        all(old, new) { document in document.budgets.map { ($0.name, $0.words) } }
    }

    static func assets(from old: PolicyDocument, to new: PolicyDocument) -> [PartChange] {
        all(old, new) { document in document.assets.map { ($0.name, $0.words) } }
    }

    private static func all(
        _ old: PolicyDocument, _ new: PolicyDocument,
        _ words: (PolicyDocument) -> [(name: String, words: String)]
    ) -> [PartChange] {
        let (before, after) = (
            Dictionary(words(old)) { first, _ in first },
            Dictionary(words(new)) { first, _ in first }
        )
        return Set(before.keys).union(after.keys).sorted().compactMap { name in
            guard before[name] != after[name] else { return nil }
            return PartChange(name: name, before: before[name], after: after[name])
        }
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
        guard let field = shownField else { return "\(maximum) \(window.text)\(by)" }
        return "\(field.shown(.integer(maximum))) of \(field.name) \(window.text)\(by)"
    }
}

extension PolicyAsset {
    /// The asset without its name, such as `usdt.near on near mainnet, 6 decimals`.
    fileprivate var words: String {
        let field = PolicyField(name: "", type: .text, isList: false)
        return "\(field.shown(identity)) on \(protocolName) \(VisibleText.escaped(network)), "
            + "\(decimals) decimals"
    }
}
