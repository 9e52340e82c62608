// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

/// A home whose owner needs two of alice, bob and carol; carol's key is in the same home.
struct GovernedRig {
    let rig: JointRig
    static let strict = [UInt8](repeating: 1, count: 32)
    static let lax = [UInt8](repeating: 2, count: 32)

    init(puttingInForce isInForce: Bool = true) throws {
        rig = try JointRig()
        if isInForce { try attest(Self.strict, demanding: governance) }
    }

    var ledger: SQLiteLedger { rig.ledger }
    var now: Timestamp { rig.now }

    var governance: Governance {
        let members = [rig.alice, rig.bob, rig.carol].map {
            ApproverDemand.Member(name: $0.name, key: $0.publicKey)
        }
        return Governance(
            Dictionary(
                uniqueKeysWithValues: Governance.Act.allCases.map {
                    ($0, ApproverDemand(rule: $0.rule, minimum: 2, members: members))
                }))
    }

    func attest(
        _ hash: [UInt8], demanding governance: Governance = .none, by question: [UInt8]? = nil,
        at seconds: Int64 = 1_000, vaultPolicy: GoverningPolicy? = nil
    ) throws(AttestingError) {
        try rig.asking.vault.attest(
            policy: hash, hash: hash, demanding: governance, at: Timestamp(seconds: seconds),
            .now(question, vaultPolicy, in: ledger), in: ledger)
    }

    /// The reason that a policy is not put in force; nil if it is.
    func refusal(
        _ hash: [UInt8], by question: [UInt8]?, at seconds: Int64 = 1_000,
        vaultPolicy: GoverningPolicy? = nil
    ) -> String? {
        Self.refusal { () throws(AttestingError) in
            try attest(hash, by: question, at: seconds, vaultPolicy: vaultPolicy)
        }
    }

    /// The act of putting a policy in force that demands no approvers.
    func change(_ hash: [UInt8]) throws -> GovernedAct {
        try ledger.act(puttingInForce: hash, demanding: .none)
    }

    static func refusal(_ body: () throws -> Void) -> String? {
        do { try body() } catch AttestingError.ledger(.notApproved(let text)) {
            return text
        } catch LedgerError.notApproved(let text) {
            return text
        } catch { return "\(error)" }
        return nil
    }

    func question(
        _ act: GovernedAct, under policy: [UInt8] = strict, nonce: UInt8 = 1,
        demands: [ApproverDemand]? = nil
    ) -> JointQuestion {
        JointQuestion(
            binding: ApprovalBinding(
                nonce: [UInt8](repeating: nonce, count: 16), requestDigest: act.digest,
                policyHash: policy, keys: [], expires: Timestamp(seconds: 1_900)),
            text: "in words", totals: [act.text],
            demands: demands ?? governance.demands[act.kind].map { [$0] } ?? [],
            ownKeys: [rig.carol.publicKey])
    }

    /// Puts a question on record with yes answers, and returns its digest.
    func asked(
        _ question: JointQuestion, yes keys: [ApproverKey]
    ) async throws -> [UInt8] {
        #expect(try await ledger.put(question, at: now))
        let digest = JointRecord.digest(of: question)
        for key in keys {
            #expect(try await ledger.answer(digest, rig.yes(key, question), at: now) == nil)
        }
        return digest
    }

    /// The digest of a question about the act with enough yes answers.
    func approved(_ act: GovernedAct, nonce: UInt8 = 1) async throws -> [UInt8] {
        try await asked(question(act, nonce: nonce), yes: [rig.alice, rig.bob])
    }

    func logKey() throws -> Ed25519Key { try rig.asking.vault.openLogKey() }

    func problem() throws -> AuditProblem? {
        try ledger.flush()
        return try AuditLog.open(rig.asking.home).verify(
            logPublicKey: rig.asking.vault.logPublicKey(),
            lastKnownCheckpoint: rig.asking.vault.lastCheckpoint()
        ).problem
    }

    /// Writes an entry that puts a policy in force, like a modified program.
    func forge(
        _ hash: [UInt8], demanding governance: Governance = .none, with approval: ApprovalEntry?,
        in ledger: SQLiteLedger
    ) throws {
        let key = try logKey()
        try ledger.database.write { access throws(LedgerError) in
            let statement = LogStatement.attest(
                policyHash: hash, governance, after: try access.auditHead())
            let attest = AttestEntry(
                policyHash: hash, governance: governance,
                signature: try statement.signed(by: key), approval: approval)
            _ = try access.append(.attest(attest), at: now)
        }
    }
}

