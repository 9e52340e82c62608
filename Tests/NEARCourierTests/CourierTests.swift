// SPDX-License-Identifier: Apache-2.0

import FakeNEAR
import NEARCourier
import SigningCodecs
import SigningCore
import SigningNetwork
import SigningStorage
import SigningTesting
import Testing

@Suite("Transactions on their way to a node")
struct CourierTests {
    private let chain: FakeChain
    private let home: WalletHome

    init() throws {
        chain = try FakeChain()
        home = try WalletHome()
    }

    private func send(_ policy: FixedPolicy = FixedPolicy(.allow([]))) async -> JSON {
        json(
            await home.courier(chain, policy: policy).answer(
                frame("signAndSendTransaction", transfer)))
    }

    @Test("a transaction is looked up, signed, sent once, and its outcome is the answer")
    func sending() async throws {
        let outcome = try #require(await send()["result"])
        #expect(outcome["transaction"]?["hash"]?.text == chain.hashes.first)
        #expect(chain.nonces == [103_595_482_000_006])
        #expect(chain.count(of: "send_tx") == 1 && chain.count(of: "view_access_key") == 1)
        #expect(try home.ledger.unsent().isEmpty)
        _ = await send()
        #expect(chain.nonces == [103_595_482_000_006, 103_595_482_000_007])
    }

    @Test("eight callers at once, with delegates between, never share a nonce")
    func nonces() async throws {
        let delegate: JSON = [
            "network": "testnet",
            "delegateActions": [
                ["receiverId": "bob.testnet", "actions": transfer["actions"] ?? .null]
            ],
        ]
        let good = await withTaskGroup(of: Bool.self) { [home, chain] group in
            for number in 0..<8 {
                group.addTask {
                    let courier = home.courier(chain)
                    var isGood = true
                    for _ in 0..<3 {
                        let answer = await courier.answer(
                            frame("signAndSendTransaction", transfer, client: "app\(number)")
                        )
                        isGood = isGood && json(answer)["result"] != nil
                        let signed = await courier.answer(frame("signDelegateActions", delegate))
                        isGood = isGood && json(signed)["result"] != nil
                    }
                    return isGood
                }
            }
            return await group.reduce(true) { $0 && $1 }
        }
        #expect(good)
        #expect(chain.nonces.count == 24 && Set(chain.nonces).count == 24)
        let series = "near/testnet/alice.testnet/\(home.publicKey)"
        let next = try await home.ledger.drawSerials(1, in: series, above: 0, below: .max)
        #expect(next >= 103_595_482_000_006 + 48)
    }

