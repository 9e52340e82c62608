// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import Synchronization
import Testing

@testable import SigningCore

/// A person who can be asked, and gives up at once.
private struct GoneApproval: Approval {
    func decide(_: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        throw .timedOut
    }
}

/// A person who sees the questions only once they are shown, and never answers.
private struct HiddenApproval: Approval {
    let shown: Access

    var canBeAnswered: Bool { shown.isLost }

    func decide(_: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        try? await Task.sleep(for: .seconds(3_600))
        throw .timedOut
    }
}

/// A person whose lasting no is accepted while the question ends.
private struct LastNo: Approval {
    func decide(_: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        try? await Task.sleep(for: .seconds(3_600))
        return .denied(remembering: Remembering(.always))
    }
}

/// Whether a client keeps its access.
private final class Access: Sendable {
    private let lost = Mutex(false)

    var isLost: Bool { lost.withLock { $0 } }

    func lose() { lost.withLock { $0 = true } }
}

/// A hub whose rules allow every request after a delay.
private struct DelayedHub {
    let ledger = MemoryLedger()
    let keys = RecordingKeyStore([.toy("k")], domains: [ToyAdapter.domain])
    let person: HeldApproval
    let hub: SigningHub

    init(
        after seconds: Int64 = 1, asking approval: (any Approval)? = nil,
        hashByte: UInt8 = 0x70, access: Access = Access()
    ) {
        person = HeldApproval()
        hub = SigningHub(
            policy: FixedPolicy(.allowAfter(seconds), hashByte: hashByte), keyStore: keys,
            ledger: ledger, approval: approval ?? person, environment: FixedEnvironment(),
            stillProves: { _ in !access.isLost })
    }

    func send(
        _ frame: String, from client: String = "app", by hub: SigningHub? = nil,
        isProved: Bool = true
    ) async -> Answer {
        let peer =
            isProved
            ? Peer(channel: "socket", credential: .program(client)) : Peer.inProcess(client)
        return await (hub ?? self.hub).answer(Frame(frame, from: peer), with: EagerAdapter())
    }

    /// Sends a request and leaves once the person is asked.
    func sendAndLeave(
        _ frame: String, times: Int = 1, isProved: Bool = true
    ) async -> Answer {
        let asking = Task { await send(frame, isProved: isProved) }
        await person.isAsked(times: times)
        asking.cancel()
        return await asking.value
    }
}

extension Answer {
    fileprivate var denial: ReasonCode? {
        if case .outcome(.denied(let reason)) = ending { reason.code } else { nil }
    }

    fileprivate var isDone: Bool {
        if case .outcome(.done) = ending { true } else { false }
    }
}

@Suite("Requests that rules allow after a delay", .timeLimit(.minutes(5)))
struct DelayTests {
    @Test("are signed if no person answers for the whole delay, and not sooner")
    func passed() async {
        let subject = DelayedHub()
        let start = ContinuousClock.now
        let answer = await subject.send("sign hello#1")
        #expect(answer.isDone && ContinuousClock.now - start >= .seconds(1))
        #expect(subject.person.askedCount == 1 && subject.keys.usesCount == 1)
        #expect(subject.ledger.intents.map(\.decidedBy) == ["policy"])
        #expect(subject.ledger.intents.map(\.rules) == [["fixed"]])
    }

    @Test("are stopped by a no, and allowed at once by a yes", arguments: [false, true])
    func answered(isYes: Bool) async {
        let subject = DelayedHub(after: 3_600)
        subject.person.say(yes: isYes)
        let answer = await subject.send("sign hello#1")
        #expect(answer.isDone == isYes && subject.keys.usesCount == (isYes ? 1 : 0))
        #expect(answer.denial == (isYes ? nil : .personDenied))
        #expect(subject.ledger.intents.map(\.decidedBy) == (isYes ? ["person"] : []))
        #expect(subject.ledger.refusals.count == (isYes ? 0 : 1))
    }

