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

/// A home whose policy changes need two of three approvers, who have another home.
private final class GovernedHome {
    let rig: Rig
    let approvers: TestHome
    let keys: [ApproverKey]
    let ledger: SQLiteLedger

    init(_ rules: String = "") throws {
        rig = try Rig()
        approvers = try TestHome([])
        keys = try ["alice", "bob", "carol"].map { [approvers] in
            try approvers.vault.makeApproverKey(named: $0)
        }
        ledger = try rig.home.openLedger()
        try rig.home.attest(policy: text(governed: true) + rules, passphrase: rig.passphrase)
    }

    func text(governed: Bool, of names: String = "[\"alice\", \"bob\", \"carol\"]") -> String {
        "version = 1\ndefault = \"deny\"\n[approvers]\n"
            + keys.map { "\($0.name) = \"\($0.publicKey.approverText)\"\n" }.joined()
            + (governed ? "[governance]\npolicy = { min = 2, of = \(names) }\n" : "")
    }

    func questions(_ policy: TOMLPolicy) throws -> GovernanceQuestions {
        try rig.home.unlock(rig.passphrase)
        let act = try ledger.act(puttingInForce: policy.hash, demanding: policy.governance)
        return try rig.home.governance(over: act, in: ledger)
    }

    func waiting() async throws -> WaitingJointQuestion {
        for _ in 0..<600 {
            let found = try ledger.jointQuestions(at: SystemEnvironment().now())
            if let first = found.first { return first }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw ServiceError("nothing waits", hint: nil)
    }

    func say(_ isYes: Bool, _ place: Int) async throws {
        let waiting = try await waiting()
        let answer = try keys[place].answer(waiting.question, isYes: isYes, in: approvers.vault)
        let fault = try await ledger.answer(
            waiting.digest, answer, at: SystemEnvironment().now())
        #expect(fault == nil)
    }

    func loaded(_ text: String) throws -> (policy: TOMLPolicy, source: [UInt8]) {
        let loaded = PolicyLoading(
            Array(text.utf8), fileName: "policy.toml", adapters: rig.home.adapters)
        return (try loaded.usable("policy.toml"), loaded.source)
    }
}

@Suite("An owner's question to approvers", .timeLimit(.minutes(10)))
struct GovernanceQuestionsTests {
    @Test("is also about tags by which other rules apply to a key, and about no other tags")
    func tags() async throws {
        let home = try GovernedHome(
            "[[rule]]\nid = \"bots\"\neffect = \"allow\"\nkey.tags = { has = \"bots\" }\n"
                + "limit = [{ count = 1, per = \"1h\" }]\n")
        let rig = home.rig
        let app = try #require(try rig.home.accounts().first)
        // No rule is about this tag.
        let cold = try await rig.tag(app, with: ["cold"])
        #expect(cold.tags == ["cold"])
        func held() throws -> [String]? {
            try OpenHome(at: rig.path, speaking: .builtIn).accounts().first?.tags
        }

        let refused = Task { try await rig.tag(cold, with: ["bots"], asking: Self.asking) }
        try await home.say(false, 0)
        await #expect(throws: ServiceError.self) { try await refused.value }
        #expect(try held() == ["cold"])

        let agreed = Task { try await rig.tag(cold, with: ["bots"], asking: Self.asking) }
        let question = try await home.waiting().question
        #expect(question.text.contains("rules     bots:") && question.text.contains("cold"))
        #expect(
            question.totals == ["set tags of key \(app.id.text) from [cold] to [bots]"])
        try await home.say(true, 0)
        try await home.say(true, 2)
        let tagged = try await agreed.value
        #expect(try tagged.tags == ["bots"] && held() == ["bots"])
        // The yes is used up, and is needed to take the tag away too.
        await #expect(throws: ServiceError.self) { try await rig.tag(tagged, with: ["cold"]) }

        let log = try AuditLog.open(rig.home.home)
        let entries = try log.entries(limit: 99).filter { $0.kind == "key" }
        let bodies = try entries.map { try JSON.parse(Array($0.body.utf8).span) }
        #expect(bodies.map { $0["approvers"]?["yes"]?.list?.count } == [2, nil])
        let report = try log.verify(
            logPublicKey: rig.home.vault.logPublicKey(),
            lastKnownCheckpoint: rig.home.vault.lastCheckpoint())
        #expect(report.problem == nil)
    }

    private static let asking: AskingPeople = { questions, text in
        try await questions.ask(text, onWaiting: { _, _ in })
    }

