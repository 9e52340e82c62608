// SPDX-License-Identifier: Apache-2.0

import FakeNEAR
import NEARCourier
import NEP413
import SigningCodecs
import SigningCore
import SigningNetwork
import SigningStorage
import SigningTesting
import Testing

@Suite("NEAR nodes that lie")
struct LyingNodeTests {
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

    private static func result(_ text: String) -> FakeChain.Fault {
        .text(#"{"jsonrpc":"2.0","id":"ID","result":"# + text + "}")
    }

    private static let other = FakeChain.outcome(
        FakeChain.blockHash, of: "alice.testnet", nonce: 1)

    /// Answers to `send_tx` that lack the documented form or are about another transaction.
    private static let falseSuccesses: [String] = [
        "{}", "0", "true", "[]", "\"ok\"", "{\"final_execution_status\":\"NONE\"}",
        "{\"final_execution_status\":\"EXECUTED\"}",
        "{\"final_execution_status\":\"FINAL\",\"status\":{\"SuccessValue\":\"\"}}",
        String(decoding: other.write(), as: UTF8.self),
    ]

    @Test(
        "only the documented outcome of this transaction is a success",
        arguments: falseSuccesses)
    func falseSuccess(_ text: String) async throws {
        chain.fail("send_tx", Self.result(text))
        #expect(await send()["error"]?["code"]?.text == "broadcast_unknown")
        #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
        #expect(chain.count(of: "send_tx") == 1)
    }

    @Test("an outcome that is wrong in one place is not an outcome")
    func almost() throws {
        let good = FakeChain.outcome("hash", of: "alice", nonce: 7)
        #expect(try !ExecutionOutcome(good, of: "hash", by: "alice").isFailure)
        let failed = FakeChain.outcome("hash", of: "alice", nonce: 7, ["ActionError": [:]])
        #expect(try ExecutionOutcome(failed, of: "hash", by: "alice").isFailure)
        let text = String(decoding: good.write(), as: UTF8.self)
        for (old, new) in [
            ("EXECUTED_OPTIMISTIC", "INCLUDED"), ("EXECUTED_OPTIMISTIC", "executed"),
            ("\"hash\":\"hash\"", "\"hash\":\"other\""), ("\"hash\":\"hash\"", "\"hash\":1"),
            ("\"id\":\"hash\"", "\"id\":\"other\""), ("\"signer_id\":\"alice\"", "\"a\":1"),
            ("\"signer_id\":\"alice\"", "\"signer_id\":\"bob\""),
            ("{\"SuccessValue\":\"\"}", "{}"), ("{\"SuccessValue\":\"\"}", "\"Started\""),
            ("{\"SuccessValue\":\"\"}", "{\"SuccessValue\":null}"),
            ("{\"SuccessValue\":\"\"}", "{\"SuccessValue\":\"\",\"Failure\":{}}"),
            ("{\"SuccessValue\":\"\"}", "{\"Unknown\":\"\"}"),

            ("\"receipts_outcome\":[]", "\"r\":0"),
        ] {
            #expect(text.contains(old))
            let changed = try JSON.parse(text.replacing(old, with: new).utf8.span)
            #expect(throws: RPCError.self, "\(new)") {
                try ExecutionOutcome(changed, of: "hash", by: "alice")
            }
        }
    }

    @Test(
        "an answer of another time, cut off, or in two minds proves nothing",
        arguments: [
            #"{"jsonrpc":"2.0","id":"1","result":OUTCOME}"#,
            #"{"jsonrpc":"2.0","result":OUTCOME}"#,
            #"{"jsonrpc":"2.0","id":"ID","result":OUTCOME,"error":{"name":"HANDLER_ERROR"}}"#,
            #"{"jsonrpc":"2.0","id":"ID","result":{},"result":OUTCOME}"#,
            #"{"jsonrpc":"2.0","id":"ID","result":OUTCOME"#,
            #"{"jsonrpc":"2.0","id":"ID","result":[OUTCOME]}"#,
            #"{"jsonrpc":"2.0","id":"ID","result":OUTCOME}{}"#,
        ])
    func replayed(_ envelope: String) async throws {
        // A home with the same key makes the same transaction, so its hash is known.
        let offline: JSON = [
            "network": "testnet", "receiverId": "bob.testnet",
            "actions": transfer["actions"] ?? .null, "nonce": "103595482000006",
            "blockHash": .string(FakeChain.blockHash),
        ]
        let other = try WalletHome()
        let signed = await other.courier(nil).answer(frame("signTransaction", offline))
        let hash = try #require(json(signed)["result"]?["transactionHash"]?.text)
        let outcome = FakeChain.outcome(hash, of: "alice.testnet", nonce: 103_595_482_000_006)
        let text = String(decoding: outcome.write(), as: UTF8.self)
        chain.fail("send_tx", .text(envelope.replacing("OUTCOME", with: text)))
        #expect(await send()["error"]?["code"]?.text == "broadcast_unknown")
        #expect(try home.ledger.unsent().map(\.item.id) == [hash])
    }

