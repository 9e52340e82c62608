// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningCrypto

/// What the record says of whom a policy wants asked where its owner acts.
enum GovernanceRecord {
    static func json(_ governance: Governance) -> JSON {
        .sorted(
            Dictionary(
                uniqueKeysWithValues: governance.demands.map {
                    ($0.rawValue, JointRecord.json($1))
                }))
    }

    /// The same as it is signed; nil where nothing is demanded.
    static func text(_ governance: Governance) -> [UInt8]? {
        governance.isEmpty ? nil : json(governance).write()
    }

    /// SHA-256 of that; nothing where nothing is demanded.
    static func digest(of text: [UInt8]?) -> [UInt8] {
        text.map { Digest.sha256($0.span) } ?? []
    }

    /// What such a member says, nothing where it is not there; nil where it is anything else.
    static func governance(_ json: JSON?) -> Governance? {
        guard let json else { return Governance.none }
        var demands: [Governance.Act: ApproverDemand] = [:]
        for act in Governance.Act.allCases {
            guard let member = json[act.rawValue] else { continue }
            guard let demand = JointRecord.demand(member), demand.rule == act.rule else {
                return nil
            }
            demands[act] = demand
        }
        let governance = Governance(demands)
        // There is one way to write it.
        return text(governance) == json.write() ? governance : nil
    }
}

/// What governs a record or a vault: a policy, and whom it wants asked where its owner acts.
package struct GoverningPolicy: Hashable, Sendable {
    package let hash: [UInt8]
    package let governance: Governance

    /// Pairs both.
    package init(hash: [UInt8], _ governance: Governance) {
        self.hash = hash
        self.governance = governance
    }
}

/// By what an owner acts.
package struct ActConsent: Hashable, Sendable {
    /// The policy that the vault has in force; nil where it has none that can be read.
    package let vaultPolicy: GoverningPolicy?
    /// The question to several people that was answered with yes; nil where none was asked.
    package let question: [UInt8]?
    /// The hash of the entry that had put in force the policy under which they were asked.
    package let policyEntry: [UInt8]

    /// The owner's word alone.
    package static let none = ActConsent(vaultPolicy: nil)

    /// The owner's word alone, beside the policy of the vault.
    package init(vaultPolicy: GoverningPolicy?) {
        self.vaultPolicy = vaultPolicy
        question = nil
        policyEntry = []
    }

    /// With the question that was put to meet some demands.
    package init(vaultPolicy: GoverningPolicy?, question: [UInt8], under wanted: ActDemands) {
        self.vaultPolicy = vaultPolicy
        self.question = question
        policyEntry = wanted.policyEntry
    }
}

/// What has to be met for an act: by the record, and by the vault where that knows another policy.
package struct ActDemands: Hashable, Sendable {
    /// The policy in force, which a yes is bound to.
    package let policyHash: [UInt8]
    /// The hash of the entry that put it in force; nothing where none is on record.
    package let policyEntry: [UInt8]
    /// None where the owner acts alone.
    package let demands: [ApproverDemand]
}

extension SQLiteLedger {
    /// What an act takes.
    package func demands(
        _ act: Governance.Act, vaultPolicy: GoverningPolicy?
    ) throws(LedgerError) -> ActDemands {
        try read { access throws(LedgerError) in try access.demands(act, vaultPolicy) }
    }

    /// What it is to put a policy in force now.
    package func act(
        puttingInForce hash: [UInt8], demanding governance: Governance
    ) throws(LedgerError) -> GovernedAct {
        try read { access throws(LedgerError) in
            try access.act(puttingInForce: hash, demanding: governance)
        }
    }
}

extension Access<LedgerError> {
    /// What it is to put a policy in force now.
    func act(
        puttingInForce hash: [UInt8], demanding governance: Governance
    ) throws(LedgerError) -> GovernedAct {
        .policy(
            PolicyChange(
                hash: hash,
                governance: GovernanceRecord.digest(of: GovernanceRecord.text(governance)),
                after: try newestEntry(of: .attest)?.hash ?? []))
    }

    /// The policy in force as the record has it; nil where none was put on record.
    func governingPolicy() throws(LedgerError) -> GoverningPolicy? {
        let entry: AuditEntry?
        if let mark = try policyMark() {
            entry = try entries(after: mark.sequence - 1, countMax: 1).first
            let newest = try newestEntry(of: .attest)
            guard entry?.sequence == mark.sequence, newest?.sequence == mark.sequence else {
                throw .corrupt("the entry of the policy in force is not there")
            }
        } else {
            entry = try newestEntry(of: .attest)
        }
        guard let entry else { return nil }
        guard let found = AttestingEntry(entry) else {
            throw .corrupt("the record of a policy is none of ours")
        }
        return GoverningPolicy(hash: found.policyHash, found.governance)
    }

    func demands(
        _ act: Governance.Act, _ vaultPolicy: GoverningPolicy?
    ) throws(LedgerError) -> ActDemands {
        let recorded = try governingPolicy()
        var demands: [ApproverDemand] = []
        for policy in [recorded, vaultPolicy] {
            // A record that was begun anew, or a vault that was put back, takes nothing away.
            guard let demand = policy?.governance.demands[act], !demands.contains(demand) else {
                continue
            }
            demands.append(demand)
        }
        return ActDemands(
            policyHash: recorded?.hash ?? vaultPolicy?.hash ?? [],
            policyEntry: try newestEntry(of: .attest)?.hash ?? [], demands: demands)
    }

    /// Uses up what several people said yes to, for exactly this act; nil where nobody has to.
    func use(
        _ consent: ActConsent, for act: GovernedAct, at now: Timestamp
    ) throws(LedgerError) -> ActApproval? {
        let wanted = try demands(act.kind, consent.vaultPolicy)
        guard !wanted.demands.isEmpty else { return nil }
        guard let digest = consent.question else {
            let asked = wanted.demands.map(\.text).joined(separator: ", and ")
            throw .notApproved("the policy in force wants a yes of \(asked)")
        }
        guard let waiting = try openJointQuestion(digest) else {
            throw .notApproved("the question is not there any more, or was used")
        }
        let question = waiting.question
        guard question.isAbout(act, wanted), consent.policyEntry == wanted.policyEntry else {
            throw .notApproved(
                "the yes was to something else, or another policy is in force by now")
        }
        let yeses: [JointAnswer]
        switch waiting.standing(by: try jointCheck(question, at: now)) {
        case .approved(let counted): yeses = counted
        case .refused(let name): throw .notApproved("the approver \(name) said no")
        case .open: throw .notApproved("not enough of the answers count")
        }
        try markUsed(digest, by: act)
        return ActApproval(
            JointApproval(question, yeses, digest: digest), ownKeys: question.ownKeys)
    }
}

extension JointQuestion {
    /// Whether it was put for exactly this act, under the policy and to the people that govern it.
    func isAbout(_ act: GovernedAct, _ wanted: ActDemands) -> Bool {
        binding.requestDigest == act.digest && binding.policyHash == wanted.policyHash
            && isOfOneKind && totals == [act.text] && demands == wanted.demands
    }
}
