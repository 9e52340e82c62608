// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import AlgorandCourier
import AllAdapters
import Dispatch
import Glibc
import LoopbackServer
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningNetwork
import SigningStorage
import SigningTesting
import SigningVault
import TestHome
import Testing

@Suite("Algorand transactions on their way to a node")
struct CourierTests {
    private let home: TestHome
    /// The transaction id of `sign-and-post-ok`, which is also the first of `post-partly-failed`.
    private let id = "3BT2CT5ZUINI4B6DM7AHM74UE3MG7KHX7WKQGJOEJEGIBVTLI27A"

    init() throws { home = try TestHome.ofAlgorand() }

    private func answer(
        _ name: String, _ chain: FakeAlgod?, policy: any Policy = FixedPolicy(.allow([]))
    ) async -> JSON {
        let nodes = chain.map { [$0.node] } ?? []
        return json(await home.courier(nodes, policy: policy).answer(Conversations.frame(name)))
    }

    private func bytes(_ json: JSON?) throws -> [UInt8] {
        try Base64.decode(try #require(json?.text))
    }

    private let account = "AOQQPP7TZYIL4HLQ3UMOOS6ATFT6JVRQTOSQ2XY53SDGIESVGG4MPFYUMQ"

    @Test("a transaction is signed, sent once to a node of its network, and its id is returned")
    func sending() async throws {
        let chain = try FakeAlgod([id])
        let reply = await answer("sign-and-post-ok", chain)
        #expect(reply["result"] == Conversations.expected("sign-and-post-ok")["result"])
        // Before decoding, the courier checks the node and looks up the signer; it checks the node
        // again before sending.
        #expect(
            chain.asked.sorted() == [
                "GET /v2/accounts/\(account)?exclude=all", "GET /v2/transactions/params",
                "GET /v2/transactions/params", "GET /v2/transactions/params",
                "POST /v2/transactions",
            ])
        #expect(chain.asked.last == "POST /v2/transactions")
        let signed = try bytes(Conversations.list("post-partly-failed")[0])
        #expect(chain.bodies == [signed])
        #expect(try home.ledger.unsent().isEmpty && home.ledger.unsettledIntents() == 0)
    }

