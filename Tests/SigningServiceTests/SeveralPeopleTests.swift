// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningPolicy
import SigningService
import SigningStorage
import SigningVault
import Synchronization
import TestHome
import Testing

/// The home that asks, and the home with the approver keys.
final class PeopleRig {
    let rig: Rig
    let approvers: TestHome
    let keys: [ApproverKey]
    let signer: LocalSigner

    init(words: JointWords? = JointWords(text: { $0.summary.fullText }), own: Bool = false) throws {
        rig = try Rig()
        approvers = try TestHome([])
        keys = try ["alice", "bob", "carol"].map { [approvers] in
            try approvers.vault.makeApproverKey(named: $0)
        }
        var people = keys.map { "\($0.name) = \"\($0.publicKey.approverText)\"\n" }.joined()
        if own {
            try rig.home.unlock(rig.passphrase)
            let key = try rig.home.vault.makeApproverKey(named: "dave")
            people =
                "alice = \"\(keys[0].publicKey.approverText)\"\n"
                + "dave = \"\(key.publicKey.approverText)\"\n"
        }
        let names = own ? "[\"alice\", \"dave\"]" : "[\"alice\", \"bob\", \"carol\"]"
        try rig.home.attest(policy: Self.policy(people, names), passphrase: rig.passphrase)
        signer = try LocalSigner(of: rig.home, approvers: words)
        try signer.unlock(passphrase: rig.passphrase)
    }

    static func policy(_ people: String, _ names: String) -> String {
        """
        version = 1
        default = "deny"
        [approvers]
        \(people)
        [[rule]]
        id = "pay"
        effect = "ask"
        protocol = "nostr"
        approvers = { min = 2, of = \(names), within = "1h" }
        """
    }

    /// The waiting questions, once there are `count` of them.
    func waiting(_ count: Int = 1) async throws -> [WaitingJointQuestion] {
        for _ in 0..<600 {
            let found = try signer.ledger.jointQuestions(at: SystemEnvironment().now())
            if found.count == count { return found }
            try await Task.sleep(for: .milliseconds(100))
        }
        Issue.record("there are not \(count) questions")
        return []
    }

    func question() async throws -> WaitingJointQuestion {
        try #require(try await waiting().first)
    }

    @discardableResult
    func say(
        _ isYes: Bool, _ place: Int, to waiting: WaitingJointQuestion
    ) async throws -> JointAnswerError? {
        let answer = try keys[place].answer(waiting.question, isYes: isYes, in: approvers.vault)
        return try await signer.ledger.answer(
            waiting.digest, answer, at: SystemEnvironment().now())
    }

    func ask() -> Task<Answer, Never> {
        Task { [signer, frame = rig.note(kind: 1)] in await signer.answer(frame) }
    }
}

extension Answer {
    /// `done`, or the reason of a denial.
    var word: String {
        switch ending {
        case .refused(let error): error.code
        case .outcome(.done): "done"
        case .outcome(.denied(let reason)), .outcome(.failed(let reason)): reason.code.rawValue
        }
    }
}

/// Gives the passphrase, and keeps the uses that it was asked for.
private final class HeardPassphrase: PassphraseSource {
    let attemptsMax = 1
    private let passphrase: [UInt8]
    private let heard = Mutex<[KeyUse.Ground]>([])

    init(_ passphrase: borrowing SecretBytes) {
        self.passphrase = passphrase.withSpan { bytes in
            var copy: [UInt8] = []
            for index in bytes.indices { copy.append(bytes[index]) }
            return copy
        }
    }

    var grounds: [KeyUse.Ground] { heard.withLock { $0 } }

    func announce(_ use: KeyUse) { heard.withLock { $0.append(use.ground) } }

    func read(for _: KeyUse, isAgain _: Bool) throws(ServiceError) -> SecretBytes {
        let copy = passphrase
        return SecretBytes(copying: copy.span)
    }
}

