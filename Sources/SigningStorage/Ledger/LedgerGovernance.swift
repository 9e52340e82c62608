// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// The policy that governs the owner's acts, with the approvers that it demands.
package struct GoverningPolicy: Hashable, Sendable {
    package let hash: [UInt8]
    package let governance: Governance

    /// Creates a value from a policy's hash and the demands of the policy.
    package init(hash: [UInt8], _ governance: Governance) {
        self.hash = hash
        self.governance = governance
    }
}

/// The consent to an act of the owner: the owner's alone, or also that of the approvers.
package struct ActConsent: Hashable, Sendable {
    /// The policy in force, read from the vault; nil if it cannot be read.
    package let vaultPolicy: GoverningPolicy?
    /// The digest of the question that the approvers approved; nil if they were not asked.
    package let question: [UInt8]?
    /// The hash of the entry that put the policy in force under which they were asked.
    package let policyEntry: [UInt8]

    /// The consent of the owner alone, if no policy can be read from the vault.
    package static let none = ActConsent(vaultPolicy: nil)

    /// The consent of the owner alone, with the policy of the vault.
    package init(vaultPolicy: GoverningPolicy?) {
        self.vaultPolicy = vaultPolicy
        question = nil
        policyEntry = []
    }

    /// The consent of the owner, and of the approvers by their answers to `question`, which was
    /// asked because of the demands `wanted`.
    package init(vaultPolicy: GoverningPolicy?, question: [UInt8], under wanted: ActDemands) {
        self.vaultPolicy = vaultPolicy
        self.question = question
        policyEntry = wanted.policyEntry
    }
}

/// The demands that an act must satisfy: those of the record's policy, and those of the vault's
/// policy if it is a different one.
package struct ActDemands: Hashable, Sendable {
    /// The hash of the policy in force, to which an approval is bound.
    package let policyHash: [UInt8]
    /// The hash of the entry that put the policy in force; empty if it is not on record.
    package let policyEntry: [UInt8]
    /// The demands; empty if the owner acts alone.
    package let demands: [ApproverDemand]
}

extension SQLiteLedger {
    /// The demands that an act must satisfy now; `vaultPolicy` is the policy in the vault.
    package func demands(
        _ act: Governance.Act, vaultPolicy: GoverningPolicy?
    ) throws(LedgerError) -> ActDemands {
        try read { access throws(LedgerError) in try access.demands(act, vaultPolicy) }
    }

    /// Creates the act that puts a policy in force after the newest policy entry.
    package func act(
        puttingInForce hash: [UInt8], demanding governance: Governance
    ) throws(LedgerError) -> GovernedAct {
        try read { access throws(LedgerError) in
            try access.act(puttingInForce: hash, demanding: governance)
        }
    }
}

extension Access<LedgerError> {
    /// Creates the act that puts a policy in force after the newest policy entry.
    func act(
        puttingInForce hash: [UInt8], demanding governance: Governance
    ) throws(LedgerError) -> GovernedAct {
        .policy(
            PolicyChange(
                hash: hash,
                governance: GovernanceRecord.digest(of: GovernanceRecord.text(governance)),
                after: try newestEntry(of: .attest)?.hash ?? []))
    }

    /// The policy in force according to the record; nil if the record has no policy entry.
    func governingPolicy() throws(LedgerError) -> GoverningPolicy? {
        let entry: AuditEntry?
        if let mark = try policyMark() {
            entry = try entries(after: mark.sequence - 1, countMax: 1).first
            let newest = try newestEntry(of: .attest)
            guard entry?.sequence == mark.sequence, newest?.sequence == mark.sequence else {
                throw .corrupt("the entry of the policy in force is missing")
            }
        } else {
            entry = try newestEntry(of: .attest)
        }
        guard let entry else { return nil }
        guard let found = AttestingEntry(entry) else {
            throw .corrupt("the entry of a policy has an unknown form")
        }
        return GoverningPolicy(hash: found.policyHash, found.governance)
    }

    func demands(
        _ act: Governance.Act, _ vaultPolicy: GoverningPolicy?
    ) throws(LedgerError) -> ActDemands {
        let recorded = try governingPolicy()
        var demands: [ApproverDemand] = []
        for policy in [recorded, vaultPolicy] {
            // Both policies count: a demand must not vanish because the record was started anew or
            // the vault was restored from a backup.
            guard let demand = policy?.governance.demands[act], !demands.contains(demand) else {
                continue
            }
            demands.append(demand)
        }
        return ActDemands(
            policyHash: recorded?.hash ?? vaultPolicy?.hash ?? [],
            policyEntry: try newestEntry(of: .attest)?.hash ?? [], demands: demands)
    }

    /// Returns the approvers' approval of exactly this act, which the act's entry uses up; nil if
    /// no approver is demanded.
    ///
    /// Throws if the approval is missing, was used before, or is for another act or policy.
    func use(
        _ consent: ActConsent, for act: GovernedAct, at now: Timestamp
    ) throws(LedgerError) -> ApprovalEntry? {
        let wanted = try demands(act.kind, consent.vaultPolicy)
        guard !wanted.demands.isEmpty else { return nil }
        guard let digest = consent.question else {
            let asked = wanted.demands.map(\.text).joined(separator: ", and ")
            throw .notApproved("the policy in force requires a yes of \(asked)")
        }
        guard let waiting = try openJointQuestion(digest) else {
            throw .notApproved("the question no longer exists, or was already used")
        }
        let question = waiting.question
        guard question.isAbout(act, wanted), consent.policyEntry == wanted.policyEntry else {
            throw .notApproved(
                "the yes was for something else, or another policy is in force now")
        }
        let yeses: [JointAnswer]
        switch waiting.state(by: try jointCheck(question, at: now)) {
        case .approved(let counted): yeses = counted
        case .refused(let name): throw .notApproved("the approver \(name) said no")
        case .open: throw .notApproved("not enough of the answers are valid")
        }
        return ApprovalEntry(
            JointApproval(question, yeses, digest: digest), ownKeys: question.ownKeys)
    }
}

extension JointQuestion {
    /// Whether the question is about exactly this act, under the governing policy and its demands.
    func isAbout(_ act: GovernedAct, _ wanted: ActDemands) -> Bool {
        isAbout(act) && binding.policyHash == wanted.policyHash && demands == wanted.demands
    }

    /// Whether the question is about exactly this act.
    func isAbout(_ act: GovernedAct) -> Bool {
        binding.requestDigest == act.digest && isOfOneKind && totals == [act.text]
    }
}