    @Test("a group goes as one body, and all its ids are returned")
    func group() async throws {
        let chain = try FakeAlgod([try #require(Conversations.ids("post-ok").first)])
        let reply = await answer("post-ok", chain)
        #expect(reply["result"] == Conversations.expected("post-ok")["result"])
        let bodies = try Conversations.list("post-ok").map { try bytes($0) }
        #expect(chain.bodies == [Array(bodies.joined())])
    }

    @Test("a refused group is reported by null and kept, and later groups are held back")
    func partly() async throws {
        let overspend = FakeAlgod.Fault.refuse(
            "TransactionPool.Remember: transaction X: overspend (account A, tried to spend {9})")
        let chain = try FakeAlgod([id])
        chain.fail(nil, overspend)
        let reply = await answer("post-partly-failed", chain)
        let expected = Conversations.expected("post-partly-failed")["error"]
        #expect(reply["error"]?["code"] == expected?["code"])
        #expect(reply["error"]?["data"] == expected?["data"])
        #expect(reply["error"]?["message"]?.text?.contains("overspend") == true)
        #expect(try home.ledger.unsent().map(\.state) == ["unknown"])

        let first = try FakeAlgod()
        first.fail(overspend)
        let none = await answer("post-partly-failed", first)
        #expect(none["error"]?["data"] == ["successTxnIDs": [.null, .null]])
        #expect(first.bodies.count == 1)
        #expect(try home.ledger.unsent().map(\.state) == ["unknown", "unknown"])
    }

    @Test("a node of another network, one that is down, and a missing one: nothing is signed")
    func notOffered() async throws {
        let other = try FakeAlgod()
        other.setNetwork(.mainnet)
        for name in ["sign-and-post-ok", "post-ok"] {
            #expect(await answer(name, other)["error"]?["code"] == 4003)
            #expect(await answer(name, nil)["error"]?["code"] == 4003)
        }
        #expect(other.asked == Array(repeating: "GET /v2/transactions/params", count: 3))

        let (socket, port) = try LoopbackSocket.bound()
        let nobody = AlgorandNode(Algod(url: "http://127.0.0.1:\(port)/"), on: .testnet)
        let down = await home.courier([nobody]).answer(Conversations.frame("sign-and-post-ok"))
        close(socket)
        let message = try #require(json(down)["error"]?["message"]?.text)
        #expect(message == "this method is not supported", "it names no node")
        guard case .refused(let refusal) = down.ending, refusal.reason.contains("\(port)") else {
            Issue.record("the owner is not told which node")
            return
        }
        // A token that makes an invalid HTTP header is refused before anything is signed.
        let token = Algod(url: other.server.url, token: "a\r\nX-Other: b")
        let bad = await home.courier([AlgorandNode(token, on: .testnet)])
            .answer(Conversations.frame("sign-and-post-ok"))
        #expect(json(bad)["error"]?["code"] == 4003)
        #expect(try home.ledger.latestTime() == nil, "nothing is on record")
    }

    @Test("posting is offered on the networks that the nodes are really on")
    func discovering() async throws {
        let chain = try FakeAlgod()
        let discover: JSON = ["id": "1", "reference": "arc0027:discover:request"]
        func offered() async -> [Bool] {
            let reply = json(await home.courier([chain.node]).answer(Conversations.frame(discover)))
            return (reply["result"]?["networks"]?.list ?? []).map {
                $0["methods"]?.list?.contains("post_transactions") ?? false
            }
        }
        #expect(await offered() == [true, false])
        chain.setNetwork(.mainnet)
        #expect(await offered() == [false, false])
    }

    @Test("a node that goes away after it was asked gets nothing")
    func goneMeanwhile() async throws {
        let chain = try FakeAlgod([id])
        // The first answer is for the network check, the second for the key that signs.
        chain.failParameters(after: 2)
        let reply = await answer("sign-and-post-ok", chain)
        #expect(reply["error"]?["code"] == 4300)
        let message = try #require(reply["error"]?["message"]?.text)
        #expect(message.hasSuffix("transaction 1: it was not sent"), "it names no node")
        #expect(chain.bodies.isEmpty)
        let unsent = try home.ledger.unsent()
        #expect(unsent.map(\.state) == ["not_sent"] && unsent.map(\.item.id) == [id])
        #expect(unsent.map(\.network) == ["testnet"])
        #expect(unsent.map(\.protocolID) == [ProtocolID("algorand")])
    }

    @Test(
        "where the arrival is unknown the node is asked, and the group is not sent again",
        arguments: [
            FakeAlgod.Fault.status(500), .close, .text("{"), .text("{\"txId\":\"X\"}"), .stall,
            .text("{}"), .text("true"), .status(401), .status(404), .status(413),
        ])
    func unclear(_ fault: FakeAlgod.Fault) async throws {
        let chain = try FakeAlgod([id])
        chain.fail(fault)
        let reply = await answer("sign-and-post-ok", chain)
        #expect(reply["error"]?["data"] == ["successTxnIDs": [.null]])
        #expect(reply["error"]?["message"]?.text?.contains("is not known") == true, "\(reply)")
        #expect(chain.bodies.count == 1)
        #expect(chain.asked.last == "GET /v2/transactions/pending/\(id)")
        let unsent = try home.ledger.unsent()
        #expect(unsent.map(\.state) == ["unknown"])
        // The owner asked to send the same bytes again.
        let item = try #require(unsent.first).item
        guard case .accepted = await chain.courier.resend(item, to: "testnet") else {
            Issue.record("not accepted")
            return
        }
        #expect(chain.bodies == [item.bytes, item.bytes])
    }

    @Test("a connection that is lost after the node took the bytes is not a failure")
    func takenAllTheSame() async throws {
        for fault in [
            FakeAlgod.Fault.close, .status(502),
            .refuse("TransactionPool.Remember: transaction already in ledger: X"),
        ] {
            let chain = try FakeAlgod()
            chain.know(id)
            chain.fail(fault)
            #expect(await answer("sign-and-post-ok", chain)["result"]?["txnIDs"] == [.string(id)])
        }
        let again = try FakeAlgod()
        again.fail(.refuse("TransactionPool.Remember: transaction already in ledger: \(id)"))
        #expect(await answer("sign-and-post-ok", again)["result"]?["txnIDs"] == [.string(id)])
        #expect(try home.ledger.unsent().isEmpty)
    }

    @Test("a transaction that one node dropped from its pool may be in another's")
    func thrownOut() async throws {
        let chain = try FakeAlgod()
        chain.know(id, poolError: "txn dead")
        chain.fail(.close)
        #expect(await answer("sign-and-post-ok", chain)["error"]?["code"] == 4300)
        #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
    }

    @Test("a client that repeats a possibly sent request gets no false status")
    func askedAgain() async throws {
        let chain = try FakeAlgod()
        let dead = FakeAlgod.Fault.refuse(
            "TransactionPool.Remember: txn dead: round 9 outside of 1--8")
        chain.fail(.status(500), dead, .status(401))
        for _ in 0..<3 {
            let reply = await answer("sign-and-post-ok", chain)
            #expect(reply["error"]?["data"] == ["successTxnIDs": [.null]])
            #expect(reply["error"]?["message"]?.text?.contains("is not known") == true)
            #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
        }
        chain.know(id)
        #expect(await answer("sign-and-post-ok", chain)["result"]?["txnIDs"] == [.string(id)])
        #expect(chain.bodies.count == 3)
        #expect(try home.ledger.unsent().isEmpty)
    }

    @Test("a group that was refused while another process sends it is not given up")
    func refusedMeanwhile() async throws {
        let chain = try FakeAlgod()
        chain.fail(.refuse("TransactionPool.Remember: fee 1000 below threshold 2000"))
        chain.meanwhile { [ledger = home.ledger, id] in
            let done = DispatchSemaphore(value: 0)
            Task.detached {
                try? await ledger.record(
                    .unknown("no answer"), of: id, at: Timestamp(seconds: 0))
                done.signal()
            }
            done.wait()
        }
        chain.setRoundAfterPosting(1 << 40)
        let reply = await answer("sign-and-post-ok", chain)
        #expect(reply["error"]?["message"]?.text?.contains("is not known") == true)
        #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
    }

    @Test("sent again, only that it is there is certain: the rest stays listed")
    func resending() async throws {
        let chain = try FakeAlgod()
        chain.fail(.status(500))
        _ = await answer("sign-and-post-ok", chain)
        let item = try #require(try home.ledger.unsent().first).item
        for fault in [
            FakeAlgod.Fault.refuse("TransactionPool.Remember: txn dead: round 9 outside of 1--8"),
            .status(401), .close,
        ] {
            chain.fail(fault)
            let result = await chain.courier.resend(item, to: "testnet")
            guard case .unknown = result else {
                Issue.record("\(result)")
                continue
            }
        }
        chain.setNetwork(.mainnet)
        let count = chain.bodies.count
        guard case .unknown = await chain.courier.resend(item, to: "testnet") else {
            Issue.record("believed")
            return
        }
        chain.setNetwork(.testnet)
        chain.know(id)
        guard case .accepted = await chain.courier.resend(item, to: "testnet") else {
            Issue.record("not believed")
            return
        }
        #expect(chain.bodies.count == count, "what is there is not sent again")
    }
}
