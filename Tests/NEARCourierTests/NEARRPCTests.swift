// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import SigningCodecs
import Testing

@testable import NEARCourier

/// Every recorded exchange, as this client requests and parses it.
@Suite("NEAR exchanges")
struct NEARRPCTests {
    static let hash = [UInt8](try! Base58.decode(Exchanges.hash))

    /// The node of an exchange, found by the beginning of its name.
    static func node(_ name: String) throws -> Node {
        try Node(#require(Exchanges.all[name]?["response"], "\(name)"))
    }

    /// Expects that the node received the recorded request, except for one changed parameter.
    static func expectAsked(
        _ node: Node, _ name: String, changing changes: [String: JSON] = [:]
    ) throws {
        let recorded = try #require(Exchanges.all[name]?["request"])
        let asked = try #require(node.asked)
        #expect(asked["jsonrpc"] == "2.0")
        #expect(asked["method"] == recorded["method"])
        guard let parameters = recorded["params"]?.object else {
            #expect(asked["params"] == recorded["params"])
            return
        }
        #expect(asked["params"]?.object?.names == parameters.names)
        for member in parameters.members {
            #expect(asked["params"]?[member.name] == changes[member.name] ?? member.value)
        }
    }

    static func error<T>(_ body: () async throws(RPCError) -> T) async -> RPCError? {
        do throws(RPCError) { _ = try await body() } catch { return error }
        return nil
    }

    @Test("no exchange is left out")
    func complete() {
        #expect(
            Set(Exchanges.all.keys) == [
                "view_access_key", "view_access_key function-call",
                "view_access_key missing (old style, HTTP 200 with error inside result)",
                "view_access_key missing (structured error)", "unknown account",
                "view_access_key_list", "block", "send_tx", "send_tx invalid nonce",
                "send_tx expired", "timeout", "tx", "status",
                // The client does not use these methods; `send_tx` does the same.
                "broadcast_tx_commit (deprecated)", "broadcast_tx_async (deprecated)",
            ])
    }

    @Test("the name of the network")
    func chain() async throws {
        let node = try Self.node("status")
        #expect(try await node.rpc.chainID() == "mainnet")
        try Self.expectAsked(node, "status")
        let head = try #require(node.server.requests.first).head
        #expect(head.contains("Content-Type: application/json\r\n"))
    }

