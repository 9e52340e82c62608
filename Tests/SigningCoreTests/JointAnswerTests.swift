// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import Synchronization
import Testing

@testable import SigningCore

/// Returns the given answers, although no person answered.
private struct LyingPeople: SeveralPeople {
    var canAsk = true
    /// The change to an honest answer.
    let change: @Sendable (JointQuestion, [JointAnswer]) -> JointAnswers
    let environment = FixedEnvironment()
    let takenBack: TakenBack

    func decide(
        _ question: ApprovalQuestion, demands: [ApproverDemand]
    ) async throws(ApprovalError) -> JointAnswers {
        let joint = JointQuestion(
            binding: question.binding, text: question.summary.fullText, totals: [],
            demands: demands, ownKeys: [])
        let digest = environment.sha256(joint.bytes.span)
        return change(
            joint,
            [UInt8(1), 2].map { number in
                let key = [UInt8](repeating: number, count: 32)
                return JointAnswer(
                    publicKey: key, isYes: true,
                    signature: key + joint.statement(digest: digest, isYes: true, by: key))
            })
    }

    func check(
        _ question: JointQuestion, at now: Timestamp
    ) throws(ApprovalError) -> JointCheck {
        JointCheck(
            digest: environment.sha256(question.bytes.span), retired: [], now: now
        ) { signature, message, key in signature == key + message }
    }

    func withdraw(_ digest: [UInt8]) async { takenBack.digests.withLock { $0.append(digest) } }
}

private final class TakenBack: Sendable {
    let digests = Mutex<[[UInt8]]>([])
}

@Suite("Answers of several people")
struct JointAnswerTests {
    private static let claim = LimitClaim(
        counter: "month#count", window: .ever, maximum: 9, amount: 1)
    private static let demand = ApproverDemand(
        rule: "fixed", minimum: 2,
        members: [UInt8(1), 2, 3].map {
            ApproverDemand.Member(name: "person\($0)", key: [UInt8](repeating: $0, count: 32))
        })

    private func ask(
        canAsk: Bool = true, seconds: Int64 = 0, on ledger: MemoryLedger = MemoryLedger(),
        _ change: @escaping @Sendable (JointQuestion, [JointAnswer]) -> JointAnswers
    ) async -> (answer: String, intents: [Intent], takenBack: Int) {
        let takenBack = TakenBack()
        let environment = FixedEnvironment()
        let hub = SigningHub(
            policy: FixedPolicy(.askPeople([Self.demand]), askedClaims: [Self.claim]),
            keyStore: RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain]),
            ledger: ledger, approval: FixedApproval(.approve), environment: environment,
            people: LyingPeople(
                canAsk: canAsk,
                change: { question, answers in
                    environment.advance(seconds: seconds)
                    return change(question, answers)
                }, takenBack: takenBack))
        let answer = await hub.answer(
            Frame(bytes: Array("sign hello".utf8), peer: Peer(channel: "test")), with: ToyAdapter())
        let count = takenBack.digests.withLock { $0.count }
        guard case .message(let bytes) = answer.reply else {
            return ("silence", ledger.intents, count)
        }
        return (String(decoding: bytes, as: UTF8.self), ledger.intents, count)
    }

    @Test("counts where enough of them signed this very question")
    func counts() async {
        let found = await ask { JointAnswers(to: $0, $1) }
        #expect(found.answer == "done 1")
        #expect(found.intents.first?.decidedBy == "approvers")
        #expect(found.intents.first?.claims == [Self.claim])
        #expect(found.intents.first?.approval?.yeses.map(\.name) == ["person1", "person2"])
        #expect(found.takenBack == 0)
    }

    @Test("is checked again by the hub, independent of the collector")
    func lies() async {
        let fewer = await ask { JointAnswers(to: $0, Array($1.prefix(1))) }
        #expect(fewer.answer == "denied person_denied" && fewer.intents.isEmpty)
        #expect(fewer.takenBack == 1)
        let twice = await ask { JointAnswers(to: $0, [$1[0], $1[0]]) }
        #expect(twice.answer == "denied person_denied")
        let forged = await ask { question, answers in
            JointAnswers(
                to: question,
                answers.map {
                    JointAnswer(publicKey: $0.publicKey, isYes: true, signature: [1])
                })
        }
        #expect(forged.answer == "denied person_denied")
        let milder = await ask { question, answers in
            JointAnswers(
                to: JointQuestion(
                    binding: question.binding, text: question.text, totals: [],
                    demands: [
                        ApproverDemand(rule: "fixed", minimum: 1, members: Self.demand.members)
                    ], ownKeys: []), answers)
        }
        #expect(milder.answer == "denied person_denied")
        let other = await ask { question, answers in
            let binding = question.binding
            return JointAnswers(
                to: JointQuestion(
                    binding: ApprovalBinding(
                        nonce: [9], requestDigest: binding.requestDigest,
                        policyHash: binding.policyHash, keys: binding.keys,
                        expires: binding.expires), text: question.text, totals: [],
                    demands: question.demands, ownKeys: []), answers)
        }
        #expect(other.answer == "denied person_denied")
    }

    @Test("comes too late once the time of the rule is over")
    func late() async {
        let intime = await ask(seconds: 900) { JointAnswers(to: $0, $1) }
        #expect(intime.answer == "done 1")
        let late = await ask(seconds: 901) { JointAnswers(to: $0, $1) }
        #expect(late.answer == "denied approval_timed_out" && late.intents.isEmpty)
        #expect(late.takenBack == 1)
    }

    @Test("is taken back where nothing came of the yes")
    func unused() async {
        let full = MemoryLedger()
        full.breakReserving()
        #expect(await ask(on: full) { JointAnswers(to: $0, $1) }.takenBack == 1)
        let frozen = MemoryLedger()
        let found = await ask(on: frozen) {
            frozen.freeze()
            return JointAnswers(to: $0, $1)
        }
        #expect(found.intents.isEmpty && found.takenBack == 1)
    }

    @Test("is refused where there is no way to ask")
    func unavailable() async {
        let found = await ask(canAsk: false) { JointAnswers(to: $0, $1) }
        #expect(found.answer == "denied approval_unavailable")
    }
}
