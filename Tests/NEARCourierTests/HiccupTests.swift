// SPDX-License-Identifier: Apache-2.0

import FakeNEAR
import NEARCourier
import SigningCodecs
import SigningCore
import SigningStorage
import Testing

@Suite("Nodes that have a hiccup")
struct HiccupTests {
    private let chain: FakeChain
    private let home: WalletHome

    init() throws {
        chain = try FakeChain()
        home = try WalletHome()
    }

    private func send() async -> JSON {
        json(await home.courier(chain).answer(frame("signAndSendTransaction", transfer)))
    }

    @Test(
        "a lookup is tried up to three times",
        arguments: ["status", "view_access_key"], [408, 429, 502, 503, 504])
    func lookups(_ method: String, _ status: Int) async throws {
        chain.hiccup(method, [status, status])
        #expect(await send()["result"] != nil)
        #expect(chain.hashes.count == 1)
        chain.hiccup(method, [status, status, status])
        #expect(await send()["error"]?["code"]?.text == "network_unavailable")
        #expect(chain.hashes.count == 1)
    }

    @Test("other statuses, and a wait beyond every client's patience, end it at once")
    func noTry() async throws {
        for (status, headers) in [
            (500, []), (404, []), (429, ["Retry-After: 600"]),
            (503, ["Retry-After: Fri, 31 Dec 2027 23:59:59 GMT"]), (429, ["Retry-After: -1"]),
        ] {
            let before = chain.count(of: "view_access_key")
            chain.hiccup("view_access_key", [status], headers: headers)
            #expect(await send()["error"]?["code"]?.text == "network_unavailable", "\(status)")
            #expect(chain.count(of: "view_access_key") == before + 1)
        }
    }

    @Test("as long as the node says is waited")
    func retryAfter() async throws {
        chain.hiccup("view_access_key", [429], headers: ["Retry-After: 1"])
        let clock = ContinuousClock()
        var sent = JSON.null
        let time = await clock.measure { sent = await send() }
        #expect(sent["result"] != nil && time >= .seconds(1))
    }

    @Test("bytes are handed over once, with any answer of the node")
    func sending() async throws {
        for status in [429, 502, 503] {
            let before = chain.count(of: "send_tx")
            chain.hiccup("send_tx", [status])
            #expect(await send()["error"]?["code"]?.text == "broadcast_unknown")
            #expect(chain.count(of: "send_tx") == before + 1)
        }
    }

    @Test("after the node ran out of time it is asked once more, and waits for the outcome")
    func timeout() async throws {
        // The same transaction signed offline has the same hash.
        let offline: JSON = [
            "network": "testnet", "receiverId": "bob.testnet",
            "actions": transfer["actions"] ?? .null, "nonce": "103595482000006",
            "blockHash": .string(FakeChain.blockHash),
        ]
        let other = try WalletHome()
        let signed = await other.courier(nil).answer(frame("signTransaction", offline))
        chain.know(try #require(json(signed)["result"]?["transactionHash"]?.text))
        chain.setStatus("STARTED")
        chain.fail("send_tx", .error(["cause": ["name": "TIMEOUT_ERROR"]]))
        #expect(await send()["result"]?["status"]?["SuccessValue"] != nil)
        #expect(chain.count(of: "tx") == 1 && chain.count(of: "send_tx") == 1)
        #expect(try home.ledger.unsent().isEmpty)
    }
}
