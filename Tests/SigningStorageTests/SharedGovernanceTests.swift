// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

extension GovernedRig {
    /// Writes a question and answers to it that no check of this program looks at.
    func write(
        _ question: JointQuestion, _ answers: [JointAnswer], in ledger: SQLiteLedger
    ) throws {
        let digest = JointRecord.digest(of: question)
        try ledger.database.write { access throws(LedgerError) in
            let ask = AskEntry(question: digest, expires: question.binding.expires)
            _ = try access.append(
                .ask(ask), at: now, NamedBytes(question: digest, JointRecord.body(question)))
            for answer in answers {
                _ = try access.append(
                    .answer(AnswerEntry(question: digest, answer: answer)), at: now)
            }
        }
    }
}

@Suite("Hubs that share answers of several people")
struct SharedGovernanceTests {
    private func team(_ rig: GovernedRig, of count: Int = 2) throws -> Team {
        let key = try Ed25519Key(seed: secret(of: 5))
        return try Team(count) { ledger in
            _ = try ledger.recordAttesting(
                policyHash: GovernedRig.strict, demanding: rig.governance,
                source: GovernedRig.strict, at: sharingTime, signedBy: key)
        }
    }

    private func taken(_ ledger: SQLiteLedger) -> String? {
        do { try ledger.catchUp() } catch LedgerError.corruptLog(let text) { return text } catch {
            return "\(error)"
        }
        return nil
    }

    @Test("take over a policy that was approved, by answers of other hubs")
    func approved() async throws {
        let rig = try GovernedRig(puttingInForce: false)
        let team = try team(rig)
        let key = try Ed25519Key(seed: secret(of: 5))
        let change = try team[0].act(puttingInForce: GovernedRig.lax, demanding: .none)
        let question = rig.question(change)
        let digest = JointRecord.digest(of: question)
        #expect(try await team[0].put(question, at: rig.now))
        for approver in [rig.rig.alice, rig.rig.bob] {
            let yes = try rig.rig.yes(approver, question)
            #expect(try await team[1].answer(digest, yes, at: rig.now) == nil)
        }
        try team[0].catchUp()
        _ = try team[0].recordAttesting(
            policyHash: GovernedRig.lax, source: GovernedRig.lax, at: rig.now,
            ActConsent.now(digest, in: team[0]), signedBy: key)
        #expect(taken(team[1]) == nil)
        let text = try #require(try team[1].policyText(signedBy: key.publicKey))
        #expect(text.hash == GovernedRig.lax && text.governance.isEmpty)
        try team.expectOneTruth()
    }

    @Test("refuse a batch that puts an unapproved policy in force")
    func unapproved() throws {
        let rig = try GovernedRig(puttingInForce: false)
        let team = try team(rig)
        try rig.forge(GovernedRig.lax, with: nil, in: team[0])
        let why = taken(team[1])
        #expect(why?.contains("lacks approvals that the policy in force required") == true)
        #expect(try team[1].lastAttestedHash() == GovernedRig.strict)
    }

    @Test("refuse an entry with unsigned demands, and a yes used twice")
    func demands() async throws {
        let rig = try GovernedRig(puttingInForce: false)
        let team = try team(rig)
        // The approvers agreed to a policy with the same demands.
        let act = try team[0].act(puttingInForce: GovernedRig.lax, demanding: rig.governance)
        let question = rig.question(act)
        let yes = [
            try rig.rig.yes(rig.rig.alice, question), try rig.rig.yes(rig.rig.bob, question),
        ]
        let approval = ApprovalEntry(
            JointApproval(question, yes, digest: JointRecord.digest(of: question)),
            ownKeys: question.ownKeys)
        try rig.write(question, yes, in: team[0])
        try rig.forge(GovernedRig.lax, demanding: rig.governance, with: approval, in: team[0])
        #expect(taken(team[1]) == nil)
        #expect(try team[1].lastAttestedHash() == GovernedRig.lax)
        // The same consent again is refused, as the new entry is at another place.
        try rig.forge(GovernedRig.lax, demanding: rig.governance, with: approval, in: team[0])
        #expect(taken(team[1])?.contains("an earlier entry used up") == true)

        let others = try self.team(rig)
        try rig.write(question, yes, in: others[0])
        try rig.forge(GovernedRig.lax, with: approval, in: others[0])
        #expect(taken(others[1])?.contains("lacks approvals") == true)
        #expect(try others[1].lastAttestedHash() == GovernedRig.strict)
    }