    @Test("an invalid outcome connects no client", arguments: falseSuccesses)
    func connecting(_ text: String) async throws {
        chain.fail("send_tx", Self.result(text))
        let key: JSON = [
            "network": "testnet",
            "addFunctionCallKey": [
                "contractId": "app.testnet", "publicKey": .string(home.publicKey),
                "allowMethods": ["anyMethod": true],
            ],
        ]
        let response = json(await home.courier(chain).answer(frame("signIn", key)))
        #expect(response["error"]?["code"]?.text == "broadcast_unknown")
        #expect(try home.ledger.allConnections().isEmpty)
        #expect(try home.ledger.unsent().map(\.state) == ["unknown"])
    }

    @Test("a status without an outcome proves nothing, also when it is asked for again")
    func statusAlone() async throws {
        chain.fail("send_tx", .close)
        for status in ["INCLUDED_FINAL", "EXECUTED", "FINAL", "NONE"] {
            chain.setStatus(status)
            #expect(await send()["error"]?["code"]?.text == "broadcast_unknown")
            for item in try home.ledger.unsent() {
                chain.know(item.item.id)
                guard
                    case .unknown = await chain.courier.resend(item.item, to: "testnet")
                else {
                    Issue.record("believed \(status)")
                    continue
                }
            }
        }
    }

    @Test(
        "a height that the chain cannot have reached is refused",
        arguments: [
            UInt64(18_446_744_073_709), 1_800_000_000, 1_000_000_000,
        ])
    func heights(_ height: UInt64) async throws {
        chain.setHeight(height)
        let answer = await home.courier(chain).answer(frame("signDelegateActions", Self.delegate))
        #expect(json(answer)["error"]?["code"]?.text == "network_unavailable")
        guard case .refused(let refusal) = answer.ending else {
            Issue.record("\(answer.ending)")
            return
        }
        #expect(refusal.reason.contains("block \(height)"))
    }

    private static let delegate: JSON = [
        "network": "testnet",
        "delegateActions": [
            ["receiverId": "bob.testnet", "actions": transfer["actions"] ?? .null]
        ],
    ]

    @Test("a height that jumps is refused, a lower one takes nothing back")
    func jumpingHeight() async throws {
        func sign() async -> JSON {
            json(await home.courier(chain).answer(frame("signDelegateActions", Self.delegate)))
        }
        #expect(await sign()["result"] != nil)
        for height: UInt64 in [180_020_000, 190_000_000] {
            chain.setHeight(height)
            #expect(await sign()["error"]?["code"]?.text == "network_unavailable")
        }
        chain.setHeight(170_000_000)
        #expect(await sign()["result"] != nil)
        chain.setHeight(180_020_000)
        #expect(await sign()["error"]?["code"]?.text == "network_unavailable")
        chain.setHeight(180_005_000)
        #expect(await sign()["result"] != nil)
    }

    @Test(
        "a nonce that jumps is flagged: it is not signed without a question, and one yes is enough")
    func jumpingNonce() async throws {
        #expect(await send()["result"] != nil)
        chain.setNonce(150_000_000_000_000)
        #expect(
            await send(FixedPolicy(.allowUnnamed))["error"]?["code"]?.text == "approval_unavailable"
        )
        #expect(await send()["result"] != nil)
        #expect(await send(FixedPolicy(.allowUnnamed))["result"] != nil)
        chain.setNonce(150_000_000_400_000)
        #expect(await send(FixedPolicy(.allowUnnamed))["result"] != nil)
    }

    @Test("clients do not learn the errors on the way to a node")
    func discretion() async throws {
        let nobody = NEARRPC(url: "http://127.0.0.1:9/secret-key")
        let courier = WalletChannel(
            hub: home.hub(), courier: NEARCourier(nodes: ["testnet": nobody]))
        let answer = await courier.answer(frame("signAndSendTransaction", transfer))
        let response = String(decoding: json(answer).write(), as: UTF8.self)
        #expect(response.contains("network_unavailable"))
        #expect(!response.contains("127.0.0.1") && !response.contains("connect"), "\(response)")
        for fault in [FakeChain.Fault.close, .status(500), .text("{")] {
            chain.fail("send_tx", fault)
            let message = try #require(await send()["error"]?["message"]?.text)
            let hash = try #require(try home.ledger.unsent().last).item.id
            #expect(message == "it is not known whether the chain has it (\(hash) not known)")
        }
    }

    @Test("the words of a node hide nothing")
    func words() async throws {
        chain.fail(
            "send_tx",
            .error([
                "cause": ["name": "INVALID_TRANSACTION"],
                "data": [
                    "TxExecutionError": ["InvalidTxError": "a\u{202e}b\u{9b}c\u{1b}[2Jd"]
                ],
            ]))
        let error = try #require(await send()["error"])
        #expect(error["name"]?.text == "a???b??c?[2Jd")
        #expect(error["message"]?.text?.unicodeScalars.allSatisfy(\.isASCII) == true)
    }

    @Test("text from a node in an outcome is escaped, and stays the same")
    func outcomeWords() async throws {
        chain.setLogs(["a\u{202e}b\u{9b}c\u{1b}[2Jd\u{e9}"])
        let answer = await home.courier(chain).answer(frame("signAndSendTransaction", transfer))
        guard case .message(let bytes) = answer.reply else {
            Issue.record("\(answer.reply)")
            return
        }
        #expect(bytes.allSatisfy { (0x20..<0x7f).contains($0) })
        let logs = json(answer)["result"]?["transaction_outcome"]?["outcome"]?["logs"]
        #expect(logs == ["a\u{202e}b\u{9b}c\u{1b}[2Jd\u{e9}"])
    }
}
