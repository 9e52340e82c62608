// SPDX-License-Identifier: Apache-2.0

import FakeNEAR
import NEARCourier
import NEP413
import SigningCodecs
import SigningCore
import SigningNetwork
import SigningStorage
import Testing

@Suite("The key's permissions on the chain are checked before it signs")
struct KeyPermissionTests {
    private let chain: FakeChain
    private let home: WalletHome

    init() throws {
        chain = try FakeChain()
        home = try WalletHome()
    }

    private static func call(_ receiver: String, _ method: String, deposit: String = "0") -> JSON {
        [
            "network": "testnet", "receiverId": .string(receiver),
            "actions": [
                [
                    "type": "FunctionCall",
                    "params": [
                        "methodName": .string(method), "args": [:], "gas": "1",
                        "deposit": .string(deposit),
                    ],
                ]
            ],
        ]
    }

    private static let message: JSON = [
        "network": "testnet", "message": "hi", "recipient": "app.near",
        "nonce": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
    ]

    private static let key: JSON = [
        "network": "testnet",
        "addFunctionCallKey": [
            "contractId": "app.testnet",
            "publicKey": "ed25519:2RM3EotCzEiVobm6aMjaup43k8cFffR4KHFtrqbZ79Qy",
            "allowMethods": ["anyMethod": true],
        ],
    ]

    private static func delegates(_ transaction: JSON) -> JSON {
        let members = transaction.object?.members.filter { $0.name != "network" } ?? []
        return [
            "network": "testnet", "delegateActions": [.object(JSONObject(members))],
        ]
    }

    private func code(_ method: String, _ params: JSON) async -> String? {
        let reply = json(await home.courier(chain).answer(frame(method, params)))
        return reply["result"] == nil ? reply["error"]?["code"]?.text ?? "none" : nil
    }

    private func restrict(_ methods: JSON = ["add"]) {
        chain.setPermission([
            "FunctionCall": [
                "allowance": nil, "receiver_id": "book.testnet", "method_names": methods,
            ]
        ])
    }

    @Test("a key that may call one contract signs such calls, and nothing else")
    func functionCallKey() async throws {
        restrict()
        let refused: [(String, JSON)] = [
            ("signAndSendTransaction", transfer),
            ("signAndSendTransaction", Self.call("other.testnet", "add")),
            ("signAndSendTransaction", Self.call("book.testnet", "remove")),
            ("signAndSendTransaction", Self.call("book.testnet", "add", deposit: "1")),
            ("signTransaction", transfer), ("signIn", Self.key), ("signMessage", Self.message),
            ("signInAndSignMessage", ["network": "testnet", "messageParams": Self.words]),
            ("signDelegateActions", Self.delegates(transfer)),
        ]
        for (method, params) in refused {
            #expect(await code(method, params) == "key_not_permitted", "\(method) \(params)")
        }
        let bare = Frame(
            bytes: Self.message.write(),
            peer: Peer(channel: "test", claim: "app"))
        let reply = json(await home.courier(chain).answer(bare))
        #expect(reply["error"]?["code"]?.text == "key_not_permitted")
        #expect(try home.ledger.unsettledIntents() == 0 && home.ledger.unsent().isEmpty)
        #expect(chain.count(of: "send_tx") == 0)

        #expect(await code("signAndSendTransaction", Self.call("book.testnet", "add")) == nil)
        let delegate = Self.delegates(Self.call("book.testnet", "add"))
        #expect(await code("signDelegateActions", delegate) == nil)
        restrict([])
        #expect(await code("signAndSendTransaction", Self.call("book.testnet", "remove")) == nil)
        // Without a key the call signs nothing, so no node is asked.
        #expect(await code("signIn", ["network": "testnet"]) == nil)
    }

    private static let words: JSON = {
        let members = message.object?.members.filter { $0.name != "network" } ?? []
        return .object(JSONObject(members))
    }()

    @Test("of several transactions each has to be allowed")
    func batch() async throws {
        restrict()
        let list = [Self.call("book.testnet", "add"), transfer].map { json in
            JSON.object(JSONObject(json.object?.members.filter { $0.name != "network" } ?? []))
        }
        let params: JSON = ["network": "testnet", "transactions": .array(list)]
        #expect(await code("signAndSendTransactions", params) == "key_not_permitted")
    }

    @Test("gas keys sign messages where they may do everything, and no transactions here")
    func gasKeys() async throws {
        chain.setPermission(["GasKeyFullAccess": ["balance": "1", "num_nonces": 1]])
        #expect(await code("signAndSendTransaction", transfer) == "key_not_permitted")
        #expect(await code("signMessage", Self.message) == nil)
    }

    @Test("a message of a key that the account has not is not signed, an implicit account's is")
    func absentKey() async throws {
        chain.fail("view_access_key", .error(["cause": ["name": "UNKNOWN_ACCESS_KEY"]]))
        #expect(await code("signMessage", Self.message) == "key_not_permitted")
        let implicit = try home.addImplicitAccount()
        var members = Self.message.object?.members ?? []
        members.append(.init(name: "signerId", value: .string(implicit.address)))
        let message = JSON.object(JSONObject(members))
        #expect(await code("signMessage", message) == "key_not_permitted")
        chain.fail("view_account", .error(["cause": ["name": "UNKNOWN_ACCOUNT"]]))
        #expect(await code("signMessage", message) == nil)
    }

    @Test("an unreachable node is not a reason to sign; without a node there is no lookup")
    func unavailable() async throws {
        chain.fail("view_access_key", .status(500))
        #expect(await code("signMessage", Self.message) == "network_unavailable")
        chain.setChain("mainnet")
        #expect(await code("signMessage", Self.message) == "network_unavailable")
        let offline = await home.courier(nil).answer(frame("signMessage", Self.message))
        #expect(json(offline)["result"] != nil)
    }

    @Test("a message and a key in one call: nothing is signed where the key cannot be added")
    func split() async throws {
        var key = Self.key.object?.members ?? []
        key.append(.init(name: "messageParams", value: Self.words))
        restrict()
        let params = JSON.object(JSONObject(key))
        #expect(await code("signInAndSignMessage", params) == "key_not_permitted")
        chain.setPermission("FullAccess")
        let text = String(decoding: params.write(), as: UTF8.self)
        let malformed = try JSON.parse(text.replacing("ed25519:2RM3", with: "ed25519:0").utf8.span)
        #expect(await code("signInAndSignMessage", malformed) == "invalid_request")
        chain.fail("view_access_key", .status(500))
        #expect(await code("signInAndSignMessage", params) == "network_unavailable")
        #expect(try home.ledger.latestTime() == nil, "nothing is on record")
        chain.fail("view_access_key", nil)
        #expect(await code("signInAndSignMessage", params) == nil)
    }
}
