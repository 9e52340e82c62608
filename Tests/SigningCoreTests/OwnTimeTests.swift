// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Synchronization
import Testing

/// A person who notes the deadline of a question and answers after a delay.
private final class Slow: Approval {
    private let seen = Mutex<[Timestamp]>([])
    private let meanwhile: @Sendable () -> Void
    private let answers: Bool

    var ends: [Timestamp] { seen.withLock { $0 } }

    init(answers: Bool, meanwhile: @escaping @Sendable () -> Void = {}) {
        self.answers = answers
        self.meanwhile = meanwhile
    }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        seen.withLock { $0.append(question.binding.expires) }
        meanwhile()
        if answers { return .approved(question.binding) }
        try? await Task.sleep(for: .seconds(60))
        throw .timedOut
    }
}

@Suite("A question ends with the time of its request", .timeLimit(.minutes(5)))
struct OwnTimeTests {
    private let clock = FixedEnvironment(seconds: 1_000)
    private let ledger = MemoryLedger()
    private let keys = RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain])

    /// The code and the text of a denial; nil if the request was carried out.
    private func ask(
        until expires: Int64?, _ person: Slow, _ policy: FixedPolicy.Answer = .askByDefault
    ) async -> Reason? {
        let hub = SigningHub(
            policy: FixedPolicy(policy), keyStore: keys, ledger: ledger, approval: person,
            environment: clock, approvalSeconds: 120)
        let adapter = EagerAdapter(expires: expires.map { Timestamp(seconds: $0) })
        let frame = Frame(bytes: Array("sign a".utf8), peer: Peer(channel: "test", claim: "tester"))
        guard case .outcome(.denied(let reason)) = await hub.answer(frame, with: adapter).ending
        else { return nil }
        return reason
    }

    @Test("the person has as long as the request is of use, and no longer than for any")
    func ends() async {
        let person = Slow(answers: true)
        #expect(await ask(until: 1_060, person) == nil)
        #expect(await ask(until: 9_000, person) == nil)
        #expect(await ask(until: nil, person) == nil)
        #expect(person.ends.map(\.seconds) == [1_060, 1_120, 1_120])
        #expect(keys.usesCount == 3)
    }

    @Test("without an answer the reason says that its time ended")
    func silence() async {
        let person = Slow(answers: false)
        let reason = await ask(until: 1_001, person)
        #expect(reason?.code == .approvalTimedOut)
        #expect(reason?.text.contains("before the request expired, 1970-01-01T00:16:41Z") == true)
    }

    @Test("a yes that comes when its time is over signs nothing")
    func late() async {
        let person = Slow(answers: true) { [clock] in clock.advance(seconds: 61) }
        #expect(await ask(until: 1_060, person)?.code == .approvalTimedOut)
        #expect(keys.usesCount == 0)
    }

    @Test("there is no question about an expired request; one that rules allow is carried out")
    func over() async {
        let person = Slow(answers: true)
        #expect(await ask(until: 999, person)?.code == .approvalTimedOut)
        #expect(person.ends.isEmpty && keys.usesCount == 0)
        #expect(await ask(until: 1_000, person, .allow([])) == nil)
    }
}