    @Test("is done with their yes, and not by the library without")
    func approved() async throws {
        let home = try GovernedHome()
        let (policy, source) = try home.loaded(home.text(governed: false))
        let alone = #expect(throws: ServiceError.self) {
            try home.rig.home.attest(
                policy: home.text(governed: false), passphrase: home.rig.passphrase)
        }
        #expect(
            alone?.message.hasPrefix("not approved: the policy in force requires a yes") == true)
        let questions = try home.questions(policy)
        #expect(questions.wanted.demands.map(\.text) == ["2 of alice, bob, carol"])
        let task = Task { try await questions.ask("in words", onWaiting: { _, _ in }) }
        try await home.say(true, 0)
        try await home.say(true, 2)
        let consent = try await task.value
        try home.rig.home.putInForce(policy, source, consent, in: home.ledger)
        #expect(try home.rig.home.attestedPolicy().hash == policy.hash)
        #expect(try home.questions(policy).wanted.demands.isEmpty)
    }

    @Test("describes the change to them, and without their yes nothing is in force or replaced")
    func act() async throws {
        let home = try GovernedHome()
        let before = try home.rig.home.attestedPolicy().hash
        let (policy, source) = try home.loaded(home.text(governed: false))
        let replaced = Mutex(false)
        let new = NewPolicy(
            policy, source, text: { wanted in "\(wanted.demands.count) demand" },
            onceAgreed: { replaced.withLock { $0 = true } })
        let refused = await #expect(throws: ServiceError.self) {
            try await OwnerActs.policyAttest.perform(
                new, in: home.rig.home, with: home.rig.passphrase
            ) { _, text in throw ServiceError(text, hint: nil) }
        }
        #expect(refused?.message == "1 demand" && !replaced.withLock(\.self))
        let alone = await #expect(throws: (any Error).self) {
            try await OwnerActs.policyAttest.perform(
                new, in: home.rig.home, with: home.rig.passphrase
            ) { questions, _ in questions.alone }
        }
        #expect(alone.map { ServiceError($0).message.hasPrefix("not approved") } == true)
        let wrong = await #expect(throws: ServiceError.self) {
            try await OwnerActs.policyAttest.perform(
                new, in: home.rig.home, with: SecretBytes(copying: "not this one".utf8.span)
            ) { questions, _ in questions.alone }
        }
        #expect(wrong?.message.contains("passphrase") == true)
        #expect(try home.rig.home.attestedPolicy().hash == before)
    }

    @Test("ends with one no, and is withdrawn where the asking program leaves")
    func ended() async throws {
        let home = try GovernedHome()
        let (policy, _) = try home.loaded(home.text(governed: false))
        let questions = try home.questions(policy)
        let refused = Task { try await questions.ask("in words", onWaiting: { _, _ in }) }
        try await home.say(false, 1)
        let no = await #expect(throws: ServiceError.self) { try await refused.value }
        #expect(no?.message == "an approver said no")
        let left = Task { try await questions.ask("in words", onWaiting: { _, _ in }) }
        _ = try await home.waiting()
        left.cancel()
        let gone = await #expect(throws: ServiceError.self) { try await left.value }
        #expect(gone?.isCancelled == true)
        #expect(try home.ledger.jointQuestions(at: SystemEnvironment().now()).isEmpty)
        let long = String(repeating: "a", count: JointQuestion.textBytesMax + 1)
        await #expect(throws: ServiceError.self) {
            try await questions.ask(long, onWaiting: { _, _ in })
        }
    }

    @Test("is refused of a policy that is too long to be shown whole")
    func tooLong() throws {
        let home = try GovernedHome()
        try home.rig.home.unlock(home.rig.passphrase)
        let members = (0..<2_000).map { "\"\($0)\(String(repeating: "a", count: 40))\"" }
        let set = "[set.long]\nwords = [\(members.joined(separator: ", "))]\n"
        let (long, source) = try home.loaded(home.text(governed: true) + set)
        let refused = #expect(throws: ServiceError.self) {
            try home.rig.home.checkMayPutInForce(long, source, in: home.ledger)
        }
        #expect(refused?.message.hasPrefix("the policy is too long to be shown") == true)
        // A text within the limit whose characters become longer when they are escaped.
        let word = String(repeating: "\u{E9}", count: 12_000)
        let (foreign, bytes) = try home.loaded(
            home.text(governed: true) + "[set.long]\nwords = [\"\(word)\"]\n")
        #expect(throws: ServiceError.self) {
            try home.rig.home.checkMayPutInForce(foreign, bytes, in: home.ledger)
        }
        // A policy that no approver has to read may be as long.
        let (free, text) = try home.loaded(home.text(governed: false) + set)
        try home.rig.home.checkMayPutInForce(free, text, in: home.ledger)
    }

    @Test("is refused where their keys cannot suffice, before any wait")
    func unmeetable() async throws {
        let home = try GovernedHome()
        try home.rig.home.unlock(home.rig.passphrase)
        let (policy, source) = try home.loaded(
            home.text(governed: true, of: "[\"alice\", \"bob\"]"))
        let before = try home.rig.home.governanceLost(
            without: home.keys[0].publicKey, in: home.ledger)
        #expect(before.isEmpty)
        try await home.ledger.retireApprover(
            home.keys[1].publicKey, at: SystemEnvironment().now())
        let refused = #expect(throws: ServiceError.self) {
            try home.rig.home.checkMayPutInForce(policy, source, in: home.ledger)
        }
        #expect(refused?.message.hasPrefix("governance.policy could never be met here") == true)
        let lost = try home.rig.home.governanceLost(
            without: home.keys[0].publicKey, in: home.ledger)
        #expect(lost.map(\.rule) == ["governance.policy"])
        try await home.ledger.retireApprover(
            home.keys[0].publicKey, at: SystemEnvironment().now())
        let questions = try home.questions(policy)
        let never = await #expect(throws: ServiceError.self) {
            try await questions.ask("in words", onWaiting: { _, _ in })
        }
        #expect(never?.message.hasPrefix("governance.policy can never be met") == true)
    }
}
