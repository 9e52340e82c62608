// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// A policy with a fixed verdict.
public struct FixedPolicy: Policy {
    /// The verdict of the policy.
    public enum Answer: Sendable {
        /// Allow, with these limits, and acknowledge every danger.
        case allow([LimitClaim])
        /// Allow after this number of seconds, and acknowledge every danger.
        case allowAfter(Int64)
        /// Allow without acknowledging any danger.
        case allowUnnamed
        /// Ask a person, by a rule.
        case ask
        /// Ask several approvers, by a rule.
        case askPeople([ApproverDemand])
        /// Ask a person about every operation, by default.
        case askByDefault
        /// Deny everything, by default.
        case denyByDefault
        /// Deny.
        case deny
        /// Throw: the snapshot of the limits cannot be read.
        case breakDown
    }

    /// The hash, 32 equal bytes.
    public let hash: [UInt8]
    private let answer: Answer
    private let knownFacts: Set<String>?
    private let askedClaims: [LimitClaim]

    /// Creates a policy; nil for `knownFacts` means that it understands every fact.
    ///
    /// A yes to a question is charged to `askedClaims`.
    public init(
        _ answer: Answer, knownFacts: Set<String>? = nil, hashByte: UInt8 = 0x70,
        askedClaims: [LimitClaim] = []
    ) {
        self.answer = answer
        self.askedClaims = askedClaims
        self.knownFacts = knownFacts
        hash = [UInt8](repeating: hashByte, count: 32)
    }

    /// Whether `knownFacts` contains the fact.
    public func understands(_ fact: Fact, of _: ProtocolID) -> Bool {
        knownFacts?.contains(fact.name) ?? true
    }

    /// Returns the fixed verdict, by the rule `fixed`.
    public func judge(
        _ request: JudgedRequest, usage _: some LimitUsage
    ) throws(LedgerError) -> Judgement {
        let reasons = [Reason(.policyDenied, "fixed answer", rule: "fixed")]
        switch answer {
        case .allow(let claims): return allowed(request, reasons, claims)
        case .allowAfter(let seconds): return allowed(request, reasons, [], after: seconds)
        case .allowUnnamed: return verdict(.allow(reasons), [])
        case .ask: return verdict(.ask(reasons), askedClaims)
        case .askPeople(let demands):
            return Judgement(
                verdict: .ask(reasons), claims: askedClaims, demands: demands, policyHash: hash)
        case .askByDefault:
            return Judgement(
                verdict: .ask([Reason(.policyDenied, "the default")]), claims: askedClaims,
                undecided: request.operations.isEmpty ? [0] : Array(request.operations.indices),
                policyHash: hash)
        case .denyByDefault:
            return verdict(.deny([Reason(.policyDenied, "the default")]), [])
        case .deny: return verdict(.deny(reasons), [])
        case .breakDown: throw .unavailable("double")
        }
    }

    private func allowed(
        _ request: JudgedRequest, _ reasons: [Reason], _ claims: [LimitClaim],
        after delay: Int64 = 0
    ) -> Judgement {
        let operations = request.operations.map { request.dangers + $0.dangers }
        return Judgement(
            verdict: .allow(reasons), claims: claims,
            acknowledged: operations.isEmpty ? [request.dangers] : operations, delay: delay,
            policyHash: hash)
    }

    private func verdict(_ verdict: Verdict, _ claims: [LimitClaim]) -> Judgement {
        Judgement(verdict: verdict, claims: claims, policyHash: hash)
    }
}
