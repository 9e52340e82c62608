// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// Judges recorded requests again, in order; the limits start at zero.
package struct PolicyReplay {
    private let policy: TOMLPolicy
    /// The fields whose values are not on record.
    private let payload: [ProtocolID: [FactField]]
    private let rules: [String: PolicyRule]
    private var usage = ReplayUsage()

    package init(_ policy: TOMLPolicy) {
        self.policy = policy
        payload = policy.payloadFields
        rules = Dictionary(policy.document.rules.map { ($0.id, $0) }) { first, _ in first }
    }

    /// The verdict that the policy would give now; nil if it depends on values that are not on
    /// record.
    package mutating func verdict(
        on request: JudgedRequest
    ) throws(LedgerError) -> Verdict? {
        let explanation = try policy.explain(request, usage: usage)
        if case .allow = explanation.judgement.verdict {
            usage.add(explanation.judgement.claims, at: request.time)
        }
        let names = payload[request.protocolID] ?? []
        let isOpen = explanation.rules.contains { trace in
            guard case .unknown(let fields) = trace.state else { return false }
            // An unknown condition on all operations is named by its key.
            let batch = rules[trace.rule]?.batch.filter { fields.contains($0.quantifier.rawValue) }
            let inside = (batch ?? []).flatMap(\.conditions).map(\.field.name)
            return (fields + inside).contains { field in
                // The outflow belongs to operations, and only their facts are on record.
                PolicyField.isOfOutflows(field) || FirstUseField.base(of: field) != nil
                    || names.contains { $0.covers(field) }
            }
        }
        return isOpen ? nil : explanation.judgement.verdict
    }
}

extension FactField {
    /// True if the field is this name or a family that contains it.
    func covers(_ name: String) -> Bool {
        self.name.hasSuffix(".*") ? name.hasPrefix(self.name.dropLast()) : self.name == name
    }
}

/// The uses by earlier requests.
private struct ReplayUsage: LimitUsage {
    private var uses: [String: [(time: Timestamp, amount: Int128)]] = [:]

    mutating func add(_ claims: [LimitClaim], at time: Timestamp) {
        var counted: Set<String> = []
        for claim in claims where counted.insert(claim.counter).inserted {
            uses[claim.counter, default: []].append((time, claim.amount))
        }
    }

    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
        let last = claim.window.lastUncounted(before: now)
        return (uses[claim.counter] ?? []).reduce(0) { sum, use in
            guard use.time.seconds > last else { return sum }
            let (total, hasOverflown) = sum.addingReportingOverflow(use.amount)
            return hasOverflown ? .max : total
        }
    }

    func usedByName(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

    /// The record does not tell who was known when a request was judged.
    func firstUse(of _: Counterparty) throws(LedgerError) -> FirstUse { .unknown }
}
