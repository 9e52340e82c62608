// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage

/// Two approvers whose keys sign any statement.
private struct Signers {
    let rig: GovernedRig
    let keys: [[UInt8]]

    init() throws {
        rig = try GovernedRig(puttingInForce: false)
        keys = try [UInt8(8), 9].map { try Ed25519Key(seed: secret(of: $0)).publicKey }
    }

    func demand(_ rule: String) -> ApproverDemand {
        ApproverDemand(
            rule: rule, minimum: 2,
            members: zip(["yves", "zoe"], keys).map { .init(name: $0, key: $1) })
    }

    var governance: Governance { Governance([.policy: demand(Governance.Act.policy.rule)]) }

    func question(_ act: GovernedAct) -> JointQuestion {
        rig.question(act, demands: [demand(act.kind.rule)])
    }

    /// A yes of each, as a statement of this kind.
    func yeses(_ kind: JointStatement, to question: JointQuestion) throws -> [JointAnswer] {
        let digest = JointRecord.digest(of: question)
        return try [UInt8(8), 9].map { number in
            let key = try Ed25519Key(seed: secret(of: number))
            let statement = question.statement(
                digest: digest, isYes: true, by: key.publicKey, of: kind)
            return JointAnswer(
                publicKey: key.publicKey, isYes: true, signature: try key.sign(statement.span))
        }
    }

    func approval(_ kind: JointStatement, to question: JointQuestion) throws -> ApprovalEntry {
        ApprovalEntry(
            JointApproval(
                question, try yeses(kind, to: question), digest: JointRecord.digest(of: question)),
            ownKeys: question.ownKeys)
    }
}

@Suite("Statements that approvers sign")
struct JointStatementTests {
    @Test("begins with other bytes for a request than for an act, and than older programs' did")
    func prefixes() {
        let kinds: [JointStatement] = [.request, .act, .older]
        for kind in kinds {
            for other in kinds where other != kind {
                #expect(!kind.prefix.starts(with: other.prefix))
            }
        }
        #expect(JointStatement.older.prefix == Array("countersign approver answer v1\0".utf8))
    }

    @Test("a yes to one counts for the other in no question")
    func apart() throws {
        let signers = try Signers()
        let act = signers.question(try signers.rig.change(GovernedRig.lax))
        let request = JointQuestion(
            binding: act.binding, text: act.text, totals: ["5 algorand/mainnet"],
            demands: [signers.demand("pay")], ownKeys: [])
        let pairs: [(JointQuestion, JointStatement, JointStatement)] = [
            (act, .act, .request), (request, .request, .act),
        ]
        for (question, right, wrong) in pairs {
            let check = JointCheck(question, retired: [], at: signers.rig.now)
            let older = JointCheck(
                question, retired: [], acceptsOlder: true, at: signers.rig.now)
            for yes in try signers.yeses(right, to: question) {
                #expect(question.refusal(of: yes, by: check) == nil)
            }
            for yes in try signers.yeses(wrong, to: question) {
                #expect(question.refusal(of: yes, by: check) == .unsigned)
                #expect(question.refusal(of: yes, by: older) == .unsigned)
            }
            for yes in try signers.yeses(.older, to: question) {
                #expect(question.refusal(of: yes, by: check) == .unsigned)
                #expect(question.refusal(of: yes, by: older) == nil)
            }
        }
    }

    @Test("an open question that was answered in the older form takes no act")
    func open() async throws {
        let signers = try Signers()
        try signers.rig.attest(GovernedRig.strict, demanding: signers.governance)
        let question = signers.question(try signers.rig.change(GovernedRig.lax))
        let digest = JointRecord.digest(of: question)
        let ledger = signers.rig.ledger
        #expect(try await ledger.put(question, at: signers.rig.now))
        ReplayCheck.skip(ledger.database.path)
        for yes in try signers.yeses(.older, to: question) {
            #expect(try await ledger.answer(digest, yes, at: signers.rig.now) == .unsigned)
            // An older program would have accepted the answer.
            try ledger.database.write { access throws(LedgerError) in
                try access.run(
                    "INSERT INTO joint_answers VALUES (?, ?, 1, ?)",
                    .bytes(digest), .bytes(yes.publicKey), .bytes(yes.signature))
            }
        }
        let refusal = signers.rig.refusal(GovernedRig.lax, by: digest)
        #expect(refusal == "not enough of the answers are valid")
    }

    @Test("older forms on record are valid; statements about a request never are")
    func recorded() throws {
        let kinds: [(JointStatement, Bool)] = [(.act, true), (.older, true), (.request, false)]
        for (kind, isGood) in kinds {
            let signers = try Signers()
            try signers.rig.attest(GovernedRig.strict, demanding: signers.governance)
            let question = signers.question(try signers.rig.change(GovernedRig.lax))
            let approval = try signers.approval(kind, to: question)
            try signers.rig.forge(GovernedRig.lax, with: approval, in: signers.rig.ledger)
            let expected: AuditProblem? = isGood ? nil : .unapproved(sequence: 2)
            #expect(try signers.rig.problem() == expected, "\(kind)")
        }
    }

    @Test("a batch of this format is not taken in with statements of the older one")
    func shared() throws {
        let kinds: [(JointStatement, isForged: Bool, isGood: Bool)] = [
            (.act, false, true), (.older, false, false), (.request, false, false),
            (.act, true, false), (.older, true, false), (.request, true, false),
        ]
        for (kind, isForged, isGood) in kinds {
            let signers = try Signers()
            let key = try Ed25519Key(seed: secret(of: 5))
            let team = try Team(2) { ledger in
                _ = try ledger.recordAttesting(
                    policyHash: GovernedRig.strict, demanding: signers.governance,
                    source: GovernedRig.strict, at: sharingTime, signedBy: key)
            }
            let act = try team[0].act(puttingInForce: GovernedRig.lax, demanding: .none)
            let question = signers.question(act)
            let approval = try signers.approval(kind, to: question)
            let answers = isForged ? [] : try signers.yeses(kind, to: question)
            try signers.rig.write(question, answers, in: team[0])
            try signers.rig.forge(GovernedRig.lax, with: approval, in: team[0])
            var refusal: String?
            do { try team[1].catchUp() } catch { refusal = "\(error)" }
            #expect((refusal == nil) == isGood, "\(kind)")
            let reason = isForged ? "lacks approvals" : "an answer that is not valid"
            #expect(refusal?.contains(reason) != false)
            // The check of batches in an older format.
            let before = try team[0].database.read { access throws(LedgerError) in
                let entry = try access.newestEntry(of: .attest)
                return try entry.map { (entry) throws(LedgerError) in
                    try access.isApproved(entry, acceptsOlder: true)
                }
            }
            #expect(before == (kind != .request))
        }
    }
}