extension ActConsent {
    /// Consent by a question under the policy in force; of the owner alone if it demands no
    /// approvers.
    static func now(
        _ question: [UInt8]?, _ vaultPolicy: GoverningPolicy? = nil, in ledger: SQLiteLedger
    ) -> ActConsent {
        guard let question, let wanted = try? ledger.demands(.policy, vaultPolicy: nil) else {
            return ActConsent(vaultPolicy: vaultPolicy)
        }
        return ActConsent(vaultPolicy: vaultPolicy, question: question, under: wanted)
    }
}

@Suite("An owner's use of several people's yes")
struct GovernanceTests {
    @Test("a policy needs the approvers of the one in force, not its own")
    func policy() async throws {
        let rig = try GovernedRig()
        let alone = rig.refusal(GovernedRig.lax, by: nil)
        #expect(alone == "the policy in force requires a yes of 2 of alice, bob, carol")
        let digest = try await rig.approved(rig.change(GovernedRig.lax))
        #expect(rig.refusal(GovernedRig.lax, by: digest) == nil)
        #expect(try rig.ledger.lastAttestedHash() == GovernedRig.lax)
        #expect(try rig.problem() == nil)
        // The entry names the used approvals, and they cannot be used again.
        let entry = try #require(try AuditLog.open(rig.rig.asking.home).entries(limit: 1).first)
        let body = try JSON.parse(Array(entry.body.utf8).span)
        #expect(body["approvers"]?["yes"]?.list?.count == 2)
        #expect(try rig.ledger.jointQuestions(at: rig.now).isEmpty)
        #expect(try rig.ledger.jointQuestion(digest) != nil)
        // The policy in force now demands no approvers.
        #expect(rig.refusal(GovernedRig.strict, by: nil) == nil)
    }

    @Test("the first policy needs no approvers, and the same one again needs them as well")
    func first() throws {
        let rig = try GovernedRig(puttingInForce: false)
        try rig.attest(GovernedRig.lax)
        try rig.attest(GovernedRig.strict, demanding: rig.governance)
        #expect(rig.refusal(GovernedRig.strict, by: nil) != nil)
        #expect(try rig.problem() == nil)
    }

    @Test("a yes counts for one act alone, under one policy, once")
    func bound() async throws {
        let rig = try GovernedRig()
        let other = "the yes was for something else, or another policy is in force now"
        let lax = try rig.change(GovernedRig.lax)
        let acts: [GovernedAct] = [
            try rig.change([UInt8](repeating: 3, count: 32)), .export(KeyID("k"), form: "hex"),
            .thaw(freeze: GovernedRig.lax),
            // The same policy with other demands, and after another entry.
            try rig.ledger.act(puttingInForce: GovernedRig.lax, demanding: rig.governance),
            .policy(PolicyChange(hash: GovernedRig.lax, governance: [], after: [])),
        ]
        for act in acts {
            let digest = try await rig.approved(act)
            #expect(rig.refusal(GovernedRig.lax, by: digest) == other)
        }
        let foreign = rig.question(lax, under: policyHash)
        let early = try await rig.asked(foreign, yes: [rig.rig.alice, rig.rig.bob])
        #expect(rig.refusal(GovernedRig.lax, by: early) == other)
        // A question about a request, and one with fewer approvers.
        let request = try await rig.asked(rig.rig.question(), yes: [rig.rig.alice, rig.rig.bob])
        #expect(rig.refusal(GovernedRig.lax, by: request) == other)
        let mild = ApproverDemand(
            rule: Governance.Act.policy.rule, minimum: 1,
            members: [ApproverDemand.Member(name: "alice", key: rig.rig.alice.publicKey)])
        let few = try await rig.asked(
            rig.question(lax, nonce: 2, demands: [mild]), yes: [rig.rig.alice])
        #expect(rig.refusal(GovernedRig.lax, by: few) == other)

        let good = try await rig.approved(lax, nonce: 3)
        let late = rig.refusal(GovernedRig.lax, by: good, at: 1_901)
        #expect(late == "not enough of the answers are valid")
        // The policy under which consent was given was put in force again meanwhile.
        let renewal = try rig.ledger.act(
            puttingInForce: GovernedRig.strict, demanding: rig.governance)
        let same = try await rig.approved(renewal, nonce: 4)
        try rig.attest(GovernedRig.strict, demanding: rig.governance, by: same)
        #expect(rig.refusal(GovernedRig.lax, by: good) == other)
        // The consent counts once.
        let fresh = try await rig.approved(try rig.change(GovernedRig.lax), nonce: 5)
        #expect(rig.refusal(GovernedRig.lax, by: fresh) == nil)
        try rig.attest(GovernedRig.strict, demanding: rig.governance)
        let again = "the question no longer exists, or was already used"
        #expect(rig.refusal(GovernedRig.lax, by: fresh) == again)
        #expect(rig.refusal(GovernedRig.lax, by: [1]) == again)
    }

