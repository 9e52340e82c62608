// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// Judges a recorded request again with the policy that judged it first.
package struct ReceiptRerun {
    /// The result of the comparison.
    package enum Finding: Hashable, Sendable {
        /// The policy gives the same verdict by the same rules.
        case same(String)
        /// The policy gives another verdict or other rules.
        case other(String)
        /// The verdict depends on these values, which are not on record.
        case undetermined([String])
    }

    private let policy: TOMLPolicy
    private let used: @Sendable (LimitClaim) -> Int128?

    /// Judges by `policy`.
    ///
    /// `used` returns the amount of a claim that was used before; nil if it is unknown.
    package init(_ policy: TOMLPolicy, used: @escaping @Sendable (LimitClaim) -> Int128?) {
        self.policy = policy
        self.used = used
    }

    /// Compares the policy's verdict and rules with `verdict` and `rules`.
    package func finding(
        on request: JudgedRequest, verdict: String, rules: [String]
    ) throws(LedgerError) -> Finding {
        let isKnown = KnownUsage(used: used, otherwise: 0)
        let judged = try policy.judge(request, usage: isKnown).verdict
        let full = KnownUsage(used: used, otherwise: .max / 2)
        let isSettled = try policy.judge(request, usage: full).verdict == judged
        let ids = Set(judged.reasons.compactMap(\.rule))
        let by = ids.isEmpty ? "the default" : ids.sorted().joined(separator: ", ")
        let said = "\(judged.name) by \(by)"
        if isSettled, judged.name == verdict, ids == Set(rules) {
            return .same(said)
        }
        var missing = missing(for: request)
        if !isSettled { missing.insert("earlier uses of its limits", at: 0) }
        return missing.isEmpty ? .other(said) : .undetermined(missing)
    }

    /// The values that rules for such a request use and that are not on record.
    private func missing(for request: JudgedRequest) -> [String] {
        let payload = policy.vocabulary.schemas
            .filter { $0.protocolID == request.protocolID }
            .flatMap(\.fields).filter(\.isPayload)
        var found: Set<String> = []
        for rule in policy.document.rules {
            for condition in rule.allConditions {
                let name = condition.field.name
                let isPayload =
                    PolicyField.isOfOutflows(name) || FirstUseField.base(of: name) != nil
                    || payload.contains { $0.covers(name) }
                if isPayload || Self.peerFields.contains(name) { found.insert(name) }
                if condition.matchers.contains(where: \.looksAtOwn) { found.insert("@own") }
            }
            if rule.schedule != nil || rule.expires != nil
                || rule.exceptions.contains(where: { $0.schedule != nil })
            {
                found.insert("the time of the decision")
            }
        }
        // Dangers and effects are on record for all operations together.
        if request.operations.count > 1 { found.insert("the operation that has the danger") }
        return found.sorted()
    }

    /// The facts of a peer and of the hub that an entry does not contain.
    private static let peerFields = Set(
        [
            EngineFact.hub, .clientTopOrigin, .processUID, .processExecutable, .processUnit,
            .processHash, .processParents,
        ].map(\.rawValue))
}

/// The recorded uses.
private struct KnownUsage: LimitUsage {
    let used: @Sendable (LimitClaim) -> Int128?
    /// The amount to assume if the use is unknown.
    let otherwise: Int128

    func used(_ claim: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 {
        used(claim) ?? otherwise
    }

    func usedByName(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

    func firstUse(of _: Counterparty) throws(LedgerError) -> FirstUse { .unknown }
}

extension Matcher {
    fileprivate var looksAtOwn: Bool {
        switch self {
        case .isIn(let values), .notIn(let values), .has(let values): values.includesOwn
        default: false
        }
    }
}
