// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
internal import SigningFiles
internal import SigningPolicy
package import SigningStorage
internal import SigningVault

/// Puts an act of the owner to the people that the policy in force demands, and waits for their
/// answers.
package struct GovernanceQuestions: Sendable {
    /// The demands to meet; empty if the owner may act alone.
    package let wanted: ActDemands
    private let act: GovernedAct
    private let vaultPolicy: GoverningPolicy?
    private let ledger: SQLiteLedger
    private let vault: Vault

    fileprivate init(
        _ act: GovernedAct, by vaultPolicy: GoverningPolicy?, _ ledger: SQLiteLedger, _ vault: Vault
    ) throws {
        // A policy that another hub put in force counts as well.
        try ledger.catchUp()
        wanted = try ledger.demands(act.kind, vaultPolicy: vaultPolicy)
        self.act = act
        self.vaultPolicy = vaultPolicy
        self.ledger = ledger
        self.vault = vault
    }

    /// The consent of the owner alone, sufficient without demands.
    package var alone: ActConsent { ActConsent(vaultPolicy: vaultPolicy) }

    /// Asks with this text and waits until enough people said yes; cancelling the task withdraws
    /// the question.
    package func ask(
        _ text: String, onWaiting: @escaping @Sendable (String, [ApproverDemand]) -> Void
    ) async throws -> ActConsent {
        let ownKeys = try vault.ownApprovers(onRecordOf: ledger)
        guard text.utf8.count <= JointQuestion.textBytesMax else {
            throw ServiceError(
                "there is too much to show to approvers at once "
                    + "(\(JointQuestion.textBytesMax >> 10) KiB)",
                hint: act.kind == .policy ? "change less at a time" : nil)
        }
        try checkSatisfiable(besides: ownKeys)
        let now = SystemEnvironment().now()
        let seconds = wanted.demands.map(\.seconds).min() ?? ApproverDemand.secondsDefault
        let keys: [KeyID] =
            switch act {
            case .export(let key, _), .tags(let key, _, _): [key]
            case .policy, .thaw: []
            }
        let question = JointQuestion(
            binding: ApprovalBinding(
                nonce: Randomness.bytes(16), requestDigest: act.digest,
                policyHash: wanted.policyHash, keys: keys, expires: now.adding(seconds: seconds)),
            text: text, totals: [act.text], demands: wanted.demands, ownKeys: ownKeys)
        let questions = JointQuestions(
            ledger, vault, JointWords(text: { _ in text }, onWaiting: onWaiting))
        do throws(ApprovalError) {
            let gathered = try await questions.ask(question)
            return try consent(by: gathered, of: questions)
        } catch {
            let isExpired = SystemEnvironment().now() > question.binding.expires
            throw Self.error(error, isExpired: isExpired)
        }
    }

    /// Withdraws an approved question that was not used.
    package func withdraw(_ consent: ActConsent) async {
        guard let question = consent.question else { return }
        try? await ledger.withdraw(question)
    }

    private func consent(
        by gathered: JointAnswers, of questions: JointQuestions
    ) throws(ApprovalError) -> ActConsent {
        let question = gathered.question
        let check = try questions.check(question, at: SystemEnvironment().now())
        switch question.state(of: gathered.answers, by: check) {
        case .approved:
            return ActConsent(vaultPolicy: vaultPolicy, question: check.digest, under: wanted)
        case .refused, .open: throw .timedOut
        }
    }

    /// Fails at once if the people who could answer are too few.
    private func checkSatisfiable(besides ownKeys: [[UInt8]]) throws {
        let retired = try ledger.retiredApprovers()
        for demand in wanted.demands
        where !demand.isSatisfiable(besides: ownKeys, retired: retired) {
            throw ServiceError(
                "\(demand.rule) can never be met: it needs \(demand.text), but too few of their "
                    + "keys are valid here",
                hint: "see Docs/Approvers.md, Losing a key")
        }
    }

    private static func error(
        _ error: ApprovalError, isExpired: Bool
    ) -> ServiceError {
        switch error {
        case .withdrawn: return .takenBack
        case .unavailable:
            return ServiceError(
                "the question cannot be sent to approvers",
                hint: "check that the record can be written: countersign doctor")
        case .tooMany:
            return ServiceError(
                "too many questions wait for approvers",
                hint: "see which questions wait: countersign approver pending")
        case .timedOut:
            return isExpired
                ? ServiceError(
                    "not enough approvers answered in time", hint: "run the command again")
                : ServiceError("an approver said no", hint: "nothing was done")
        }
    }
}

