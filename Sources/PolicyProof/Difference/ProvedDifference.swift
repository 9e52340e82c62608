// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// The requests that one policy answers differently from another: for each kind of change an
/// example, or a proof that there is none.
package struct ProvedDifference: Sendable {
    /// A kind of change.
    ///
    /// A request that is allowed after a shorter delay than before is newly allowed.
    package enum Change: String, CaseIterable, Sendable {
        case newlyAllowed, newlyAsked, newlyDenied, fewerApprovers

        /// The name for people.
        package var name: String {
            switch self {
            case .newlyAllowed: "newly allowed"
            case .newlyAsked: "newly asked"
            case .newlyDenied: "newly denied"
            case .fewerApprovers: "fewer approvers"
            }
        }
    }

    /// A request that both policies were asked about.
    package struct Witness: Hashable, Sendable {
        package let request: String
        package let before: String
        package let after: String
        /// The earlier uses of limits; nil if there are none.
        package let past: String?
    }

    /// The knowledge about one kind of change.
    package enum Finding: Hashable, Sendable {
        /// No request shows the change.
        case proved
        case shown(Witness)
        /// Neither is known, because of this part of requests or of the search.
        case notProved(String)
    }

    package private(set) var findings: [Change: Finding] = [:]

    package subscript(change: Change) -> Finding { findings[change] ?? .proved }

    /// Compares two policies from a moment on.
    package init(from old: TOMLPolicy, to new: TOMLPolicy, at now: Timestamp) {
        for change in Change.allCases { findings[change] = .proved }
        // Bytes decide: `==` of texts also equates canonically equivalent ones.
        let (before, after) = (old.document.canonicalJSON.utf8, new.document.canonicalJSON.utf8)
        guard !before.elementsEqual(after) else { return }
        if let witness = Self.fewerForActs(old.governance, new.governance) {
            findings[.fewerApprovers] = .shown(witness)
        }
        let rules = old.document.rules + new.document.rules
        if let total = Self.ambiguousTotal(rules) {
            for change in Change.allCases { note(.notProved(total), change) }
            return
        }
        guard let times = TimeTable(rules, from: now) else {
            for change in Change.allCases { note(.notProved("time"), change) }
            return
        }
        var seen: Set<ProtocolID> = []
        for schema in old.vocabulary.schemas + new.vocabulary.schemas
        where seen.insert(schema.protocolID).inserted {
            let comparison = Comparison(old, new, schema.protocolID, times, now)
            for change in Change.allCases {
                if case .shown = self[change] { continue }
                note(comparison.finding(change), change)
            }
        }
        guard !old.document.countsSimply || !new.document.countsSimply else { return }
        let budgets = old.document.budgets + new.document.budgets
        let part = budgets.lazy.flatMap(\.limits).compactMap(\.ratedField).first ?? "budgets"
        for change in Change.allCases { note(.notProved(part), change) }
    }

    /// The name of a total that means different assets in the two policies; nil if there is none.
    private static func ambiguousTotal(_ rules: [PolicyRule]) -> String? {
        var known: [String: RequestTotal] = [:]
        for condition in rules.flatMap(\.allConditions) {
            guard let total = RequestTotal(condition) else { continue }
            let name = condition.field.name
            let other = known.updateValue(total, forKey: name) ?? total
            guard other.token?.id == total.token?.id, other.coin == total.coin else { return name }
        }
        return nil
    }

    /// A witness wins over the lack of a proof, which wins over a proof.
    private mutating func note(_ finding: Finding, _ change: Change) {
        switch (self[change], finding) {
        case (.proved, _), (.notProved, .shown): findings[change] = finding
        default: break
        }
    }

    /// An act of the owner that needs fewer approvers than before.
    private static func fewerForActs(_ old: Governance, _ new: Governance) -> Witness? {
        for act in Governance.Act.allCases {
            guard let before = old.demands[act] else { continue }
            let after = new.demands[act]
            guard after?.isAsStrict(as: before) != true else { continue }
            return Witness(
                request: act.rule, before: before.text, after: after?.text ?? "the owner alone",
                past: nil)
        }
        return nil
    }
}

extension ApproverDemand {
    /// Whether everything that satisfies this demand also satisfies the other.
    package func isAsStrict(as other: ApproverDemand) -> Bool {
        let keys = Set(other.members.map(\.key))
        return minimum >= other.minimum && members.allSatisfy { keys.contains($0.key) }
            && (other.submitterMayApprove || !submitterMayApprove) && seconds <= other.seconds
    }
}