    @Test("too few, the own key, a retired key and a no are not enough")
    func people() async throws {
        let rig = try GovernedRig()
        let act = try rig.change(GovernedRig.lax)
        let few = "not enough of the answers are valid"
        let one = try await rig.asked(rig.question(act), yes: [rig.rig.alice])
        #expect(rig.refusal(GovernedRig.lax, by: one) == few)
        let own = rig.question(act, nonce: 2)
        let digest = try await rig.asked(own, yes: [rig.rig.alice])
        let carol = try rig.rig.yes(rig.rig.carol, own)
        #expect(try await rig.ledger.answer(digest, carol, at: rig.now) == .ownRequest)
        #expect(rig.refusal(GovernedRig.lax, by: digest) == few)
        let no = try rig.rig.carol.answer(own, isYes: false, in: rig.rig.asking.vault)
        #expect(try await rig.ledger.answer(digest, no, at: rig.now) == nil)
        #expect(rig.refusal(GovernedRig.lax, by: digest) == "the approver carol said no")
        let retired = try await rig.approved(act, nonce: 3)
        try await rig.ledger.retireApprover(rig.rig.bob.publicKey, at: rig.now)
        #expect(rig.refusal(GovernedRig.lax, by: retired) == few)
    }

    @Test("a record that is begun anew, or a vault that knows another policy, takes nothing away")
    func begunAnew() async throws {
        let rig = try GovernedRig(puttingInForce: false)
        let known = GoverningPolicy(hash: GovernedRig.strict, rig.governance)
        #expect(rig.refusal(GovernedRig.lax, by: nil, vaultPolicy: known) != nil)
        let digest = try await rig.approved(rig.change(GovernedRig.lax))
        #expect(rig.refusal(GovernedRig.lax, by: digest, vaultPolicy: known) == nil)
    }

    @Test("a thaw needs them for the newest freeze, and a freeze needs none")
    func thaw() async throws {
        let rig = try GovernedRig()
        #expect(try rig.ledger.thaw(at: rig.now, signedBy: rig.logKey()) == false)
        try rig.ledger.freeze("lost\nmy phone", at: rig.now)
        let first = try #require(try rig.ledger.freezes().first)
        #expect(first.reason == "lost\nmy phone" && first.hub == nil)
        let alone = GovernedRig.refusal {
            try rig.ledger.thaw(at: rig.now, signedBy: rig.logKey())
        }
        #expect(alone != nil)
        let digest = try await rig.approved(.thaw(freeze: first.entryHash))
        try rig.ledger.freeze("again", at: rig.now)
        let consent = ActConsent.now(digest, in: rig.ledger)
        let late = GovernedRig.refusal {
            try rig.ledger.thaw(at: rig.now, consent, signedBy: rig.logKey())
        }
        #expect(late != nil)
        #expect(try rig.ledger.freezeReason() == "again")
        let freezes = try rig.ledger.freezes()
        #expect(freezes.map(\.reason) == ["again", "lost\nmy phone"])
        let second = try await rig.approved(.thaw(freeze: freezes[0].entryHash))
        let agreed = ActConsent.now(second, in: rig.ledger)
        #expect(try rig.ledger.thaw(at: rig.now, agreed, signedBy: rig.logKey()))
        #expect(try rig.ledger.freezeReason() == nil)
        #expect(try rig.ledger.freezes().isEmpty)
        #expect(try rig.problem() == nil)
    }

    @Test("the end of an archived freeze is not the end of another one")
    func archived() async throws {
        let rig = try GovernedRig()
        try rig.ledger.freeze("drill", at: rig.now)
        let drill = try #require(try rig.ledger.freezes().first)
        let yes = try await rig.approved(.thaw(freeze: drill.entryHash))
        // The state that archiving leaves: the newest entry stays.
        ReplayCheck.skip(rig.ledger.database.path)
        try rig.ledger.database.write { access throws(LedgerError) in
            try access.run("DELETE FROM audit WHERE kind = 'freeze'")
        }
        let consent = ActConsent.now(yes, in: rig.ledger)
        let none = GovernedRig.refusal {
            try rig.ledger.thaw(at: rig.now, consent, signedBy: rig.logKey())
        }
        #expect(none == "the entry of the freeze is not in the record: freeze again")
        try rig.ledger.freeze("stolen", at: rig.now)
        let other = GovernedRig.refusal {
            try rig.ledger.thaw(at: rig.now, consent, signedBy: rig.logKey())
        }
        #expect(other == "the yes was for something else, or another policy is in force now")
        #expect(try rig.ledger.freezeReason() == "stolen")
    }

