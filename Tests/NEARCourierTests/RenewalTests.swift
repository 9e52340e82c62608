// SPDX-License-Identifier: Apache-2.0

import FakeNEAR
import NEAR
import NEARCourier
import SigningCodecs
import SigningCore
import SigningFiles
import SigningStorage
import SigningTesting
import Synchronization
import Testing

/// Says yes to the question whose text contains the given words.
private final class PickingApproval: Approval {
    private let state = Mutex<(questions: [ApprovalQuestion], picked: [String])>(([], []))

    var questions: [ApprovalQuestion] { state.withLock { $0.questions } }

    func allow(_ word: String) { state.withLock { $0.picked.append(word) } }

    func isAsked(times count: Int) async {
        while questions.count < count { try? await Task.sleep(for: .milliseconds(2)) }
    }

    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        state.withLock { $0.questions.append(question) }
        while !Task.isCancelled {
            let text = question.summary.text
            if state.withLock({ $0.picked.contains(where: text.contains) }) {
                return .approved(question.binding)
            }
            try? await Task.sleep(for: .milliseconds(2))
        }
        throw .timedOut
    }
}

@Suite("Nonces, blocks and heights of approved transactions")
struct RenewalTests {
    private let chain: FakeChain
    private let home: WalletHome
    private let approval = PickingApproval()
    private let asking: SigningHub

    init() throws {
        chain = try FakeChain()
        chain.setStrict()
        home = try WalletHome()
        asking = SigningHub(
            policy: FixedPolicy(.ask), keyStore: home.vault, ledger: home.ledger,
            approval: approval, environment: SystemEnvironment(), approvalSeconds: 3_600)
    }

    private func pay(_ receiver: String, _ amount: String = "1") -> JSON {
        [
            "network": "testnet", "receiverId": .string(receiver),
            "actions": [["type": "Transfer", "params": ["deposit": .string(amount)]]],
        ]
    }

    private func send(
        _ params: JSON, by hub: SigningHub? = nil, _ method: String = "signAndSendTransaction",
        client: String = "app"
    ) async -> JSON {
        let courier = WalletChannel(hub: hub ?? asking, courier: chain.courier)
        return json(await courier.answer(frame(method, params, client: client)))
    }