    @Test("say on the screen when they are allowed")
    func question() async throws {
        let seen = Mutex<ApprovalQuestion?>(nil)
        struct Looking: Approval {
            let look: @Sendable (ApprovalQuestion) -> Void
            func decide(
                _ question: ApprovalQuestion
            ) async throws(ApprovalError) -> ApprovalAnswer {
                look(question)
                return .denied()
            }
        }
        let subject = DelayedHub(
            after: 3_600, asking: Looking { question in seen.withLock { $0 = question } })
        _ = await subject.send("sign hello#1")
        let question = try #require(seen.withLock { $0 })
        #expect(question.isAllowedUnanswered && !question.canRememberYes)
        let end = question.binding.expires
        #expect(end.seconds == FixedEnvironment().now().seconds + 3_600)
        #expect(
            question.summary.warnings.contains(
                "your rules allow this at \(end.utcText) unless you say no"))
    }

    @Test("are denied where no person can be asked, or where the question ends early")
    func unasked() async {
        for (approval, code) in [
            (FixedApproval(.unavailable) as any Approval, ReasonCode.approvalUnavailable),
            (NoApproval(), .approvalUnavailable), (GoneApproval(), .approvalTimedOut),
        ] {
            let subject = DelayedHub(asking: approval)
            let answer = await subject.send("sign hello#1")
            #expect(answer.denial == code && subject.keys.usesCount == 0)
        }
    }

    @Test("wait on when the client leaves, and are signed when it asks again")
    func left() async {
        let subject = DelayedHub()
        let first = await subject.sendAndLeave("sign hello#1")
        #expect(first.denial == .withdrawn && subject.person.withdrawnCount == 0)
        // Another name for the same request.
        let second = await subject.send("sign hello#2")
        #expect(second.isDone && subject.person.askedCount == 1)
        // Each delay counts once.
        #expect(await subject.send("sign hello#3").isDone && subject.person.askedCount == 2)
    }

    @Test("stay on the screen after the delay, until the client comes back")
    func leftForLong() async {
        let subject = DelayedHub()
        _ = await subject.sendAndLeave("sign hello#1")
        try? await Task.sleep(for: .milliseconds(2_500))
        #expect(subject.keys.usesCount == 0 && subject.person.withdrawnCount == 0)
        #expect(await subject.send("sign hello#2").isDone && subject.person.askedCount == 1)
        _ = await subject.sendAndLeave("sign hello#3", times: 2)
        try? await Task.sleep(for: .milliseconds(2_500))
        // Also then a person can stop the request.
        subject.person.say(yes: false)
        #expect(await subject.send("sign hello#4").denial == .personDenied)
        #expect(subject.keys.usesCount == 1)
    }

    @Test("end with a client that cannot come back as the same one")
    func unprovedLeft() async {
        let subject = DelayedHub()
        #expect(await subject.sendAndLeave("sign hello#1", isProved: false).denial == .withdrawn)
        while subject.person.withdrawnCount == 0 { try? await Task.sleep(for: .milliseconds(5)) }
        #expect(await subject.send("sign hello#2", isProved: false).isDone)
        #expect(subject.person.askedCount == 2)
    }

    @Test("do not pass while no person could stop them")
    func hidden() async {
        let (shown, ended) = (Access(), Access())
        let subject = DelayedHub(asking: HiddenApproval(shown: shown))
        let asking = Task {
            defer { ended.lose() }
            return await subject.send("sign hello#1")
        }
        try? await Task.sleep(for: .milliseconds(2_500))
        #expect(!ended.isLost && subject.keys.usesCount == 0)
        shown.lose()
        #expect(await asking.value.isDone)
    }

    @Test("are stopped by a no that was accepted in the last moment")
    func lastMoment() async {
        let subject = DelayedHub(asking: LastNo())
        #expect(await subject.send("sign hello#1").denial == .personDenied)
        #expect(subject.keys.usesCount == 0)
        #expect(subject.ledger.grants.map(\.grant.answer) == [.no])
    }

    @Test("wait again if the content, the client or the policy is another")
    func others() async {
        let subject = DelayedHub()
        _ = await subject.sendAndLeave("sign hello#1")
        #expect(await subject.send("sign hallo#1").isDone && subject.person.askedCount == 2)
        #expect(await subject.send("sign hello#1", from: "b").isDone)
        #expect(subject.person.askedCount == 3)
        let stricter = subject.hub.judging(by: FixedPolicy(.allowAfter(2)))
        #expect(await subject.send("sign hello#1", by: stricter).isDone)
        #expect(subject.person.askedCount == 4)
        let other = subject.hub.judging(by: FixedPolicy(.allowAfter(1), hashByte: 0x71))
        #expect(await subject.send("sign hello#1", by: other).isDone)
        #expect(subject.person.askedCount == 5)
        #expect(await subject.send("sign hello#1").isDone && subject.person.askedCount == 5)
    }

    @Test("that a person denies while the client is away are on record, and ask again")
    func deniedAway() async {
        let subject = DelayedHub(after: 3_600)
        _ = await subject.sendAndLeave("sign hello#1")
        subject.person.say(yes: false)
        while subject.ledger.refusals.count < 2 { try? await Task.sleep(for: .milliseconds(5)) }
        #expect(subject.ledger.refusals.map(\.reason.code) == [.withdrawn, .personDenied])
        // The client gets the denial once.
        #expect(await subject.send("sign hello#2").denial == .personDenied)
        _ = await subject.sendAndLeave("sign hello#3", times: 2)
        #expect(subject.keys.usesCount == 0)
    }

    @Test("do not pass for a client that has lost its access")
    func unproved() async {
        let access = Access()
        let subject = DelayedHub(access: access)
        let asking = Task { await subject.send("sign hello#1") }
        await subject.person.isAsked()
        access.lose()
        #expect(await asking.value.denial == .policyChanged && subject.keys.usesCount == 0)
    }

    @Test("are not signed after a freeze during the delay")
    func frozen() async throws {
        let subject = DelayedHub()
        let asking = Task { await subject.send("sign hello#1") }
        await subject.person.isAsked()
        subject.ledger.freeze()
        #expect(await asking.value.denial == .frozen && subject.keys.usesCount == 0)
    }

    @Test("with a danger that no rule names ask a person, who must answer")
    func danger() {
        let reasons = [Reason(.policyDenied, "x", rule: "r")]
        let danger = Danger("loud")
        let request = JudgedRequest(
            adapter: AdapterID("a"), protocolID: ProtocolID("toy"), method: "sign", client: nil,
            peer: .inProcess("app"), time: Timestamp(seconds: 0), frameBytes: 1, decoding: .full,
            facts: [], effects: [], dangers: [danger], operations: [], ownAddresses: [])
        for (acknowledged, delay) in [([danger], 60), ([], 0)] as [([Danger], Int64)] {
            let held = Judgement(
                verdict: .allow(reasons), claims: [], acknowledged: [acknowledged], delay: 60,
                policyHash: []
            ).holding(to: request)
            #expect(held.verdict.name == "ask" && held.delay == delay)
        }
    }
}
