// SPDX-License-Identifier: Apache-2.0

import AlgorandCourier
import SigningCodecs
import SigningCore
import SigningStorage
import SigningTesting
import SigningVault
import Synchronization
import TestHome
import Testing

@testable import Algorand

@Suite("Posting the same again while an outcome is not known")
struct UnsettledTests {
    private let home: TestHome
    private let chain: FakeAlgod
    /// The id of `sign-and-post-ok`.
    private let id = "3BT2CT5ZUINI4B6DM7AHM74UE3MG7KHX7WKQGJOEJEGIBVTLI27A"

    /// Signs and sends the payment to a node whose answer leaves the outcome open.
    init() async throws {
        home = try TestHome.ofAlgorand()
        chain = try FakeAlgod([id])
        chain.fail(.status(500))
        _ = await home.courier([chain.node]).answer(Conversations.frame("sign-and-post-ok"))
    }

    /// The same request with a changed transaction.
    private func frame(_ change: (inout Transaction) -> Void) throws -> Frame {
        let item = try #require(Conversations.list("sign-and-post-ok").first)
        let bytes = try Base64.decode(try #require(item["txn"]?.text))
        var transaction = try Transaction(canonical: bytes.span)
        change(&transaction)
        let changed = transaction.encoded()
        return Conversations.frame([
            "id": "5f2b9b2e-8c1e-4a3f-9f0b-3c0c7a4e5d11",
            "reference": "arc0027:sign_and_post_transactions:request",
            "params": [
                "providerId": "85533948-4d0b-4727-904e-dd35305d49aa",
                "txns": [["txn": .string(Base64.encode(changed.span))]],
            ],
        ])
    }

    /// The dangers of the question that a request becomes, and its words.
    private func question(_ frame: Frame) async throws -> ApprovalQuestion {
        let approval = NotedNo()
        let hub = home.hub(FixedPolicy(.ask), approval: approval)
        _ = await PostingChannel(hub: hub, courier: chain.courier).answer(frame)
        return try #require(approval.questions.first)
    }

    @Test("the same payment in other rounds and with another fee and note is flagged")
    func again() async throws {
        let item = try #require(try home.ledger.unsent().first)
        #expect(item.state == "unknown")
        let asked = try await question(
            try frame {
                $0.lastValid -= 1
                $0.fee += 1
                $0.note = Array("again".utf8)
            })
        #expect(asked.dangers == [.unsettled])
        #expect(!asked.canRememberYes)
        let text = asked.summary.text
        #expect(text.contains(id) && text.contains(item.signed.utcText))
        // A rule that does not name the danger posts nothing.
        let policy = FixedPolicy(.allowUnnamed)
        let answer = await home.courier([chain.node], policy: policy)
            .answer(try frame { $0.lastValid -= 1 })
        #expect(json(answer)["error"] != nil)
        #expect(chain.bodies.count == 1)
    }

    @Test("another amount, and the very same transaction, which a network takes once, are not")
    func others() async throws {
        let other = try await question(
            try frame {
                if case .payment(var payment) = $0.body {
                    payment.amount += 1
                    $0.body = .payment(payment)
                }
            })
        #expect(!other.dangers.contains(.unsettled))
        #expect(try await !question(try frame { _ in }).dangers.contains(.unsettled))
    }

    @Test("once the outcome is known, the same payment again raises nothing")
    func settled() async throws {
        try await home.forgetUnsent()
        let asked = try await question(try frame { $0.lastValid -= 1 })
        #expect(!asked.dangers.contains(.unsettled))
    }
}

/// Says no, and keeps the question.
private final class NotedNo: Approval {
    private let state = Mutex<[ApprovalQuestion]>([])
    var questions: [ApprovalQuestion] { state.withLock { $0 } }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        state.withLock { $0.append(question) }
        return .denied()
    }
}