@Suite("Several people for one yes")
struct SeveralPeopleTests {
    @Test("two of three sign in their own home, and the hub signs with their answers on record")
    func approved() async throws {
        let rig = try PeopleRig()
        let task = rig.ask()
        let waiting = try await rig.question()
        #expect(waiting.question.text.contains("hello"))
        #expect(waiting.question.binding.policyHash == (try rig.rig.home.attestedPolicy().hash))
        // The question goes to another machine as a file.
        let file = Array(JointRecord.body(waiting.question).utf8)
        let read = try #require(JointRecord.question(file))
        #expect(JointRecord.digest(of: read) == waiting.digest)
        #expect(try await rig.say(true, 0, to: waiting) == nil)
        #expect(try await rig.question().answers.count == 1)
        #expect(try await rig.say(true, 2, to: waiting) == nil)
        let answer = await task.value
        #expect(answer.word == "done" && answer.remembered.isEmpty)
        try signed(rig, waiting)
        #expect(try await rig.say(true, 1, to: waiting) == .unknown)
    }

    private func signed(_ rig: PeopleRig, _ waiting: WaitingJointQuestion) throws {
        let log = try AuditLog.open(rig.rig.home.home)
        let entries = try log.entries(limit: 10)
        let intent = try #require(entries.first { $0.kind == "intent" })
        let body = try JSON.parse(Array(intent.body.utf8).span)
        #expect(body["decided_by"]?.text == "approvers")
        #expect(body["rules"]?.list?.compactMap(\.text) == ["pay"])
        #expect(body["approvers"]?["question"]?.text == Hex.encode(waiting.digest.span))
        let names = body["approvers"]?["yes"]?.list?.compactMap { $0["name"]?.text } ?? []
        #expect(names.sorted() == ["alice", "carol"])
        try rig.signer.finish()
        let report = try log.verify(
            logPublicKey: rig.rig.home.vault.logPublicKey(),
            lastKnownCheckpoint: rig.rig.home.vault.lastCheckpoint())
        #expect(report.problem == nil)
    }

    @Test("one no ends it, and is reported by name")
    func refused() async throws {
        let rig = try PeopleRig()
        let task = rig.ask()
        let waiting = try await rig.question()
        try await rig.say(true, 0, to: waiting)
        try await rig.say(false, 1, to: waiting)
        let answer = await task.value
        guard case .outcome(.denied(let reason)) = answer.ending else {
            Issue.record("\(answer.ending)")
            return
        }
        #expect(reason.code == .personDenied && reason.text == "denied by the approver bob")
        #expect(try rig.signer.ledger.jointQuestion(waiting.digest) == nil)
    }

    @Test("answers to the same request asked before count for nothing when it is asked again")
    func earlier() async throws {
        let rig = try PeopleRig()
        let first = rig.ask()
        let before = try await rig.question()
        try await rig.say(false, 1, to: before)
        #expect(await first.value.word == "person_denied")
        let second = rig.ask()
        let now = try await rig.question()
        #expect(now.digest != before.digest)
        let old = try rig.keys[0].answer(before.question, isYes: true, in: rig.approvers.vault)
        let time = SystemEnvironment().now()
        #expect(try await rig.signer.ledger.answer(now.digest, old, at: time) == .unsigned)
        #expect(try await rig.signer.ledger.answer(before.digest, old, at: time) == .unknown)
        second.cancel()
        #expect(await second.value.word == "withdrawn")
    }

    @Test("an approver retired during the wait does not count any more")
    func retired() async throws {
        let rig = try PeopleRig()
        let task = rig.ask()
        let waiting = try await rig.question()
        try await rig.say(true, 0, to: waiting)
        try await rig.signer.ledger.retireApprover(
            rig.keys[0].publicKey, at: SystemEnvironment().now())
        try await rig.say(true, 1, to: waiting)
        try await rig.say(true, 2, to: waiting)
        #expect(await task.value.word == "done")
        let entry = try AuditLog.open(rig.rig.home.home).entries(limit: 10)
            .first { $0.kind == "intent" }
        #expect(entry?.body.contains("\"name\":\"alice\"") == false)
    }