extension ServiceError {
    fileprivate static let takenBack = ServiceError(
        "the question to the approvers was withdrawn", hint: "nothing was done", isCancelled: true)
}

extension ApproverDemand {
    /// Returns whether enough keys count in a home that holds these keys itself.
    func isSatisfiable(besides ownKeys: [[UInt8]], retired: Set<[UInt8]>) -> Bool {
        counted(besides: ownKeys).count { !retired.contains($0.key) } >= minimum
    }
}

extension OpenHome {
    /// Returns the questions for an act; needs an unlocked vault.
    package func governance(
        over act: GovernedAct, in ledger: SQLiteLedger
    ) throws -> GovernanceQuestions {
        // If the policy cannot be read any more, the demands come from the record alone.
        let policy = try? attestedPolicy()
        return try GovernanceQuestions(
            act, by: policy.map { GoverningPolicy(hash: $0.hash, $0.governance) }, ledger, vault)
    }

    /// Returns the demands for the owner's acts, and whether enough approver keys are valid for
    /// each.
    package func governanceStanding(
        in ledger: SQLiteLedger
    ) throws -> [(demand: ApproverDemand, isSatisfiable: Bool)] {
        let ownKeys = try vault.knownOwnApprovers(in: ledger)
        let policy = (try? attestedPolicy()).map { GoverningPolicy(hash: $0.hash, $0.governance) }
        let retired = try ledger.retiredApprovers()
        var found: [(ApproverDemand, Bool)] = []
        for act in Governance.Act.allCases {
            found += try ledger.demands(act, vaultPolicy: policy).demands.map {
                ($0, $0.isSatisfiable(besides: ownKeys, retired: retired))
            }
        }
        return found
    }

    /// Returns the acts that could not be approved any more without a key.
    package func governanceLost(
        without key: [UInt8], in ledger: SQLiteLedger
    ) throws -> [ApproverDemand] {
        guard let policy = try? attestedPolicy() else { return [] }
        let ownKeys = try vault.knownOwnApprovers(in: ledger)
        let retired = try ledger.retiredApprovers()
        return policy.governance.demands.values.sorted { $0.rule < $1.rule }.filter {
            $0.isSatisfiable(besides: ownKeys, retired: retired)
                && !$0.isSatisfiable(besides: ownKeys, retired: retired.union([key]))
        }
    }

    /// The largest policy whose changes several people are shown, in bytes.
    ///
    /// The question can then hold the removal of the whole policy and a new one of this length.
    private static let governedBytesMax = JointQuestion.textBytesMax / 4

    /// Returns a bound on the shown length of a part.
    ///
    /// A part with non-ASCII characters is shown twice, its characters as numbers of up to ten
    /// bytes: at most five for each of its bytes.
    private static func shownBytesMax(_ part: String) -> Int {
        part.utf8.allSatisfy { $0 < 0x80 } ? part.utf8.count : 5 * part.utf8.count
    }

    /// Refuses a policy whose later changes could never be approved in this home.
    func checkCanBeChanged(_ policy: TOMLPolicy, in ledger: SQLiteLedger) throws {
        guard !policy.governance.isEmpty else { return }
        let bytes = policy.document.canonicalParts.reduce(0) { $0 + Self.shownBytesMax($1) }
        guard policy.governance.demands[.policy] == nil || bytes <= Self.governedBytesMax else {
            throw ServiceError(
                "the policy is too long to be shown to approvers (\(Self.governedBytesMax >> 10) "
                    + "KiB), so they could never change it again",
                hint: "name fewer members in sets, or leave \"policy\" out of [governance]")
        }
        let ownKeys = try vault.knownOwnApprovers(in: ledger)
        let retired = try ledger.retiredApprovers()
        let demands = policy.governance.demands.values.sorted { $0.rule < $1.rule }
        for demand in demands where !demand.isSatisfiable(besides: ownKeys, retired: retired) {
            throw ServiceError(
                "\(demand.rule) could never be met here: it needs \(demand.text), but too few of "
                    + "their keys are valid",
                hint: "an approver key of this home needs submitter_may_approve; a retired key is "
                    + "never valid")
        }
    }
}
