// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("Approver keys that lie in hubs of one record")
struct OwnApproverTests {
    private let rig: JointRig
    private let team: Team

    init() throws {
        rig = try JointRig()
        team = try Team(2)
    }

    /// A question of the first hub, whose own vault holds no approver key.
    private func question(nonce: UInt8 = 1, mayApprove: Bool = false) -> JointQuestion {
        let question = rig.question(nonce: nonce, mayApprove: mayApprove)
        return JointQuestion(
            binding: question.binding, text: question.text, totals: question.totals,
            demands: question.demands, ownKeys: [])
    }

    private func yes(_ key: ApproverKey, _ question: JointQuestion) throws -> JointAnswer {
        try rig.yes(key, question)
    }

    @Test("count as own on all of them, whichever was asked")
    func everywhere() async throws {
        let question = question()
        let digest = JointRecord.digest(of: question)
        #expect(try await team[0].put(question, at: rig.now))
        // Carol's key is in the second hub.
        try team[1].putOnRecord(ownApprovers: [rig.carol.publicKey], at: rig.now)
        let carol = try yes(rig.carol, question)
        for ledger in team.ledgers {
            #expect(try await ledger.answer(digest, carol, at: rig.now) == .ownRequest)
            #expect(try ledger.ownApprovers() == [rig.carol.publicKey])
        }
        // Two others are enough, and Carol's no would have counted.
        for key in [rig.alice, rig.bob] {
            #expect(try await team[1].answer(digest, yes(key, question), at: rig.now) == nil)
        }
        try team[0].catchUp()
        var intent = makeIntent()
        intent.approval = try rig.approval(of: question)
        try team[0].reserve(intent)
        let other = self.question(nonce: 2)
        #expect(try await team[0].put(other, at: rig.now))
        let no = try rig.carol.answer(other, isYes: false, in: rig.asking.vault)
        #expect(
            try await team[1].answer(JointRecord.digest(of: other), no, at: rig.now) == nil)
        let open = self.question(nonce: 3, mayApprove: true)
        #expect(try await team[0].put(open, at: rig.now))
        #expect(
            try await team[1].answer(
                JointRecord.digest(of: open), yes(rig.carol, open), at: rig.now) == nil)
        try team.expectOneTruth()
    }

    @Test("are on record once, and only where hubs share it")
    func once() throws {
        try team[1].putOnRecord(ownApprovers: [rig.carol.publicKey], at: rig.now)
        let length = try team[1].length().entries
        try team[1].putOnRecord(ownApprovers: [rig.carol.publicKey], at: rig.now)
        try team[1].putOnRecord(ownApprovers: [], at: rig.now)
        #expect(try team[1].length().entries == length)
        try team[0].putOnRecord(
            ownApprovers: [rig.carol.publicKey, rig.bob.publicKey], at: rig.now)
        try team[1].catchUp()
        #expect(try team[1].ownApprovers() == [rig.bob.publicKey, rig.carol.publicKey])
        try rig.ledger.putOnRecord(ownApprovers: [rig.carol.publicKey], at: rig.now)
        #expect(try rig.ledger.ownApprovers().isEmpty)
        try team.expectOneTruth()
    }

    @Test("a yes that was taken before the key was known as own takes no act")
    func later() async throws {
        let governed = try GovernedRig(puttingInForce: false)
        let key = try Ed25519Key(seed: secret(of: 5))
        let team = try Team(2) { ledger in
            _ = try ledger.recordAttesting(
                policyHash: GovernedRig.strict, demanding: governed.governance,
                source: GovernedRig.strict, at: sharingTime, signedBy: key)
        }
        let question = governed.question(
            try team[0].act(puttingInForce: GovernedRig.lax, demanding: .none))
        let digest = JointRecord.digest(of: question)
        #expect(try await team[0].put(question, at: rig.now))
        for approver in [governed.rig.alice, governed.rig.bob] {
            let yes = try governed.rig.yes(approver, question)
            #expect(try await team[1].answer(digest, yes, at: rig.now) == nil)
        }
        try team[1].putOnRecord(ownApprovers: [governed.rig.bob.publicKey], at: rig.now)
        try team[0].catchUp()
        #expect(throws: LedgerError.notApproved("not enough of the answers are valid")) {
            _ = try team[0].recordAttesting(
                policyHash: GovernedRig.lax, source: GovernedRig.lax, at: rig.now,
                .now(digest, in: team[0]), signedBy: key)
        }
        // A forged entry of a modified program is refused too.
        let yeses = try [governed.rig.alice, governed.rig.bob].map {
            try governed.rig.yes($0, question)
        }
        let approval = ApprovalEntry(
            JointApproval(question, yeses, digest: digest), ownKeys: question.ownKeys)
        try governed.forge(GovernedRig.lax, with: approval, in: team[0])
        #expect {
            try team[1].catchUp()
        } throws: { "\($0)".contains("lacks approvals") }
    }

    @Test(
        "are not said or unsaid without an entry",
        arguments: [
            "DELETE FROM meta WHERE name = 'own approvers'",
            "UPDATE meta SET value = '' WHERE name = 'own approvers'",
            "UPDATE meta SET value = hex(zeroblob(32)) WHERE name = 'own approvers'",
            "UPDATE meta SET value = 'zz' WHERE name = 'own approvers'",
        ])
    func forged(statement: String) throws {
        try team[1].putOnRecord(ownApprovers: [rig.carol.publicKey], at: rig.now)
        try team[0].catchUp()
        try team[1].write(statement)
        #expect(throws: LedgerError.self) { try team[0].catchUp() }
        #expect(try team[0].ownApprovers() == [rig.carol.publicKey])
        // An examination of the hub's own file finds the change.
        try team.homes[0].editLedger(statement)
        var isFound = false
        do { isFound = try team.homes[0].verifiedLedger().problem != nil } catch { isFound = true }
        #expect(isFound)
    }
}
