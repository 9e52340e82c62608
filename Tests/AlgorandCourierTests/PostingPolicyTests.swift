// SPDX-License-Identifier: Apache-2.0

import ARC27
import AlgorandCourier
import AllAdapters
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningPolicy
import SigningStorage
import SigningTesting
import SigningVault
import TestHome
import Testing

@Suite("The policy decides whether a group is posted")
struct PostingPolicyTests {
    private let home: TestHome
    private let chain: FakeAlgod

    init() throws {
        home = try TestHome.ofAlgorand()
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

    @Test("a denied group is not sent: no node hears of it")
    func denied() async throws {
        for name in ["post-ok", "sign-and-post-ok", "post-partly-failed"] {
            #expect(await code(name, FixedPolicy(.deny)) == 4001)
            #expect(await code(name, FixedPolicy(.ask)) == 4001)
        }
        #expect(chain.asked.allSatisfy { $0.hasPrefix("GET ") } && chain.bodies.isEmpty)
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
        #expect(chain.bodies.isEmpty)

        // The second id is not the one that the node returned: the answer says so, and the bytes
        // were sent.
        let two = try rule(
            post, "network = \"testnet\"\ntransactions.count = { max = 2 }")
        #expect(await code("post-partly-failed", two) == 4300)
        #expect(chain.bodies.count == 2)
        let sign = try rule(
            "sign_and_post_transactions", "amount = { max = \"0.00001 ALGO\" }")
        let other = try FakeAlgod(["3BT2CT5ZUINI4B6DM7AHM74UE3MG7KHX7WKQGJOEJEGIBVTLI27A"])
        let courier = home.courier([other.node], policy: sign)
        let reply = json(await courier.answer(Conversations.frame("sign-and-post-ok")))
        #expect(reply["result"]?["txnIDs"]?.list?.count == 1)
        let small = try rule(
            "sign_and_post_transactions", "amount = { max = \"0.000007 ALGO\" }")
        #expect(await code("sign-and-post-ok", small) == 4001)
    }

    @Test("a group that cannot be recorded is not sent")
    func ledger() async throws {
        for breaking in [MemoryLedger.breakReserving, MemoryLedger.breakSettling] {
            let ledger = MemoryLedger()
            breaking(ledger)()
            for name in ["post-ok", "sign-and-post-ok"] {
                let courier = home.courier([chain.node], ledger: ledger)
                let reply = json(await courier.answer(Conversations.frame(name)))
                #expect(reply["error"]?["code"] == 4000)
            }
        }
        #expect(chain.bodies.isEmpty)
    }

    @Test("where no node is known to the adapter nothing is asked of any")
    func notOffered() async throws {
        let adapter = ARC27Adapter(
            ARC27Configuration(
                providerID: "85533948-4d0b-4727-904e-dd35305d49aa"))
        let hub = home.hub(environment: FixedEnvironment())
        let reply = json(
            await hub.answer(Conversations.frame("post-ok"), with: adapter, by: chain.courier))
        #expect(reply["error"]?["code"] == 4003 && chain.asked.isEmpty)
    }
}
