// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Testing

@Suite("The nine steps")
struct FlowTests {
    let ledger = MemoryLedger()
    let environment = FixedEnvironment()

    func hub(
        _ policy: FixedPolicy = FixedPolicy(.allow([])), keys: RecordingKeyStore = Self.keys(),
        approval: any Approval = FixedApproval(.unavailable), seconds: Int64 = 120
    ) -> SigningHub {
        SigningHub(
            policy: policy, keyStore: keys, ledger: ledger, approval: approval,
            environment: environment, approvalSeconds: seconds)
    }

    static func keys(failure: KeyStoreError? = nil) -> RecordingKeyStore {
        RecordingKeyStore([.toy("a"), .toy("b")], domains: [ToyAdapter.domain], failure: failure)
    }

    func answer(_ text: String, _ hub: SigningHub) async -> String {
        let frame = Frame(
            bytes: Array(text.utf8),
            peer: Peer(channel: "test", claim: "tester"))
        guard case .message(let bytes) = await hub.answer(frame, with: ToyAdapter()).reply else {
            return "silence"
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("an allowed request is signed and is on record before its answer")
    func allowed() async throws {
        let keys = Self.keys()
        #expect(await answer("sign hello", hub(keys: keys)) == "done 1")
        #expect(keys.usesCount == 1)
        let intent = try #require(ledger.intents.first)
        #expect(intent.client == Client(id: "tester", name: nil, proof: .claimed))
        #expect(intent.decidedBy == "policy")
        #expect(intent.rules == ["fixed"])
        guard case .done(let digests, _, _, _, _, _)? = ledger.settlement(of: intent.id) else {
            Issue.record("no result on record")
            return
        }
        #expect(digests.count == 1)
    }

    @Test("step 3: an enclosure that the adapter does not read is refused, not carried along")
    func enclosures() async {
        let keys = Self.keys()
        let peer = Peer(channel: "test", claim: "tester")
        let frame = Frame(bytes: Array("sign hello".utf8), enclosure: [1], peer: peer)
        let answer = await hub(keys: keys).answer(frame, with: ToyAdapter())
        guard case .refused(let error) = answer.ending else {
            Issue.record("an enclosure was taken")
            return
        }
        #expect(error.reason == "too large" && keys.usesCount == 0)
    }

    @Test("step 3: a frame over the limit or undecodable is refused in the wire's words")
    func refusedFrames() async {
        let keys = Self.keys()
        #expect(
            await answer(String(repeating: "x", count: 101), hub(keys: keys)) == "bad too large")
        #expect(await answer("sign", hub(keys: keys)) == "bad malformed")
        #expect(keys.usesCount == 0)
        #expect(ledger.intents.isEmpty)
    }

    @Test("step 4: a critical fact that no rule can name is denied")
    func unknownFact() async {
        let keys = Self.keys()
        let policy = FixedPolicy(.allow([]), knownFacts: [])
        #expect(await answer("critical x", hub(policy, keys: keys)) == "denied unknown_fact")
        #expect(await answer("sign x", hub(policy, keys: keys)) == "done 1")
        #expect(keys.usesCount == 1)
    }

    @Test("step 5: a denial uses no key and is on record; a broken snapshot fails")
    func denied() async {
        let keys = Self.keys()
        #expect(
            await answer("sign x", hub(FixedPolicy(.deny), keys: keys)) == "denied policy_denied")
        let broken = hub(FixedPolicy(.breakDown), keys: keys)
        #expect(await answer("sign x", broken) == "failed policy_unavailable")
        #expect(keys.usesCount == 0)
        #expect(ledger.refusals.map(\.kind) == ["denied", "failed"])
    }

    @Test(
        "step 6: only a yes to this very question counts",
        arguments: [
            (FixedApproval.Behaviour.approve, "done 1"),
            (.approveSomethingElse, "denied person_denied"),
            (.deny, "denied person_denied"),
            (.unavailable, "denied approval_unavailable"),
            (.slow(milliseconds: 20), "done 1"),
        ])
    func asked(behaviour: FixedApproval.Behaviour, expected: String) async {
        let hub = hub(FixedPolicy(.ask), approval: FixedApproval(behaviour))
        #expect(await answer("sign x", hub) == expected)
        if expected == "done 1" { #expect(ledger.intents.first?.decidedBy == "person") }
    }

    @Test("step 7: a person's yes is charged, and what has no room is not signed")
    func charged() async {
        let claim = LimitClaim(counter: "month#count", window: .ever, maximum: 1, amount: 1)
        let keys = Self.keys()
        let policy = FixedPolicy(.ask, askedClaims: [claim])
        #expect(await answer("sign x", hub(policy, approval: FixedApproval(.deny))) != "done 1")
        let hub = hub(policy, keys: keys, approval: FixedApproval(.approve))
        #expect(await answer("sign x", hub) == "done 1")
        #expect(ledger.intents.map(\.claims) == [[claim]])
        #expect(await answer("sign y", hub) == "denied limit_exceeded")
        #expect(keys.usesCount == 1)
    }

    /// A prompt program that says yes.
    private struct ProgramApproval: Approval {
        func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
            .approved(question.binding, isByProgram: true)
        }
    }

