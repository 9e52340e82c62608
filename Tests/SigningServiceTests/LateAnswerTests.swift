// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import NIP155
import SigningCore
import SigningCrypto
import SigningFiles
import SigningService
import SigningStorage
import SigningVault
import TestHome
import Testing

/// Collects two yes answers as a hub does; a third person says no before the hub continues.
private struct StalePeople: SeveralPeople {
    let keys: [ApproverKey]
    let home: TestHome
    let ledger: SQLiteLedger
    var canAsk: Bool { true }

    func decide(
        _ question: ApprovalQuestion, demands: [ApproverDemand]
    ) async throws(ApprovalError) -> JointAnswers {
        let joint = JointQuestion(
            binding: question.binding, text: question.summary.fullText, totals: [],
            demands: demands, ownKeys: [])
        do {
            let now = SystemEnvironment().now()
            _ = try await ledger.put(joint, at: now)
            let digest = JointRecord.digest(of: joint)
            for place in 0...1 {
                let yes = try keys[place].answer(joint, isYes: true, in: home.vault)
                #expect(try await ledger.answer(digest, yes, at: now) == nil)
            }
            let gathered = try ledger.jointQuestion(digest)?.answers ?? []
            let no = try keys[2].answer(joint, isYes: false, in: home.vault)
            #expect(try await ledger.answer(digest, no, at: now) == nil)
            return JointAnswers(to: joint, gathered)
        } catch {
            throw .unavailable
        }
    }

    func check(
        _ question: JointQuestion, at now: Timestamp
    ) throws(ApprovalError) -> JointCheck {
        JointCheck(question, retired: [], at: now)
    }

    func withdraw(_ digest: [UInt8]) async { try? await ledger.withdraw(digest) }
}

/// Runs an action during a question, then says yes.
private struct ActingApproval: Approval {
    let act: @Sendable () throws -> Void

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        do { try act() } catch { throw .unavailable }
        return .approved(question.binding)
    }
}

@Suite("Changes between the answers and the intent")
struct LateAnswerTests {
    @Test("a no that is taken after the hub has read enough yeses denies the request")
    func noAfterYes() async throws {
        let rig = try PeopleRig()
        let ledger = rig.signer.ledger
        let hub = SigningHub(
            policy: try rig.rig.home.attestedPolicy(), keyStore: rig.rig.home.vault,
            ledger: ledger, approval: NoApproval(), environment: SystemEnvironment(),
            people: StalePeople(keys: rig.keys, home: rig.approvers, ledger: ledger))
        let answer = await hub.answer(rig.rig.note(kind: 1), with: NIP155Adapter())
        guard case .outcome(.denied(let reason)) = answer.ending else {
            Issue.record("\(answer.ending)")
            return
        }
        #expect(reason.code == .personDenied && reason.text == "denied by the approver carol")
        let entries = try AuditLog.open(rig.rig.home.home).entries(limit: 20)
        #expect(!entries.contains { $0.kind == "intent" })
        #expect(entries.contains { $0.kind == "refusal" && $0.body.contains("person_denied") })
    }

    @Test("a no after the intent is reported as too late")
    func noAfterIntent() async throws {
        let rig = try PeopleRig()
        let task = rig.ask()
        let waiting = try await rig.question()
        try await rig.say(true, 0, to: waiting)
        try await rig.say(true, 1, to: waiting)
        #expect(await task.value.word == "done")
        #expect(try await rig.say(false, 2, to: waiting) == .unknown)
    }

    @Test("a policy that was replaced and put back while several people are asked ends it")
    func policyThereAndBack() async throws {
        let rig = try PeopleRig()
        let task = rig.ask()
        let waiting = try await rig.question()
        try thereAndBack(rig.rig.path)
        try await rig.say(true, 0, to: waiting)
        try await rig.say(true, 1, to: waiting)
        #expect(await task.value.word == "policy_changed")
    }

    @Test("a policy that was replaced and put back while a person is asked ends it")
    func policyThereAndBackForOne() async throws {
        let rig = try Rig()
        let signer = try LocalSigner(
            of: rig.home, asking: ActingApproval { [path = rig.path] in try thereAndBack(path) })
        try signer.unlock(passphrase: rig.passphrase)
        #expect(await signer.answer(rig.note(kind: 7)).word == "policy_changed")
        let calm = try LocalSigner(of: rig.home, asking: ActingApproval {})
        try calm.unlock(passphrase: rig.passphrase)
        #expect(await calm.answer(rig.note(kind: 7)).word == "done")
    }
}

/// Puts another policy in force and then the previous one, like another process.
private func thereAndBack(_ path: String) throws {
    let home = try OpenHome(at: path, speaking: .builtIn)
    let passphrase = SecretBytes(copying: "correct horse".utf8.span)
    let before = try #require(try home.vault.attestedPolicy()).source
    for policy in ["version = 1\ndefault = \"deny\"\n", String(decoding: before, as: UTF8.self)] {
        try home.attest(policy: policy, passphrase: passphrase)
    }
}