    @Test("a key that is used in another wallet meanwhile: the approved transaction goes out")
    func otherWallet() async throws {
        let answer = Task { await send(pay("bob.testnet")) }
        await approval.isAsked(times: 1)
        chain.setNonce(103_595_482_000_900)
        approval.allow("bob.testnet")
        #expect(await answer.value["result"] != nil)
        #expect(chain.nonces == [103_595_482_000_901])
        // The question does not show the parts that may change.
        let question = try #require(approval.questions.first)
        let lines = question.summary.lines
        #expect(
            lines.first { $0.label == "nonce" }?.text
                == "the next one of the key, when it is signed")
        #expect(
            lines.first { $0.label == "block" }?.text == "the latest final one, when it is signed")
        #expect(!question.summary.text.contains("103595482"))
        #expect(question.summary.raw.first?.label.contains("zeros") == true)
    }

    @Test("of two questions the second is answered first, and both are carried out")
    func secondFirst() async throws {
        let first = Task { await send(pay("bob.testnet")) }
        await approval.isAsked(times: 1)
        let second = Task { await send(pay("carol.testnet")) }
        await approval.isAsked(times: 2)
        approval.allow("carol.testnet")
        #expect(await second.value["result"] != nil)
        approval.allow("bob.testnet")
        #expect(await first.value["result"] != nil)
        #expect(chain.nonces == [103_595_482_000_006, 103_595_482_000_007])
        #expect(approval.questions.count == 2)
    }

    @Test("another app's call goes out by a rule meanwhile")
    func byRule() async throws {
        let first = Task { await send(pay("bob.testnet")) }
        await approval.isAsked(times: 1)
        let allowing = asking.judging(by: FixedPolicy(.allow([])))
        #expect(await send(pay("dan.testnet"), by: allowing, client: "other")["result"] != nil)
        approval.allow("bob.testnet")
        #expect(await first.value["result"] != nil)
        #expect(chain.nonces == [103_595_482_000_006, 103_595_482_000_007])
    }

    @Test("a client's own nonce is kept, and is shown")
    func given() async throws {
        var params = pay("bob.testnet").object ?? JSONObject()
        params.members.append(.init(name: "nonce", value: "103595482000050"))
        let answer = Task { [params] in await send(.object(params)) }
        await approval.isAsked(times: 1)
        chain.setNonce(103_595_482_000_010)
        approval.allow("103595482000050")
        #expect(await answer.value["result"] != nil)
        #expect(chain.nonces == [103_595_482_000_050])
    }

    @Test(
        "a key that is taken away, or a node that is gone, while a person thinks: nothing is signed"
    )
    func keyGone() async throws {
        // A receiver of its own for each case: a word that was allowed once stays allowed.
        for (receiver, fault, code) in [
            (
                "bob.testnet", FakeChain.Fault.error(["cause": ["name": "UNKNOWN_ACCESS_KEY"]]),
                "key_not_permitted"
            ),
            ("carol.testnet", .close, "network_unavailable"),
        ] {
            chain.fail("view_access_key", nil)
            let count = approval.questions.count
            let answer = Task { await send(pay(receiver)) }
            await approval.isAsked(times: count + 1)
            chain.fail("view_access_key", fault)
            approval.allow(receiver)
            #expect(await answer.value["error"]?["code"]?.text == code)
        }
        #expect(chain.hashes.isEmpty && chain.count(of: "send_tx") == 0)
        #expect(try home.ledger.unsettledIntents() == 0)
    }

    @Test("a nonce that jumps while a person thinks was not agreed to: it is asked about again")
    func jump() async throws {
        // The key is known from an earlier call.
        let allowing = asking.judging(by: FixedPolicy(.allow([])))
        _ = await send(pay("eve.testnet"), by: allowing)
        let answer = Task { await send(pay("bob.testnet")) }
        await approval.isAsked(times: 1)
        chain.setNonce(chain.nonce() + 2_000_000)
        approval.allow("bob.testnet")
        #expect(await answer.value["result"] != nil)
        #expect(
            approval.questions.map { $0.dangers.contains(.init("nonce_jump")) } == [false, true])
    }

    /// Makes the client known, as the danger of a new client is not part of these tests.
    private func introduce() async {
        let allowing = asking.judging(by: FixedPolicy(.allow([])))
        #expect(await send(pay("first.testnet"), by: allowing)["result"] != nil)
    }

    private func delegate(_ more: [JSONObject.Member] = []) -> JSON {
        let members: [JSONObject.Member] = [
            .init(name: "receiverId", value: "bob.testnet"),
            .init(name: "actions", value: transfer["actions"] ?? .null),
        ]
        return [
            "network": "testnet",
            "delegateActions": [.object(JSONObject(members + more))],
        ]
    }

    private func height(_ answer: JSON) throws -> UInt64 {
        let text = try #require(answer["result"]?["signedDelegateActions"]?.list?.first?.text)
        return try SignedDelegate(try Base64.decode(text)).action.maxBlockHeight
    }

    @Test("a delegate action holds from the block that it is signed at")
    func delegates() async throws {
        for (more, blocks) in [
            ([], UInt64(1_000)), ([JSONObject.Member(name: "blockHeightTtl", value: 77)], 77),
        ] {
            let count = approval.questions.count
            chain.setHeight(180_000_000 + UInt64(count) * 9_000)
            let answer = Task { await send(delegate(more), "signDelegateActions") }
            await approval.isAsked(times: count + 1)
            chain.setHeight(180_005_000 + UInt64(count) * 9_000)
            approval.allow("the \(blocks)th after the one it is signed at")
            let reached = 180_005_000 + UInt64(count) * 9_000
            #expect(try height(await answer.value) == reached + blocks)
        }
    }

    @Test("a height of the client's that passes meanwhile: nothing is signed")
    func expired() async throws {
        let given = [JSONObject.Member(name: "maxBlockHeight", value: 180_000_500)]
        let answer = Task { await send(delegate(given), "signDelegateActions") }
        await approval.isAsked(times: 1)
        chain.setHeight(180_000_500)
        approval.allow("180000500")
        #expect(await answer.value["error"]?["code"]?.text == "expired")
        #expect(try home.ledger.unsettledIntents() == 0)
        // A deadline that has passed on arrival is refused without a question.
        let late = await send(delegate(given), "signDelegateActions")
        #expect(late["error"]?["code"]?.text == "expired" && approval.questions.count == 1)
    }

    @Test(
        "twenty calls at once reach a node that takes each as it comes in the order of their nonces"
    )
    func order() async throws {
        await introduce()
        let hub = asking.judging(by: FixedPolicy(.allowUnnamed))
        let good = await withTaskGroup(of: Bool.self) { group in
            for number in 0..<20 {
                // Half of the calls are equal to others; equal calls are still separate requests.
                group.addTask {
                    await send(pay("bob.testnet", "\(number / 2)"), by: hub)["result"] != nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(good == 20)
        #expect(chain.nonces == (6...26).map { 103_595_482_000_000 + UInt64($0) })
        #expect(approval.questions.isEmpty)
    }

    @Test("an equal call behind one with an unknown outcome is asked about")
    func unsettledMeanwhile() async throws {
        await introduce()
        let hub = asking.judging(by: FixedPolicy(.allowUnnamed))
        chain.fail("send_tx", .status(500))
        let first = Task { await send(pay("bob.testnet"), by: hub) }
        let second = Task { await send(pay("bob.testnet"), by: hub) }
        await approval.isAsked(times: 1)
        let question = try #require(approval.questions.first)
        #expect(question.dangers == [.unsettled])
        #expect(chain.count(of: "send_tx") == 2)
        chain.fail("send_tx", nil)
        approval.allow("bob.testnet")
        let answers = [await first.value, await second.value]
        #expect(answers.count { $0["result"] != nil } == 1)
        #expect(answers.count { $0["error"]?["code"]?.text == "broadcast_unknown" } == 1)
    }
}