    @Test("a question that poses as another kind takes no yes")
    func posing() async throws {
        let rig = try GovernedRig()
        let act = try rig.change(GovernedRig.lax)
        let demand = ApproverDemand(
            rule: "pay", minimum: 1,
            members: [ApproverDemand.Member(name: "alice", key: rig.rig.alice.publicKey)])
        let posing = rig.question(act, demands: [demand])
        #expect(!posing.isOfOneKind && rig.question(act).isOfOneKind)
        #expect(rig.rig.question().isOfOneKind)
        #expect(try await rig.ledger.put(posing, at: rig.now))
        #expect(throws: VaultError.refusedQuestion(JointAnswerError.ambiguous.text)) {
            _ = try rig.rig.yes(rig.rig.alice, posing)
        }
        let forged = JointAnswer(
            publicKey: rig.rig.alice.publicKey, isYes: true,
            signature: [UInt8](repeating: 1, count: 64))
        let fault = try await rig.ledger.answer(
            JointRecord.digest(of: posing), forged, at: rig.now)
        #expect(fault == .ambiguous)
        // The approvers are advised to say no, and that answer counts.
        let no = try rig.rig.alice.answer(posing, isYes: false, in: rig.rig.others.vault)
        #expect(try await rig.ledger.answer(JointRecord.digest(of: posing), no, at: rig.now) == nil)
    }

    @Test("a secret is written out for them in the form and of the key that they saw")
    func export() async throws {
        let rig = try GovernedRig()
        let account = Account(
            id: KeyID("k"), name: "alice", protocolID: ProtocolID("nostr"), algorithm: .bip340,
            publicKey: [UInt8](repeating: 1, count: 32), address: "a", network: nil)
        func refusal(_ form: String, _ digest: [UInt8]?) -> String? {
            GovernedRig.refusal {
                try rig.ledger.recordExport(
                    of: account, form: form, at: rig.now,
                    ActConsent.now(digest, in: rig.ledger))
            }
        }
        #expect(refusal("hex", nil) != nil)
        let digest = try await rig.approved(.export(account.id, form: "hex"))
        #expect(refusal("nsec", digest) != nil)
        let other = try await rig.approved(.export(KeyID("other"), form: "hex"))
        #expect(refusal("hex", other) != nil)
        #expect(refusal("hex", digest) == nil)
        #expect(refusal("hex", digest) != nil)
        #expect(try rig.problem() == nil)
    }

    @Test("an entry without the approvals, or with those of another act, is found")
    func found() async throws {
        let rig = try GovernedRig()
        let question = rig.question(.export(KeyID("k"), form: "hex"))
        let approval = JointApproval(
            question, try [rig.rig.alice, rig.rig.bob].map { try rig.rig.yes($0, question) },
            digest: JointRecord.digest(of: question))
        let borrowed = ApprovalEntry(approval, ownKeys: [])
        try rig.forge(GovernedRig.lax, with: borrowed, in: rig.ledger)
        #expect(try rig.problem() == .unapproved(sequence: 2))

        let second = try GovernedRig()
        try second.forge(GovernedRig.lax, with: nil, in: second.ledger)
        #expect(try second.problem() == .unapproved(sequence: 2))
        let key = try second.rig.asking.vault.logPublicKey()
        let forged = try #require(try second.ledger.newestAttesting())
        try second.ledger.database.write { access throws(LedgerError) in
            try access.carry(GovernedRig.lax, of: forged)
        }
        #expect(throws: LedgerError.self) { try second.ledger.policyText(signedBy: key) }

        let third = try GovernedRig()
        let logKey = try third.logKey()
        try third.ledger.freeze("a", at: third.now)
        try third.ledger.database.write { access throws(LedgerError) in
            let thaw = try ThawEntry([], nil, after: access.auditHead(), signedBy: logKey)
            _ = try access.append(.thaw(thaw), at: third.now)
        }
        #expect(try third.problem() == .unapproved(sequence: 3))
    }

    @Test("an entry's demands are signed with it")
    func signedDemands() throws {
        let rig = try GovernedRig()
        ReplayCheck.skip(rig.ledger.database.path)
        try rig.ledger.database.write { access throws(LedgerError) in
            let text = try access.first("SELECT body FROM audit WHERE sequence = 1") {
                row throws(LedgerError) in try row.text(0)
            }
            let milder = (text ?? "").replacing("\"min\":2", with: "\"min\":1")
            let hash = AuditChain.hash(
                after: AuditChain.origin, sequence: 1, body: Array(milder.utf8))
            try access.run(
                "UPDATE audit SET body = ?, hash = ? WHERE sequence = 1", .text(milder),
                .bytes(hash))
        }
        #expect(try rig.problem() == .unvouched(sequence: 1))
    }
}
