// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// Judges once more what is on record of one request, by the policy that judged it then.
package struct ReceiptRerun {
    /// What comes of it.
    package enum Finding: Hashable, Sendable {
        /// The policy says the same, by the same rules.
        case same(String)
        /// It says something else.
        case other(String)
        /// It looks at what is not on record; these.
        case untold([String])
    }

    private let policy: TOMLPolicy
    private let used: @Sendable (LimitClaim) -> Int128?

    /// Judges by `policy`; `used` says how much of a claim was used before, nil where that is not
    /// known.
    package init(_ policy: TOMLPolicy, used: @escaping @Sendable (LimitClaim) -> Int128?) {
        self.policy = policy
        self.used = used
    }

    /// Whether the policy says `verdict` by `rules`.
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
        if !isSettled { missing.insert("what was used of its limits before", at: 0) }
        return missing.isEmpty ? .other(said) : .untold(missing)
    }

    /// What rules for such a request look at that no record holds.
    private func missing(for request: JudgedRequest) -> [String] {
        let payload = policy.vocabulary.schemas
            .filter { $0.protocolID == request.protocolID }
            .flatMap(\.fields).filter(\.isPayload)
        var found: Set<String> = []
        for rule in policy.document.rules {
            for condition in rule.conditions + (rule.exception ?? []) {
                let name = condition.field.name
                let isPayload =
                    name == PolicyField.outflowName || payload.contains { $0.covers(name) }
                if isPayload || Self.peerFields.contains(name) { found.insert(name) }
                if condition.matchers.contains(where: \.looksAtOwn) { found.insert("@own") }
            }
            if rule.schedule != nil || rule.expires != nil {
                found.insert("the moment of the decision")
            }
        }
        // What is flagged, and what has which effect, is told of all operations together.
        if request.operations.count > 1 { found.insert("which operation was flagged") }
        return found.sorted()
    }

    /// What is told of a caller, and which hub it was, and no entry holds.
    private static let peerFields = Set(
        [
            EngineFact.hub, .clientTopOrigin, .processUID, .processExecutable, .processUnit,
            .processHash, .processParents,
        ].map(\.rawValue))
}

/// What is known to have been used.
private struct KnownUsage: LimitUsage {
    let used: @Sendable (LimitClaim) -> Int128?
    /// What is said where nothing is known.
    let otherwise: Int128

    func used(_ claim: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 {
        used(claim) ?? otherwise
    }
}

extension Matcher {
    fileprivate var looksAtOwn: Bool {
        switch self {
        case .isIn(let values), .notIn(let values), .has(let values): values.includesOwn
        default: false
        }
    }
}