    @Test("step 6: on record an approving program is not a person")
    func program() async {
        let hub = hub(FixedPolicy(.ask), approval: ProgramApproval())
        #expect(await answer("sign x", hub) == "done 1")
        #expect(ledger.intents.map(\.decidedBy) == ["program"])
    }

    @Test("step 6: an approver that never answers is given up")
    func silentApprover() async {
        let keys = Self.keys()
        let hub = hub(
            FixedPolicy(.ask), keys: keys, approval: FixedApproval(.silent), seconds: 1)
        #expect(await answer("sign x", hub) == "denied approval_timed_out")
        #expect(keys.usesCount == 0)
    }

    @Test("step 7: a request that cannot be recorded is not signed")
    func ledgerBroken() async {
        let keys = Self.keys()
        ledger.breakReserving()
        #expect(await answer("sign x", hub(keys: keys)) == "failed ledger_unavailable")
        #expect(keys.usesCount == 0)
    }

    @Test("step 7: limits and single-use tokens hold at the moment of recording")
    func limits() async {
        let claim = LimitClaim(counter: "r#0", window: .sliding(seconds: 60), maximum: 2, amount: 1)
        let keys = Self.keys()
        let hub = hub(FixedPolicy(.allow([claim])), keys: keys)
        #expect(await answer("sign x", hub) == "done 1")
        #expect(await answer("once y", hub) == "done 1")
        #expect(await answer("sign z", hub) == "denied limit_exceeded")
        environment.advance(seconds: 60)
        #expect(await answer("once y", hub) == "denied replayed")
        #expect(await answer("sign z", hub) == "done 1")
        #expect(keys.usesCount == 3)
    }

    @Test("step 8: a refusal before any key is used gives limits back, a failure does not")
    func keyStoreErrors() async {
        let claim = LimitClaim(counter: "r#0", window: .ever, maximum: 1, amount: 1)
        let policy = FixedPolicy(.allow([claim]))
        let locked = hub(policy, keys: Self.keys(failure: .locked))
        #expect(await answer("sign x", locked) == "failed key_unavailable")
        #expect(await answer("wrong x", hub(policy)) == "denied domain_refused")
        let failing = hub(policy, keys: Self.keys(failure: .failed))
        #expect(await answer("sign x", failing) == "failed key_failed")
        #expect(await answer("sign x", hub(policy)) == "denied limit_exceeded")
    }

    @Test("step 8: the reason of a key store that cannot be used is on record")
    func unavailableKeys() async throws {
        let keys = Self.keys(failure: .unavailable("the token was removed"))
        #expect(await answer("sign x", hub(keys: keys)) == "failed key_unavailable")
        let intent = try #require(ledger.intents.first)
        guard case .notUsed(let reason)? = ledger.settlement(of: intent.id) else {
            Issue.record("the intent counts as used")
            return
        }
        #expect(reason == Reason(.keyUnavailable, "the token was removed"))
    }

    @Test("step 9: a result that cannot be recorded is not released")
    func settlingBroken() async {
        ledger.breakSettling()
        #expect(await answer("sign x", hub()) == "failed ledger_unavailable")
        #expect(ledger.intents.count == 1)
    }

    @Test("a batch is all or nothing, one intent for all")
    func batch() async {
        let keys = Self.keys()
        #expect(await answer("batch x,y,z", hub(keys: keys)) == "done 3")
        #expect(ledger.intents.count == 1)
        let long = String(repeating: "w", count: 70)
        #expect(await answer("batch x,\(long)", hub(keys: keys)) == "denied domain_refused")
        #expect(keys.usesCount == 3)
    }

    @Test("explaining decides the same and leaves no trace")
    func explained() throws {
        let keys = Self.keys()
        let frame = Frame(
            bytes: Array("sign x".utf8),
            peer: Peer(channel: "test"))
        let explanation = try hub(FixedPolicy(.deny), keys: keys).explain(frame, with: ToyAdapter())
        #expect(explanation.judgement?.verdict.name == "deny")
        let labels = explanation.summary.lines.map { "\($0.label)=\($0.text)" }
        let effect = "effect=\(Effect.publishes.sentence)"
        #expect(labels == ["asked by=a client without a name", effect])
        #expect(keys.usesCount == 0)
        #expect(ledger.intents.isEmpty && ledger.refusals.isEmpty)
    }

    @Test("the policy learns that the clock went back, and limits go on from the record")
    func clockGoesBack() async throws {
        #expect(await answer("sign x", hub()) == "done 1")
        let record = environment.now()
        environment.advance(seconds: -3_600)
        let frame = Frame(
            bytes: Array("sign y".utf8),
            peer: Peer(channel: "test", claim: "tester"))
        let request = try hub().explain(frame, with: ToyAdapter()).request
        #expect(request.time == record)
        #expect(request.clock == environment.now())
        #expect(request.isClockBehind)
    }

    @Test("sending stops when its time is over, and the rest is reported as not sent")
    func slowNetwork() async {
        let items = (0..<4).map {
            Broadcast.Item(id: "\($0)", sender: "a", bytes: [UInt8($0)])
        }
        let deliveries = await hub().deliver(
            Broadcast(network: "n", items: items),
            by: ToyCourier { _, _ in
                environment.advance(seconds: 60)
                return .accepted([])
            })
        let isSent = deliveries.map { delivery in
            if case .accepted = delivery.result { true } else { false }
        }
        #expect(isSent == [true, true, false, false])
    }
}
