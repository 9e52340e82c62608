// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningTesting
import Synchronization
import Testing

@Suite("Broadcasts")
struct DeliveringTests {
    private let keys = RecordingKeyStore([.toy("a")], domains: [ToyAdapter.domain])
    private let ledger = MemoryLedger()

    private func hub(_ approval: any Approval) -> SigningHub {
        SigningHub(
            policy: FixedPolicy(.ask), keyStore: keys, ledger: ledger, approval: approval,
            environment: FixedEnvironment())
    }

    private func ask(_ hub: SigningHub, _ sent: Sent) async -> String {
        let frame = Frame(
            bytes: Array("sign c#7".utf8),
            peer: Peer(channel: "test", claim: "tester"))
        let adapter = EagerAdapter(isBroadcast: true)
        let answer = await hub.answer(
            frame, with: adapter,
            by: ToyCourier { _, network in
                sent.count.withLock { $0 += 1 }
                return network == "net" ? .accepted([]) : .unknown("where?")
            })
        guard case .message(let bytes) = answer.reply else { return "\(answer.ending)" }
        return String(decoding: bytes, as: UTF8.self) + (answer.isRepeated ? " again" : "")
    }

    private final class Sent: Sendable {
        let count = Mutex(0)
    }

    @Test("a repeated request that waits is sent once, and all clients learn the outcome")
    func joined() async {
        let gate = GatedApproval(says: .yes)
        let hub = hub(gate)
        let sent = Sent()
        var answers: [String: Int] = [:]
        await withTaskGroup(of: String.self) { group in
            group.addTask { await ask(hub, sent) }
            await gate.wait(for: 1)
            for _ in 0..<17 { group.addTask { await ask(hub, sent) } }
            // A refusal returns at once, and only if sixteen requests already wait.
            let refused = await group.next() ?? ""
            #expect(!refused.hasPrefix("sent"))
            gate.open()
            for await answer in group { answers[answer, default: 0] += 1 }
        }
        #expect(answers == ["sent 1": 1, "sent 1 again": 16])
        #expect(sent.count.withLock { $0 } == 1)
        #expect(ledger.intents.count == 1 && keys.usesCount == 1)
        #expect(ledger.broadcasts == ["one": .accepted([])])
    }

    @Test("a broadcast without a courier stays a broadcast")
    func unsent() async {
        let frame = Frame(
            bytes: Array("sign c".utf8),
            peer: Peer(channel: "test", claim: "tester"))
        let approval = GatedApproval(says: .yes)
        approval.open()
        let answer = await hub(approval).answer(frame, with: EagerAdapter(isBroadcast: true))
        guard case .broadcast(let broadcast) = answer.reply else {
            Issue.record("\(answer.reply)")
            return
        }
        #expect(broadcast.items.map(\.id) == ["one"] && answer.deliveries.isEmpty)
    }
}