    @Test("another policy that is put in force while they are waited for ends it")
    func otherPolicy() async throws {
        let rig = try PeopleRig()
        let task = rig.ask()
        let waiting = try await rig.question()
        let people = rig.keys.map { "\($0.name) = \"\($0.publicKey.approverText)\"\n" }.joined()
        try OpenHome(at: rig.rig.path, speaking: .builtIn).attest(
            policy: PeopleRig.policy(people, "[\"bob\", \"carol\"]"),
            passphrase: rig.rig.passphrase)
        try await rig.say(true, 0, to: waiting)
        try await rig.say(true, 1, to: waiting)
        #expect(await task.value.word == "policy_changed")
    }

    @Test("a client that leaves withdraws the question")
    func withdrawn() async throws {
        let rig = try PeopleRig()
        let task = rig.ask()
        let waiting = try await rig.question()
        task.cancel()
        #expect(await task.value.word == "withdrawn")
        #expect(try rig.signer.ledger.jointQuestion(waiting.digest) == nil)
        #expect(try await rig.say(true, 0, to: waiting) == .unknown)
    }

    @Test("a person without the passphrase asks them nothing, and a locked vault says so")
    func locked() async throws {
        let rig = try PeopleRig()
        rig.rig.home.vault.lock()
        let locked = try LocalSigner(
            of: rig.rig.home, approvers: JointWords(text: { $0.summary.fullText }))
        let answer = await locked.answer(rig.rig.note(kind: 1))
        #expect(answer.word == "key_unavailable")
        #expect(try locked.ledger.jointQuestions(at: SystemEnvironment().now()).isEmpty)
    }

    @Test("a passphrase is asked for once, before they are, with whom it is asked about")
    func unlocked() async throws {
        let rig = try PeopleRig()
        rig.rig.home.vault.lock()
        let source = HeardPassphrase(rig.rig.passphrase)
        let signer = try LocalSigner(
            of: rig.rig.home, approvers: JointWords(text: { $0.summary.fullText }),
            unlockedBy: source)
        let task = Task { [frame = rig.rig.note(kind: 1)] in await signer.answer(frame) }
        let waiting = try await rig.question()
        #expect(source.grounds == [.asking(["2 of alice, bob, carol"])])
        try await rig.say(true, 0, to: waiting)
        try await rig.say(true, 1, to: waiting)
        #expect(await task.value.word == "done")
        #expect(source.grounds.count == 1)
    }

    @Test("too many questions are reported as such")
    func crowded() async throws {
        let rig = try PeopleRig()
        let now = SystemEnvironment().now()
        for number in 0..<SQLiteLedger.jointQuestionsMax {
            let question = JointQuestion(
                binding: ApprovalBinding(
                    nonce: [UInt8](repeating: UInt8(number), count: 16),
                    requestDigest: [UInt8](repeating: 1, count: 32),
                    policyHash: [UInt8](repeating: 2, count: 32), keys: [KeyID("k")],
                    expires: now.adding(seconds: 600)),
                text: "left", totals: [],
                demands: [
                    ApproverDemand(
                        rule: "pay", minimum: 1,
                        members: [.init(name: "alice", key: rig.keys[0].publicKey)])
                ], ownKeys: [])
            #expect(try await rig.signer.ledger.put(question, at: now))
        }
        #expect(await rig.ask().value.word == "too_many_questions")
        #expect(
            try rig.signer.ledger.jointQuestions(at: now).count == SQLiteLedger.jointQuestionsMax)
    }

    @Test("approvers that cannot be asked, or cannot suffice, are not waited for")
    func unavailable() async throws {
        let silent = try PeopleRig(words: nil)
        #expect(await silent.ask().value.word == "approval_unavailable")
        let alone = try PeopleRig(own: true)
        #expect(await alone.ask().value.word == "approval_unavailable")
        let long = String(repeating: "a", count: JointQuestion.textBytesMax + 1)
        let wordy = try PeopleRig(words: JointWords(text: { _ in long }))
        #expect(await wordy.ask().value.word == "approval_unavailable")
        let left = try PeopleRig()
        for key in left.keys.prefix(2) {
            try await left.signer.ledger.retireApprover(
                key.publicKey, at: SystemEnvironment().now())
        }
        #expect(await left.ask().value.word == "approval_unavailable")
    }
}
