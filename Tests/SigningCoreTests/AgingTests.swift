// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import Synchronization
import Testing

@testable import SigningCore

/// Draws numbers as a courier does, and sends with the number that it drew.
private struct NumberCourier: Courier {
    var onRenewing: @Sendable (_ hasWaited: Bool) async -> Void = { _ in }
    var onSending: @Sendable (String) async -> Broadcast.Result = { _ in .accepted([]) }
    var isAway = false

    var protocolID: ProtocolID { ProtocolID("toy") }

    func lookUp(
        _: NumberLookup.Need, in _: DecodingContext
    ) async throws(NumberLookup.Failure) -> NumberLookup {
        NumberLookup(number: 0, isRenewed: false)
    }

    func renew(
        _: NumberLookup, in _: DecodingContext, hasWaited: Bool,
        drawingFrom serials: any LedgerSerials
    ) async throws(NumberLookup.Failure) -> NumberLookup {
        await onRenewing(hasWaited)
        if isAway { throw .away }
        let number = try? await serials.drawSerials(1, in: "numbers", above: 0, below: 200)
        return NumberLookup(number: UInt8(number ?? 0), isRenewed: true)
    }

    func reaches(_: String) -> Bool { true }
    func send(_ item: Broadcast.Item, to _: String) async -> Broadcast.Result {
        await onSending(item.id)
    }
    func resend(_ item: Broadcast.Item, to _: String) async -> Broadcast.Result { .unknown("") }
}

@Suite("Ageing values are filled in after the last wait, and nothing else changes")
struct AgingTests {
    private let keys = RecordingKeyStore([.toy("a"), .toy("b")], domains: [ToyAdapter.domain])
    private let ledger = MemoryLedger()

    private func hub(
        _ approval: any Approval, _ policy: any Policy = FixedPolicy(.ask)
    ) -> SigningHub {
        SigningHub(
            policy: policy, keyStore: keys, ledger: ledger, approval: approval,
            environment: FixedEnvironment())
    }

    private func ask(
        _ hub: SigningHub, _ adapter: AgingAdapter = AgingAdapter(),
        _ courier: NumberCourier = NumberCourier()
    ) async -> String {
        let frame = Frame(bytes: Array("word".utf8), peer: Peer(channel: "test", claim: "tester"))
        guard case .message(let bytes) = await hub.answer(frame, with: adapter, by: courier).reply
        else { return "no message" }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("a yes holds for the fresh number, which is drawn after it")
    func fresh() async {
        let approval = HeldApproval()
        let waited = Mutex<[Bool]>([])
        var courier = NumberCourier()
        courier.onRenewing = { hasWaited in waited.withLock { $0.append(hasWaited) } }
        let hub = hub(approval)
        let answer = Task { [courier] in await ask(hub, AgingAdapter(), courier) }
        await approval.isAsked()
        // Another process draws numbers meanwhile.
        _ = try? ledger.drawSerials(5, in: "numbers", above: 0, below: 200)
        #expect(waited.withLock { $0 }.isEmpty)
        approval.say(yes: true)
        #expect(await answer.value == "sent 6")
        #expect(waited.withLock { $0 } == [true])
        #expect(keys.usesCount == 1 && approval.askedCount == 1)
        // Without a question there is no wait, so the courier's number is still fresh when it is
        // used.
        #expect(
            await ask(self.hub(NoApproval(), FixedPolicy(.allow([]))), .init(), courier) == "sent 7"
        )
        #expect(waited.withLock { $0 } == [true, false])
    }

    @Test(
        "a change of another value between the yes and the key is refused",
        arguments: AgingAdapter.Twist.allCases)
    func attack(_ twist: AgingAdapter.Twist) async {
        let approval = HeldApproval()
        // The person says yes to the first text and no to the text shown afterwards.
        approval.say(yes: true)
        approval.say(yes: false)
        let answer = await ask(hub(approval), AgingAdapter(twist: twist))
        switch twist {
        case .none, .fewerDangers, .lowerBound:
            #expect(answer == "sent 1" && keys.usesCount == 1 && approval.askedCount == 1)
        default:
            #expect(answer == "denied person_denied", "\(twist)")
            #expect(keys.usesCount == 0 && approval.askedCount == 2)
            #expect(ledger.intents.isEmpty)
        }
    }