    @Test("refuse the return of a retired approver")
    func retired() async throws {
        let rig = try GovernedRig(puttingInForce: false)
        let team = try team(rig, of: 3)
        try await team[0].retireApprover(rig.rig.carol.publicKey, at: sharingTime)
        try team[0].retire(hub: 3, at: sharingTime)
        #expect(taken(team[1]) == nil)
        #expect(throws: LedgerError.self) { try team[0].write("DELETE FROM retired_approvers") }
        try team[0].write("UPDATE hubs SET retired = NULL")
        #expect(taken(team[1])?.contains("leads to other rows here") == true)
        #expect(try team[1].retiredApprovers() == [rig.rig.carol.publicKey])
    }

    @Test("retire an approver by an entry, in this format and on every hub")
    func retirement() async throws {
        let rig = try GovernedRig(puttingInForce: false)
        let team = try team(rig)
        let alice = rig.rig.alice.publicKey
        try await team[0].retireApprover(alice, at: sharingTime)
        // A repeated retirement writes no entry.
        let length = try team[0].length()
        try await team[0].retireApprover(alice, at: sharingTime)
        #expect(try team[0].length() == length)
        try team.expectOneTruth()
        try team[0].write("INSERT INTO retired_approvers VALUES (x'01', 900)")
        #expect(taken(team[1])?.contains("leads to other rows here") == true)
        #expect(try team[1].retiredApprovers() == [alice])
    }

    @Test("refuse an entry that retires an approver whose row is missing")
    func unretired() throws {
        let rig = try GovernedRig(puttingInForce: false)
        let team = try team(rig)
        ReplayCheck.skip(team[0].database.path)
        try team[0].database.write { access throws(LedgerError) in
            _ = try access.append(.approver(.retires([1])), at: sharingTime)
            try access.run("DELETE FROM retired_approvers")
        }
        #expect(taken(team[1])?.contains("leads to other rows here") == true)
    }

    @Test("take no batch that moves the mark, or ends a freeze, without an entry")
    func rows() throws {
        for edit in ["UPDATE meta SET value = '1 00' WHERE name = 'policy'", "DELETE FROM meta"] {
            let rig = try GovernedRig(puttingInForce: false)
            let team = try team(rig)
            try team[0].freeze("a", at: sharingTime)
            #expect(taken(team[1]) == nil)
            try team[0].write(edit)
            #expect(taken(team[1])?.contains("leads to other rows here") == true, "\(edit)")
            #expect(try team[1].freezeReason() == "a")
        }
    }

    @Test("refuse an unapproved thaw, also under another name")
    func thaw() throws {
        for kind in ["thaw", "refusal"] {
            let rig = try GovernedRig(puttingInForce: false)
            let team = try team(rig)
            try team[0].freeze("a", at: sharingTime)
            #expect(taken(team[1]) == nil)
            ReplayCheck.skip(team[0].database.path)
            try team[0].database.write { access throws(LedgerError) in
                let entry = try access.append(.thaw(ThawEntry()), at: sharingTime)
                try access.run(
                    "UPDATE audit SET kind = ? WHERE sequence = ?", .text(kind),
                    .integer(entry.sequence))
            }
            #expect(taken(team[1]) != nil)
            #expect(try team[1].freezeReason() == "a")
        }
    }
}
