// SPDX-License-Identifier: Apache-2.0

import FakeNEAR
import NEARCourier
import SigningCodecs
import SigningCore
import SigningFiles
import SigningStorage
import SigningTesting
import Synchronization
import Testing

@Suite("Asking again while an outcome is not known")
struct UnsettledTests {
    private let chain: FakeChain
    private let home: WalletHome

    /// Signs and sends the transfer to a node whose answer leaves the outcome open.
    init() async throws {
        chain = try FakeChain()
        home = try WalletHome()
        chain.fail("send_tx", .status(500))
        _ = await home.courier(chain).answer(frame("signAndSendTransaction", transfer))
        chain.fail("send_tx", nil)
    }

    /// Sends a call under a policy that allows everything and names no danger.
    private func send(_ parameters: JSON) async -> JSON {
        json(
            await home.courier(chain, policy: FixedPolicy(.allowUnnamed))
                .answer(frame("signAndSendTransaction", parameters)))
    }

    private var others: JSON {
        [
            "network": "testnet", "receiverId": "bob.testnet",
            "actions": [["type": "Transfer", "params": ["deposit": "77"]]],
        ]
    }

    @Test("the same transfer again is flagged: a rule that does not name the danger sends nothing")
    func again() async throws {
        #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
        let error = try #require(await send(transfer)["error"])
        #expect(error["code"]?.text == "approval_unavailable", "\(error)")
        #expect(chain.count(of: "send_tx") == 1)
        // Another amount is another transfer.
        #expect(await send(others)["result"] != nil)
    }

    @Test("the question names the hash and the time of the first, and a yes sends the second")
    func question() async throws {
        let item = try #require(try home.ledger.unsent().first)
        let approval = NotedYes()
        let answer = await channel(asking: approval).answer(
            frame("signAndSendTransaction", transfer))
        #expect(json(answer)["result"] != nil)
        let question = try #require(approval.questions.first)
        let text = question.summary.text
        #expect(text.contains(item.item.id) && text.contains(item.signed.utcText))
        #expect(text.contains("its outcome is not known"))
        #expect(question.dangers == [.unsettled])
        // A yes to this request cannot be remembered.
        #expect(!question.canRememberYes)
    }

    @Test("once the first is settled, the same again raises nothing")
    func settled() async throws {
        let item = try #require(try home.ledger.unsent().first)
        let result = await chain.courier.resend(item.item, to: "testnet")
        try await home.ledger.record(result, of: item.item.id, at: Timestamp(seconds: 0))
        #expect(try home.ledger.unsent().isEmpty)
        #expect(await send(transfer)["result"] != nil)
        #expect(await send(transfer)["result"] != nil)
    }

    @Test("it is flagged as well where the client gets the transaction, or a delegate action")
    func otherWays() async throws {
        let delegate: JSON = [
            "network": "testnet",
            "delegateActions": [
                ["receiverId": "bob.testnet", "actions": transfer["actions"] ?? .null]
            ],
        ]
        let approval = NotedYes()
        for (method, parameters) in [
            ("signTransaction", transfer), ("signDelegateActions", delegate),
        ] { _ = await channel(asking: approval).answer(frame(method, parameters)) }
        #expect(approval.questions.count == 2)
        #expect(approval.questions.allSatisfy { $0.dangers.contains(.unsettled) })
    }

    private func channel(asking approval: NotedYes) -> WalletChannel {
        let hub = SigningHub(
            policy: FixedPolicy(.allowUnnamed), keyStore: home.vault, ledger: home.ledger,
            approval: approval, environment: SystemEnvironment(), approvalSeconds: 3_600)
        return WalletChannel(hub: hub, courier: chain.courier)
    }
}

/// Says yes, and keeps the question.
private final class NotedYes: Approval {
    private let state = Mutex<[ApprovalQuestion]>([])
    var questions: [ApprovalQuestion] { state.withLock { $0 } }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        state.withLock { $0.append(question) }
        return .approved(question.binding)
    }
}
