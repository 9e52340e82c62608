// SPDX-License-Identifier: Apache-2.0
package import SigningCore
package import SigningPolicy

/// Finds the rules that applied to no recorded request.
///
/// Requests are judged again. Where that depends on values that are not on record, a rule counts as
/// used.
package struct RuleUse {
    private let policy: TOMLPolicy
    /// The fields whose values are not on record.
    private let payload: [ProtocolID: [FactField]]
    private var used: Set<String> = []

    package init(_ policy: TOMLPolicy) {
        self.policy = policy
        payload = policy.payloadFields
    }

    /// The rules that applied to none of the requests, in the order of the file.
    package var unused: [PolicyRule] {
        policy.document.rules.filter { !used.contains($0.id) }
            .sorted { $0.position < $1.position }
    }

    package mutating func add(_ request: JudgedRequest) throws(LedgerError) {
        let exceptions = Dictionary(
            uniqueKeysWithValues: policy.document.rules.map { rule in
                (rule.id, rule.exceptions.flatMap(\.conditions))
            })
        for trace in try policy.explain(request, usage: NoUsage()).rules
        where mayApply(trace, to: request, exceptions[trace.rule] ?? []) {
            used.insert(trace.rule)
        }
    }

    private func mayApply(
        _ trace: RuleTrace, to request: JudgedRequest, _ exception: [Condition]
    ) -> Bool {
        switch trace.state {
        case .matched, .unknown: true
        case .unmatched(let field, _, _): isMissing(field, request.protocolID)
        case .excepted: exception.contains { isMissing($0.field.name, request.protocolID) }
        case .unmatchedBatch(_, let fields):
            request.operations.count > 1
                || fields.contains { isMissing($0, request.protocolID) }
        // The record adds up the dangers of all operations.
        case .unacknowledged: request.operations.count > 1
        case .expired, .closed, .clockBehind: false
        }
    }

    /// True if the value of a field is not on record.
    private func isMissing(_ field: String, _ protocolID: ProtocolID) -> Bool {
        if let fact = EngineFact(rawValue: field) { return Self.missing.contains(fact) }
        return PolicyField.isOfOutflows(field) || FirstUseField.base(of: field) != nil
            || (payload[protocolID] ?? []).contains { $0.covers(field) }
    }

    private static let missing: [EngineFact] = [
        .clientCallback, .clientTopOrigin, .processUID, .processExecutable, .processUnit,
        .processHash, .processParents,
    ]
}

extension TOMLPolicy {
    /// The fields of each protocol whose values are not on record.
    var payloadFields: [ProtocolID: [FactField]] {
        Dictionary(
            vocabulary.schemas.map { ($0.protocolID, $0.fields.filter(\.isPayload)) }
        ) { $0 + $1 }
    }
}

/// A record in which nothing was counted.
private struct NoUsage: LimitUsage {
    func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 { 0 }

    func usedByName(_: LimitClaim, at _: Timestamp) throws(LedgerError) -> Int128 { 0 }

    func firstUse(of _: Counterparty) throws(LedgerError) -> FirstUse { .unknown }
}
