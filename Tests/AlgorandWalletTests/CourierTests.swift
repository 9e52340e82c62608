// SPDX-License-Identifier: Apache-2.0

import ARC27
import AlgorandWallet
import AllAdapters
import Glibc
import LoopbackServer
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningNetwork
import SigningPolicy
import SigningStorage
import SigningTesting
import Testing

@Suite("Algorand transactions on their way to a node")
struct CourierTests {
    private let home: AlgorandHome
    /// The id of `sign-and-post-ok`, which is the first of `post-partly-failed` as well.
    private let id = "3BT2CT5ZUINI4B6DM7AHM74UE3MG7KHX7WKQGJOEJEGIBVTLI27A"

    init() throws { home = try AlgorandHome() }

    private func answer(
        _ name: String, _ chain: FakeAlgod?, policy: any Policy = FixedPolicy(.allow([]))
    ) async -> JSON {
        let nodes = chain.map { [$0.node] } ?? []
        return json(await home.courier(nodes, policy: policy).answer(Conversations.frame(name)))
    }

    private func bytes(_ json: JSON?) throws -> [UInt8] {
        try Base64.decode(try #require(json?.text))
    }

    @Test("a transaction is signed, sent once to a node of its network, and told by its id")
    func sending() async throws {
        let chain = try FakeAlgod([id])
        let told = await answer("sign-and-post-ok", chain)
        #expect(told["result"] == Conversations.expected("sign-and-post-ok")["result"])
        #expect(chain.asked == ["GET /v2/transactions/params", "POST /v2/transactions"])
        let signed = try bytes(Conversations.list("post-partly-failed")[0])
        #expect(chain.bodies == [signed])
        #expect(try home.ledger.unsent().isEmpty && home.ledger.unsettledIntents() == 0)
    }

    @Test("a group goes as one body, and all its ids are told")
    func group() async throws {
        let chain = try FakeAlgod([try #require(Conversations.ids("post-ok").first)])
        let told = await answer("post-ok", chain)
        #expect(told["result"] == Conversations.expected("post-ok")["result"])
        let bodies = try Conversations.list("post-ok").map { try bytes($0) }
        #expect(chain.bodies == [Array(bodies.joined())])
    }

    @Test("what is refused is told by null, and what follows is kept back")
    func partly() async throws {
        let overspend = FakeAlgod.Fault.refuse(
            "TransactionPool.Remember: transaction X: overspend (account A, tried to spend {9})")
        let chain = try FakeAlgod([id])
        chain.fail(nil, overspend)
        let told = await answer("post-partly-failed", chain)
        let expected = Conversations.expected("post-partly-failed")["error"]
        #expect(told["error"]?["code"] == expected?["code"])
        #expect(told["error"]?["data"] == expected?["data"])
        #expect(told["error"]?["message"]?.text?.contains("overspend") == true)
        #expect(try home.ledger.unsent().isEmpty)

        let first = try FakeAlgod()
        first.fail(overspend)
        let none = await answer("post-partly-failed", first)
        #expect(none["error"]?["data"] == ["successTxnIDs": [.null, .null]])
        #expect(first.bodies.count == 1)
        #expect(try home.ledger.unsent().map(\.state) == ["not_sent"])
    }

    @Test("a node of another network, one that turns away, and none get nothing")
    func notSent() async throws {
        let other = try FakeAlgod()
        other.setNetwork(.mainnet)
        let told = await answer("sign-and-post-ok", other)
        #expect(told["error"]?["code"] == 4300)
        #expect(told["error"]?["data"] == ["successTxnIDs": [.null]])
        #expect(other.asked == ["GET /v2/transactions/params"])

        let away = try FakeAlgod()
        away.fail(.status(401))
        #expect(await answer("sign-and-post-ok", away)["error"]?["code"] == 4300)
        #expect(await answer("sign-and-post-ok", nil)["error"]?["code"] == 4300)
        let (socket, port) = try LoopbackSocket.bound()
        let nobody = AlgorandNode(Algod(url: "http://127.0.0.1:\(port)/"), on: .testnet)
        let down = await home.courier([nobody]).answer(Conversations.frame("sign-and-post-ok"))
        close(socket)
        let message = try #require(json(down)["error"]?["message"]?.text)
        #expect(message.hasSuffix("transaction 1: it was not sent"), "it names no node")
        #expect(down.deliveries.count == 1)
        guard case .notSent(let text)? = down.deliveries.first?.result, text.contains("\(port)")
        else {
            Issue.record("the owner is not told which node")
            return
        }
        let unsent = try home.ledger.unsent()
        #expect(unsent.map(\.state) == ["not_sent"] && unsent.map(\.item.id) == [id])
        #expect(unsent.map(\.network) == ["testnet"])
        #expect(unsent.map(\.protocolID) == [ProtocolID("algorand")])
    }

    @Test(
        "where nobody knows whether it arrived the node is asked, and it is not sent again",
        arguments: [
            FakeAlgod.Fault.status(500), .close, .text("{"), .text("{\"txId\":\"X\"}"), .stall,
            .refuse("broadcast queue full"),
            .refuse("TransactionPool.Remember: transaction already in ledger: X"),
        ])
    func unclear(_ fault: FakeAlgod.Fault) async throws {
        let chain = try FakeAlgod([id])
        chain.fail(fault)
        let told = await answer("sign-and-post-ok", chain)
        #expect(told["error"]?["data"] == ["successTxnIDs": [.null]])
        #expect(told["error"]?["message"]?.text?.contains("nobody knows") == true, "\(told)")
        #expect(chain.bodies.count == 1)
        #expect(chain.asked.last == "GET /v2/transactions/pending/\(id)")
        let unsent = try home.ledger.unsent()
        #expect(unsent.map(\.state) == ["unknown"])
        // The same bytes once more, because the owner says so.
        let item = try #require(unsent.first).item
        guard case .accepted = await AlgorandBroadcaster.resend(item, to: chain.node) else {
            Issue.record("not accepted")
            return
        }
        #expect(chain.bodies == [item.bytes, item.bytes])
    }

    @Test("a connection that is lost after the node took it is no failure")
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

    @Test("what a node threw out of its pool may be in another's")
    func thrownOut() async throws {
        let chain = try FakeAlgod()
        chain.know(id, poolError: "txn dead")
        chain.fail(.close)
        #expect(await answer("sign-and-post-ok", chain)["error"]?["code"] == 4300)
        #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
    }

    @Test("a client that asks once more for what may have been sent learns nothing false")
    func askedAgain() async throws {
        let chain = try FakeAlgod()
        let dead = FakeAlgod.Fault.refuse(
            "TransactionPool.Remember: txn dead: round 9 outside of 1--8")
        chain.fail(.status(500), dead, .status(401))
        for _ in 0..<3 {
            let told = await answer("sign-and-post-ok", chain)
            #expect(told["error"]?["data"] == ["successTxnIDs": [.null]])
            #expect(told["error"]?["message"]?.text?.contains("nobody knows") == true)
            #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
        }
        chain.know(id)
        #expect(await answer("sign-and-post-ok", chain)["result"]?["txnIDs"] == [.string(id)])
        #expect(chain.bodies.count == 3)
        #expect(try home.ledger.unsent().isEmpty)
    }

    @Test("what is refused while another process sends it is not given up")
    func refusedMeanwhile() async throws {
        let chain = try FakeAlgod()
        chain.fail(.refuse("TransactionPool.Remember: fee 1000 below threshold 2000"))
        chain.meanwhile { [ledger = home.ledger, id] in
            try? ledger.record(.unknown("no answer"), of: id, at: Timestamp(seconds: 0))
        }
        let told = await answer("sign-and-post-ok", chain)
        #expect(told["error"]?["message"]?.text?.contains("nobody knows") == true)
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
            let result = await AlgorandBroadcaster.resend(item, to: chain.node)
            guard case .unknown = result else {
                Issue.record("\(result)")
                continue
            }
        }
        chain.setNetwork(.mainnet)
        let count = chain.bodies.count
        guard case .unknown = await AlgorandBroadcaster.resend(item, to: chain.node) else {
            Issue.record("believed")
            return
        }
        chain.setNetwork(.testnet)
        chain.know(id)
        guard case .accepted = await AlgorandBroadcaster.resend(item, to: chain.node) else {
            Issue.record("not believed")
            return
        }
        #expect(chain.bodies.count == count, "what is there is not sent again")
    }
}

@Suite("What decides whether anything is posted")
struct PostingPolicyTests {
    private let home: AlgorandHome
    private let chain: FakeAlgod

    init() throws {
        home = try AlgorandHome()
        chain = try FakeAlgod(["3BT2CT5ZUINI4B6DM7AHM74UE3MG7KHX7WKQGJOEJEGIBVTLI27A"])
    }

    private func policy(_ rules: String) throws -> TOMLPolicy {
        let text = Array(("version = 1\ndefault = \"deny\"\n" + rules).utf8)
        return try TOMLPolicy.load(
            text.span, fileName: "policy.toml", schemas: AdapterSet(providerID: "").schemas,
            at: Timestamp(seconds: 0), sha256: { Digest.sha256($0) })
    }

    private func code(_ name: String, _ policy: any Policy) async -> JSON? {
        let courier = home.courier([chain.node], policy: policy)
        return json(await courier.answer(Conversations.frame(name)))["error"]?["code"]
    }

    @Test("what the policy denies is not sent: no node hears of it")
    func denied() async throws {
        for name in ["post-ok", "sign-and-post-ok", "post-partly-failed"] {
            #expect(await code(name, FixedPolicy(.deny)) == 4001)
            #expect(await code(name, FixedPolicy(.ask)) == 4001)
        }
        #expect(chain.asked.isEmpty && chain.bodies.isEmpty)
        #expect(try home.ledger.unsent().isEmpty)
    }

    @Test("posting is allowed apart from signing, and bounded by network and count")
    func rules() async throws {
        func rule(_ operation: String, _ more: String = "") throws -> TOMLPolicy {
            try policy(
                """
                [[rule]]
                id = "one"
                effect = "allow"
                protocol = "algorand"
                operation = "\(operation)"
                acknowledge = ["new_client"]
                \(more)
                """)
        }
        for (name, operation) in [
            ("post-partly-failed", "sign_transactions"),
            ("post-partly-failed", "sign_and_post_transactions"),
            ("sign-and-post-ok", "sign_transactions"), ("sign-and-post-ok", "post_transactions"),
        ] {
            #expect(await code(name, try rule(operation)) == 4001)
        }
        let post = "post_transactions"
        #expect(await code("post-partly-failed", try rule(post, "network = \"mainnet\"")) == 4001)
        let one = try rule(post, "transactions.count = { max = 1 }")
        #expect(await code("post-partly-failed", one) == 4001)
        #expect(await code("post-partly-failed", try rule(post, "receiver = \"@own\"")) == 4001)
        #expect(chain.asked.isEmpty)

        // The second id is not the one that the node names: that is told, and it was sent.
        let two = try rule(
            post, "network = \"testnet\"\ntransactions.count = { max = 2 }")
        #expect(await code("post-partly-failed", two) == 4300)
        #expect(chain.bodies.count == 2)
        let sign = try rule(
            "sign_and_post_transactions", "amount = { max = \"0.00001 ALGO\" }")
        let other = try FakeAlgod(["3BT2CT5ZUINI4B6DM7AHM74UE3MG7KHX7WKQGJOEJEGIBVTLI27A"])
        let courier = home.courier([other.node], policy: sign)
        let told = json(await courier.answer(Conversations.frame("sign-and-post-ok")))
        #expect(told["result"]?["txnIDs"]?.list?.count == 1)
        let small = try rule(
            "sign_and_post_transactions", "amount = { max = \"0.000007 ALGO\" }")
        #expect(await code("sign-and-post-ok", small) == 4001)
    }

    @Test("what cannot be recorded is not sent")
    func ledger() async throws {
        for breaking in [MemoryLedger.breakReserving, MemoryLedger.breakSettling] {
            let ledger = MemoryLedger()
            breaking(ledger)()
            for name in ["post-ok", "sign-and-post-ok"] {
                let courier = home.courier([chain.node], ledger: ledger)
                let told = json(await courier.answer(Conversations.frame(name)))
                #expect(told["error"]?["code"] == 4000)
            }
        }
        #expect(chain.asked.isEmpty && chain.bodies.isEmpty)
    }

    @Test("where no node is known to the adapter nothing is asked of any")
    func notOffered() async throws {
        let adapter = ARC27Adapter(
            ARC27Configuration(
                providerID: "85533948-4d0b-4727-904e-dd35305d49aa",
                sha512_256: { Digest.sha512_256($0) }, sha256: { Digest.sha256($0) }))
        let hub = SigningHub(
            policy: FixedPolicy(.allow([])), keyStore: home.vault, ledger: home.ledger,
            approval: FixedApproval(.unavailable), environment: FixedEnvironment())
        let courier = AlgorandCourier(hub: hub, adapter: adapter, nodes: [chain.node])
        let told = json(await courier.answer(Conversations.frame("post-ok")))
        #expect(told["error"]?["code"] == 4003 && chain.asked.isEmpty)
    }
}