    @Test(
        "a failed lookup signs nothing, and names the error",
        arguments: [
            ("view_access_key", FakeChain.Fault.status(500), "500"),
            ("view_access_key", .text("{\"jsonrpc\":\"2.0\",\"id\":\"ID\",\"resu"), "malformed"),
            (
                "view_access_key",
                .text(
                    #"{"jsonrpc":"2.0","id":"ID","result":{"nonce":7.0,"permission":"#
                        + #""FullAccess","block_height":1,"block_hash":"#
                        + #""244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM"}}"#), "malformed"
            ),
            ("view_access_key", .stall, "in time"),
            ("view_access_key", .close, "no complete answer"),
            ("view_access_key", .error(["cause": ["name": "UNKNOWN_ACCESS_KEY"]]), "no such key"),
            ("status", .status(404), "404"),
        ])
    func lookups(_ method: String, _ fault: FakeChain.Fault, _ word: String) async throws {
        chain.fail(method, fault)
        let answer = await home.courier(chain).answer(frame("signAndSendTransaction", transfer))
        let error = try #require(json(answer)["error"])
        let isAbsent = word == "no such key"
        #expect(error["code"]?.text == (isAbsent ? "key_not_permitted" : "network_unavailable"))
        // The owner learns what the node did, the client does not.
        #expect(error["message"]?.text?.contains(word) == false, "\(error)")
        guard case .refused(let refusal) = answer.ending else {
            Issue.record("\(answer.ending)")
            return
        }
        #expect(refusal.reason.contains(word), "\(refusal.reason)")
        #expect(chain.count(of: "send_tx") == 0)
        #expect(try home.ledger.unsettledIntents() == 0)
    }

    @Test("a node of another network, or a missing one, is refused before anything is signed")
    func otherNetwork() async throws {
        chain.setChain("mainnet")
        #expect(await send()["error"]?["code"]?.text == "network_unavailable")
        let none = await home.courier(nil).answer(frame("signAndSendTransaction", transfer))
        #expect(json(none)["error"]?["code"]?.text == "network_unavailable")
        #expect(chain.count(of: "view_access_key") == 0)
    }

    @Test("a denied transaction is not sent, and its nonce is not lost")
    func denied() async throws {
        let error = try #require(await send(FixedPolicy(.deny))["error"])
        #expect(error["code"]?.text == "permission_denied")
        #expect(chain.count(of: "send_tx") == 0 && chain.hashes.isEmpty)
        #expect(await send()["result"] != nil)
    }

    @Test(
        "a failed broadcast is reported with the signed bytes, kept, and not sent again",
        arguments: [
            (FakeChain.Fault.status(500), "broadcast_unknown", "unknown"),
            (.stall, "broadcast_unknown", "unknown"), (.close, "broadcast_unknown", "unknown"),
            (.text("{"), "broadcast_unknown", "unknown"),
            (.error(["cause": ["name": "TIMEOUT_ERROR"]]), "broadcast_unknown", "unknown"),
            // A server with such an answer has received the bytes.
            (.status(404), "broadcast_unknown", "unknown"),
            (.status(401), "broadcast_unknown", "unknown"),
        ])
    func failing(_ fault: FakeChain.Fault, _ code: String, _ state: String) async throws {
        chain.fail("send_tx", fault)
        let error = try #require(await send()["error"])
        #expect(error["code"]?.text == code, "\(error)")
        let unsent = try home.ledger.unsent()
        #expect(unsent.map(\.state) == [state] && unsent.map(\.network) == ["testnet"])
        let item = try #require(unsent.first).item
        #expect(error["signedHashes"] == [.string(item.id)])
        #expect(chain.count(of: "send_tx") == 1)
        // The owner asked to send the same bytes again.
        chain.fail("send_tx", nil)
        let result = await chain.courier.resend(item, to: "testnet")
        guard case .accepted = result else {
            Issue.record("not accepted")
            return
        }
        #expect(chain.hashes == [item.id])
    }

    private static func invalid(_ error: JSON) -> FakeChain.Fault {
        .error([
            "name": "HANDLER_ERROR", "cause": ["name": "INVALID_TRANSACTION", "info": [:]],
            "data": ["TxExecutionError": ["InvalidTxError": error]],
        ])
    }

    @Test(
        "a node's refusal is reported by name, and the item kept: it may have been taken",
        arguments: [
            "Expired", "InvalidSignature", "InvalidChain", ["NotEnoughBalance": ["cost": "2"]],
            ["ActionsValidation": ["x": 1]],
        ] as [JSON])
    func declined(_ reason: JSON) async throws {
        chain.fail("send_tx", Self.invalid(reason))
        let reply = try #require(await send()["error"])
        #expect(reply["code"]?.text == "broadcast_unknown")
        #expect(reply["name"]?.text == reason.text ?? reason.object?.names.first)
        #expect(reply["signedHashes"]?.list?.count == 1)
        #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
        #expect(chain.count(of: "send_tx") == 1)
        // The node had the transaction, and a status request reports it.
        let item = try #require(try home.ledger.unsent().first).item
        chain.know(item.id)
        guard case .accepted = await chain.courier.resend(item, to: "testnet")
        else {
            Issue.record("not believed")
            return
        }
    }

    @Test("only that another transaction has used the nonce ends one")
    func refused() async throws {
        chain.fail("send_tx", Self.invalid(["InvalidNonce": ["tx_nonce": 1, "ak_nonce": 2]]))
        chain.setNonceAfterSending(103_595_482_000_006)
        let reply = try #require(await send()["error"])
        #expect(reply["code"]?.text == "transaction_refused")
        #expect(reply["name"]?.text == "InvalidNonce")
        #expect(try home.ledger.unsent().isEmpty)
    }

    @Test("a nonce that is used up may have been used by this very transaction")
    func invalidNonce() async throws {
        chain.fail(
            "send_tx",
            Self.invalid(["InvalidNonce": ["tx_nonce": 1, "ak_nonce": 60_462_377_000_000]]))
        let reply = try #require(await send()["error"])
        #expect(reply["code"]?.text == "broadcast_unknown")
        #expect(reply["message"]?.text?.contains("nonce") == true)
        #expect(reply["name"]?.text == "InvalidNonce")
        #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
    }

    @Test(
        "sent again, only an outcome is certain: a possibly executed item stays listed"
    )
    func resending() async throws {
        chain.fail("send_tx", .status(500))
        _ = await send()
        let item = try #require(try home.ledger.unsent().first).item
        for fault in [
            Self.invalid("Expired"), .status(404), .close,
            Self.invalid(["InvalidNonce": ["tx_nonce": 1, "ak_nonce": 2]]),
        ] {
            chain.fail("send_tx", fault)
            let result = await chain.courier.resend(item, to: "testnet")
            guard case .unknown = result else {
                Issue.record("\(result)")
                continue
            }
            try await home.ledger.record(result, of: item.id, at: Timestamp(seconds: 1))
            try await home.ledger.record(.notSent("later"), of: item.id, at: Timestamp(seconds: 1))
            #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
        }
        // A node that follows another shard answers NONE to every status request.
        chain.know(item.id)
        chain.setStatus("NONE")
        guard case .unknown = await chain.courier.resend(item, to: "testnet")
        else {
            Issue.record("believed")
            return
        }
        chain.setStatus("INCLUDED")
        guard case .accepted = await chain.courier.resend(item, to: "testnet")
        else {
            Issue.record("not believed")
            return
        }
    }

    @Test(
        "a transaction that failed on the chain has its outcome, and connects no client"
    )
    func failedOnChain() async throws {
        chain.setFailure(["ActionError": ["kind": "AddKeyAlreadyExists"]])
        let reply = await send()
        let error = try #require(reply["error"])
        #expect(reply["result"] == nil && error["code"]?.text == "transaction_failed")
        #expect(error["outcomes"]?.list?.first?["status"]?["Failure"] != nil)
        #expect(
            error["transactions"] == [
                ["hash": .string(try #require(chain.hashes.first)), "state": "failed"]
            ])
        let key: JSON = [
            "network": "testnet",
            "addFunctionCallKey": [
                "contractId": "app.testnet", "publicKey": .string(home.publicKey),
                "allowMethods": ["anyMethod": true],
            ],
        ]
        let failed = json(await home.courier(chain).answer(frame("signIn", key)))
        #expect(failed["error"]?["code"]?.text == "transaction_failed")
        #expect(try home.ledger.allConnections().isEmpty && home.ledger.unsent().isEmpty)
        chain.setFailure(nil)
        chain.fail("send_tx", Self.invalid("Expired"))
        let refused = json(await home.courier(chain).answer(frame("signIn", key)))
        #expect(refused["error"]?["code"]?.text == "broadcast_unknown")
        #expect(try home.ledger.allConnections().isEmpty)
        chain.fail("send_tx", nil)
        let good = json(await home.courier(chain).answer(frame("signIn", key)))
        #expect(good["result"] != nil)
        #expect(try home.ledger.allConnections().count == 1)
    }

    @Test("a node that names an absurd nonce or height poisons nothing and breaks nothing")
    func absurdNode() async throws {
        for (nonce, height) in [
            ("9223372036854775803", "180000000"), ("18446744073709551615", "18446744073709551615"),
            ("180000000000000", "180000000"),
        ] {
            chain.fail(
                "view_access_key",
                .text(
                    #"{"jsonrpc":"2.0","id":"ID","result":{"nonce":"# + nonce
                        + #","permission":"FullAccess","block_height":"# + height
                        + #","block_hash":"244ZQ9cgj3CQ6bWBdytfrJMuMQ1jdXLFGnr4HhvtCTnM"}}"#))
            #expect(await send()["error"]?["code"]?.text == "network_unavailable")
        }
        chain.fail("view_access_key", nil)
        #expect(await send()["result"] != nil)
    }

    @Test("a connection that is lost after the node took the bytes is not a failure")
    func takenAllTheSame() async throws {
        // The next hash equals that of the same transaction signed offline.
        let offline: JSON = [
            "network": "testnet", "receiverId": "bob.testnet",
            "actions": transfer["actions"] ?? .null, "nonce": "103595482000006",
            "blockHash": .string(FakeChain.blockHash),
        ]
        let other = try WalletHome()
        let signed = await other.courier(nil).answer(frame("signTransaction", offline))
        let hash = try #require(json(signed)["result"]?["transactionHash"]?.text)
        chain.know(hash)
        chain.fail("send_tx", .close)
        let result = try #require(await send()["result"])
        #expect(result["transaction"]?["hash"]?.text == hash)
        #expect(chain.count(of: "send_tx") == 1)
        #expect(try home.ledger.unsent().isEmpty)
    }

    @Test("of several, one that is not accepted holds the rest back, and none is lost")
    func batch() async throws {
        let one: JSON = ["receiverId": "bob.testnet", "actions": transfer["actions"] ?? .null]
        let params: JSON = ["network": "testnet", "transactions": [one, one, one]]
        let all = json(
            await home.courier(chain).answer(frame("signAndSendTransactions", params)))
        #expect(all["result"]?.list?.count == 3)
        #expect(chain.nonces.count == 3 && Set(chain.nonces).count == 3)
        chain.fail("send_tx", .status(404))
        let error = json(
            await home.courier(chain).answer(frame("signAndSendTransactions", params)))["error"]
        #expect(error?["code"]?.text == "broadcast_unknown")
        #expect(error?["signedHashes"]?.list?.count == 3)
        #expect(try home.ledger.unsent().map(\.state) == ["unknown", "not_sent", "not_sent"])
        #expect(chain.count(of: "send_tx") == 4)
    }

    @Test("offline with nonce and block nothing is asked, and a nonce is used once")
    func offline() async throws {
        var params = transfer.object ?? JSONObject()
        params.members += [
            .init(name: "nonce", value: "9"),
            .init(name: "blockHash", value: .string(FakeChain.blockHash)),
        ]
        let courier = home.courier(nil)
        let first = await courier.answer(frame("signTransaction", .object(params)))
        #expect(json(first)["result"]?["signedTransaction"]?.text != nil)
        let again = await courier.answer(frame("signTransaction", .object(params)))
        #expect(json(again)["error"]?["code"]?.text == "permission_denied")
    }

    @Test("a message is not signed where the key beside it could not be added")
    func splitSignInOfNoKey() async throws {
        let words: JSON = [
            "message": "hi", "recipient": "app.near",
            "nonce": .array((0..<32).map { .integer($0) }),
        ]
        let keys: [JSON] = [
            ["contractId": "app.testnet", "publicKey": "ed25519:1", "allowMethods": [:]],
            ["contractId": "App", "publicKey": .string(home.publicKey)],
            ["publicKey": .string(home.publicKey), "allowMethods": ["anyMethod": true]],
            "ed25519:1",
        ]
        for key in keys {
            let params: JSON = [
                "network": "testnet", "messageParams": words, "addFunctionCallKey": key,
            ]
            let answer = json(
                await home.courier(chain).answer(frame("signInAndSignMessage", params)))
            let code = try #require(answer["error"]?["code"]?.text)
            #expect(["invalid_request", "invalid_account_id"].contains(code))
        }
        #expect(try home.ledger.latestTime() == nil)
    }

    @Test("a key and a message in one call are two decisions, and one answer")
    func splitSignIn() async throws {
        let params: JSON = [
            "network": "testnet",
            "messageParams": [
                "message": "hi", "recipient": "app.near",
                "nonce": .array((0..<32).map { .integer($0) }),
            ],
            "addFunctionCallKey": [
                "contractId": "app.testnet", "publicKey": .string(home.publicKey),
                "allowMethods": ["anyMethod": true],
            ],
        ]
        let answer = json(
            await home.courier(chain).answer(frame("signInAndSignMessage", params)))
        let account = try #require(answer["result"]?.list?.first)
        #expect(account["accountId"]?.text == "alice.testnet")
        #expect(account["signedMessage"]?["signature"]?.text != nil)
        #expect(chain.nonces.count == 1)
        chain.fail("send_tx", .status(500))
        let failed = json(
            await home.courier(chain).answer(frame("signInAndSignMessage", params)))
        #expect(failed["result"] == nil && failed["error"]?["code"]?.text == "broadcast_unknown")
        // The adapter has to refuse other members of such a call.
        var more = params.object ?? JSONObject()
        more.members.append(.init(name: "extra", value: 1))
        let extra = await home.courier(chain).answer(
            frame("signInAndSignMessage", .object(more)))
        #expect(json(extra)["error"]?["code"]?.text == "invalid_request")
    }
}