    @Test("keys with all permissions and with few")
    func accessKey() async throws {
        let full = try Self.node("view_access_key")
        let key = try await full.rpc.accessKey(account: "alice.near", publicKey: Exchanges.key)
        #expect(key.nonce == 103_595_482_000_005)
        #expect(key.permission == .fullAccess)
        #expect(key.blockHeight == 180_000_000)
        #expect(key.blockHash == Self.hash)
        try Self.expectAsked(full, "view_access_key")

        let limited = try Self.node("view_access_key function-call")
        let other = try await limited.rpc.accessKey(account: "alice.near", publicKey: Exchanges.key)
        #expect(other.nonce == 7)
        #expect(
            other.permission
                == .functionCall(
                    receiver: "guest-book.near", methods: ["add_message"],
                    allowance: 250_000_000_000_000_000_000_000))
        // The client always asks for a final block, as others may never become part of the chain.
        try Self.expectAsked(
            limited, "view_access_key function-call", changing: ["finality": "final"])
    }

    @Test(
        "a key the account does not have",
        arguments: [
            "view_access_key missing (old style, HTTP 200 with error inside result)",
            "view_access_key missing (structured error)",
        ])
    func missingKey(name: String) async throws {
        let node = try Self.node(name)
        let error = await Self.error { () async throws(RPCError) in
            try await node.rpc.accessKey(account: "alice.near", publicKey: Exchanges.key)
        }
        #expect(error == .unknownAccessKey)
    }

    @Test("an account that is not there")
    func missingAccount() async throws {
        let node = try Self.node("unknown account")
        let error = await Self.error { () async throws(RPCError) in
            try await node.rpc.account("nobody.near")
        }
        #expect(error == .unknownAccount)
    }

    /// The answer of a node to `call_function`, by the bytes that the method returns.
    private static func returned(_ text: String) -> JSON {
        [
            "result": .array(text.utf8.map { .integer(Int64($0)) }), "logs": [],
            "block_height": 180_000_000, "block_hash": .string(Exchanges.hash),
        ]
    }

    @Test("an account with a storage balance is registered")
    func registered() async throws {
        let node = try Node(["result": Self.returned(#"{"total":"1","available":"0"}"#)])
        #expect(try await node.rpc.storage(of: "bob.near", at: "usdt.near") == .registered)
        let params = try #require(node.asked?["params"])
        #expect(params["request_type"] == "call_function")
        #expect(params["account_id"] == "usdt.near")
        #expect(params["method_name"] == "storage_balance_of")
        let arguments = #"{"account_id":"bob.near"}"#
        #expect(params["args_base64"] == .string(Base64.encode(arguments.utf8.span)))
    }

    @Test(
        "a contract without storage management asks for nothing, in both forms of the error",
        arguments: [
            ["result": ["error": .string(missingMethod), "logs": []]],
            ["error": ["name": "HANDLER_ERROR", "data": .string(missingMethod)]],
        ] as [JSON])
    func notAsked(_ answer: JSON) async throws {
        let node = try Node(answer)
        #expect(try await node.rpc.storage(of: "bob.near", at: "old.near") == .notAsked)
    }

    private static let missingMethod =
        "wasm execution failed with error: MethodResolveError(MethodNotFound)"

    @Test(
        "any other answer about storage is an error",
        arguments: [
            ["result": ["error": "CodeDoesNotExist { account_id: bob.near }", "logs": []]],
            ["result": ["result": [256], "logs": []]], ["result": ["result": [123], "logs": []]],
            ["result": ["logs": []]],
            // The bounds of an account that is not registered need an amount.
            ["result": ["result": [110, 117, 108, 108], "logs": []]],
        ] as [JSON])
    func storageErrors(_ answer: JSON) async throws {
        let node = try Node(answer)
        let error = await Self.error { () async throws(RPCError) in
            try await node.rpc.storage(of: "bob.near", at: "usdt.near")
        }
        #expect(error != nil)
    }

    @Test("all keys of an account")
    func accessKeys() async throws {
        let node = try Self.node("view_access_key_list")
        let keys = try await node.rpc.accessKeys(of: "alice.near")
        #expect(
            keys.map(\.publicKey) == [
                Exchanges.key, "ml-dsa-65-hash:3ARMH9zfVCnU2TKiphU4xcEyWdA45fc1sjKEtYMdf3gr",
                "ed25519:5KporntzQkHiVMKxnFuUGcwPKhtVdhaFkneEkhnoZi1U",
            ])
        #expect(
            keys.map(\.permission) == [
                .fullAccess, .fullAccess,
                .gasKeyFullAccess(balance: 1_000_000_000_000_000_000_000_000, nonceCount: 4),
            ])
        try Self.expectAsked(node, "view_access_key_list")
    }

    @Test("the last final block")
    func block() async throws {
        let node = try Self.node("block")
        let block = try await node.rpc.finalBlock()
        #expect(block.hash == Self.hash)
        #expect(block.height == 180_000_000)
        try Self.expectAsked(node, "block")
    }

    @Test("a transaction that was sent: the outcome is as the node gives it")
    func send() async throws {
        let node = try Self.node("send_tx")
        let outcome = try await node.rpc.send([0, 1, 254, 255])
        #expect(outcome == Exchanges.all["send_tx"]?["response"]?["result"])
        try Self.expectAsked(node, "send_tx", changing: ["signed_tx_base64": "AAH+/w=="])
    }

    @Test("a refused transaction, and one whose end was not seen")
    func refused() async throws {
        let cases: [(String, RPCError, Bool)] = [
            (
                "send_tx invalid nonce",
                .invalidTransaction(.invalidNonce(transaction: 1, key: 60_462_377_000_000)), true
            ),
            ("send_tx expired", .invalidTransaction(.expired), true),
            ("timeout", .timeout, true),
        ]
        for (name, expected, mayHaveBeenSent) in cases {
            let node = try Self.node(name)
            let error = await Self.error { () async throws(RPCError) in try await node.rpc.send([1])
            }
            #expect(error == expected)
            #expect(error?.mayHaveBeenSent == mayHaveBeenSent)
        }
    }

    @Test("the outcome of a transaction")
    func transaction() async throws {
        let known = try Self.node("send_tx")
        let outcome = try await known.rpc.transaction(hash: Exchanges.hash, sender: "alice.near")
        #expect(outcome?["final_execution_status"] == "EXECUTED_OPTIMISTIC")
        try Self.expectAsked(known, "tx", changing: ["tx_hash": .string(Exchanges.hash)])

        let unknown = try Node([
            "error": ["name": "HANDLER_ERROR", "cause": ["name": "UNKNOWN_TRANSACTION"]]
        ])
        let nothing = try await unknown.rpc.transaction(hash: Exchanges.hash, sender: "alice.near")
        #expect(nothing == nil)
    }

    @Test("an account with its balance")
    func account() async throws {
        let node = try Node(
            result: """
                {"amount":"340282366920938463463374607431768211455","locked":"0",\
                "code_hash":"11111111111111111111111111111111","storage_usage":182}
                """)
        let account = try await node.rpc.account("alice.near")
        #expect(account.amount == .max)
        #expect(account.locked == 0)
        #expect(account.codeHash == "11111111111111111111111111111111")
        #expect(account.storageUsage == 182)
        #expect(node.asked?["params"]?["request_type"] == "view_account")
    }
}