    @Test("a question that is asked again is signed as it is shown then, or not at all")
    func changing() async {
        let approval = HeldApproval()
        for _ in 0..<5 { approval.say(yes: true) }
        let count = Mutex(0)
        var adapter = AgingAdapter(twist: .otherWord)
        #expect(await ask(hub(approval), adapter) == "sent 2")
        adapter.twist = .moreDangers
        let turning = TurningAdapterPolicy { count.withLock { $0 += 1 } }
        #expect(await ask(hub(NoApproval(), turning), adapter) == "denied approval_unavailable")
        #expect(count.withLock { $0 } > 0)
    }

    @Test("a rule that does not cover the fresh reading lets nothing be signed")
    func rules() async {
        let answer = await ask(
            hub(NoApproval(), FixedPolicy(.allowUnnamed)), AgingAdapter(twist: .moreDangers))
        #expect(answer == "denied approval_unavailable" && keys.usesCount == 0)
    }

    @Test("where the number cannot be had any more nothing is signed, in the words of the wire")
    func away() async {
        let answer = await ask(
            hub(FixedApproval(.approve)), AgingAdapter(), NumberCourier(isAway: true))
        #expect(answer == "away" && keys.usesCount == 0 && ledger.intents.isEmpty)
    }

    @Test("a freeze between the question and the fresh reading counts")
    func frozen() async {
        let ledger = ledger
        var courier = NumberCourier()
        courier.onRenewing = { _ in ledger.freeze() }
        let answer = await ask(hub(FixedApproval(.approve)), AgingAdapter(), courier)
        #expect(answer == "denied frozen" && keys.usesCount == 0)
    }

    @Test("from drawing to handing over each is alone, in the order of its turn")
    func order() async {
        let hub = hub(NoApproval(), FixedPolicy(.allow([])))
        let sent = Mutex<[String]>([])
        let inside = Mutex(0)
        var courier = NumberCourier()
        courier.onRenewing = { _ in
            #expect(
                inside.withLock {
                    $0 += 1; return $0
                } == 1)
        }
        courier.onSending = { id in
            await Task.yield()
            sent.withLock { $0.append(id) }
            inside.withLock { $0 -= 1 }
            return .accepted([])
        }
        await withTaskGroup(of: String.self) { [courier] group in
            for _ in 0..<20 { group.addTask { await ask(hub, AgingAdapter(), courier) } }
            for await answer in group { #expect(answer.hasPrefix("sent ")) }
        }
        #expect(sent.withLock { $0 } == (1...20).map(String.init))
    }

    @Test("a turn is passed on, also where an earlier request gave up")
    func lanes() async {
        let lanes = Lanes()
        let first = await lanes.take("a")
        #expect(first != nil)
        let leaving = Task { await lanes.take("a") }
        let next = Task { await lanes.take("a") }
        while lanes.waitingCount(in: "a") < 2 { await Task.yield() }
        let other = await lanes.take("b")
        #expect(other != nil)
        leaving.cancel()
        #expect(await leaving.value == nil)
        #expect(lanes.waitingCount(in: "a") == 1)
        first?.end()
        first?.end()
        let turn = await next.value
        #expect(turn != nil && lanes.waitingCount(in: "a") == 0)
        turn?.end()
        #expect(await lanes.take("a") != nil)
    }
}

/// Allows a request with one danger, and asks about all others.
private struct TurningAdapterPolicy: Policy {
    let onJudging: @Sendable () -> Void

    var hash: [UInt8] { [UInt8](repeating: 1, count: 32) }
    func understands(_: Fact, of _: ProtocolID) -> Bool { true }
    func judge(
        _ request: JudgedRequest, usage: some LimitUsage
    ) throws(LedgerError) -> Judgement {
        onJudging()
        let answer = request.dangers.contains(Danger("loud")) ? FixedPolicy.Answer.ask : .allow([])
        return try FixedPolicy(answer, hashByte: 1).judge(request, usage: usage)
    }
}
