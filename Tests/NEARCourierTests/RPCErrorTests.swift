// SPDX-License-Identifier: Apache-2.0

import LoopbackServer
import SigningCodecs
import SigningNetwork
import Testing

@testable import NEARCourier

/// Invalid answers of nodes and of proxies.
@Suite("NEAR answers that are refused")
struct NEARRefusalTests {
    static func accessKey(_ node: NEARRPC) async -> Result<AccessKeyView, RPCError> {
        do throws(RPCError) {
            return .success(try await node.accessKey(account: "a.near", publicKey: Exchanges.key))
        } catch { return .failure(error) }
    }

    static func send(_ node: NEARRPC) async -> RPCError? {
        do throws(RPCError) { _ = try await node.send([1]) } catch { return error }
        return nil
    }

    static func isMalformed<T>(_ result: Result<T, RPCError>) -> Bool {
        if case .failure(.malformed) = result { true } else { false }
    }

    static func key(nonce: String, permission: String = "\"FullAccess\"") -> String {
        """
        {"nonce":\(nonce),"permission":\(permission),"block_height":9,\
        "block_hash":"\(Exchanges.hash)"}
        """
    }

    @Test("nonces keep all their digits", arguments: [UInt64.max, UInt64.max - 1, 1 << 63, 0])
    func largeNonce(nonce: UInt64) async throws {
        let node = try Node(result: Self.key(nonce: String(nonce)))
        #expect(try await Self.accessKey(node.rpc).get().nonce == nonce)
    }

    @Test(
        "invalid nonces",
        arguments: [
            "7.0", "7e3", "7E0", "-1", "-0", "\"7\"", "null", "true", "[7]",
            "18446744073709551616", "1e400", "99999999999999999999999999",
        ])
    func badNonce(nonce: String) async throws {
        let node = try Node(result: Self.key(nonce: nonce))
        #expect(Self.isMalformed(await Self.accessKey(node.rpc)))
    }

    @Test(
        "invalid permissions",
        arguments: [
            "null", "\"fullaccess\"", "{}", "{\"FullAccess\":{}}", "{\"FunctionCall\":{}}",
            "{\"FunctionCall\":{\"allowance\":5,\"receiver_id\":\"a\",\"method_names\":[]}}",
            "{\"FunctionCall\":{\"allowance\":\"-5\",\"receiver_id\":\"a\",\"method_names\":[]}}",
            "{\"FunctionCall\":{\"allowance\":\"+5\",\"receiver_id\":\"a\",\"method_names\":[]}}",
            "{\"FunctionCall\":{\"allowance\":\"5\",\"receiver_id\":\"a\",\"method_names\":[1]}}",
            "{\"FunctionCall\":{\"allowance\":\"340282366920938463463374607431768211456\","
                + "\"receiver_id\":\"a\",\"method_names\":[]}}",
            "{\"GasKeyFullAccess\":{\"balance\":\"1\"}}",
            "{\"GasKeyFullAccess\":{\"balance\":\"1\",\"num_nonces\":1},\"FunctionCall\":{}}",
        ])
    func badPermission(permission: String) async throws {
        let node = try Node(result: Self.key(nonce: "1", permission: permission))
        #expect(Self.isMalformed(await Self.accessKey(node.rpc)))
    }

    @Test(
        "permissions without an allowance",
        arguments: [
            (
                "{\"FunctionCall\":{\"allowance\":null,\"receiver_id\":\"a\",\"method_names\":[]}}",
                AccessKeyPermission.functionCall(receiver: "a", methods: [], allowance: nil)
            ),
            (
                "{\"FunctionCall\":{\"receiver_id\":\"a\",\"method_names\":[\"b\"]}}",
                .functionCall(receiver: "a", methods: ["b"], allowance: nil)
            ),
            (
                "{\"GasKeyFunctionCall\":{\"allowance\":null,\"receiver_id\":\"a\","
                    + "\"method_names\":[],\"balance\":\"3\",\"num_nonces\":2}}",
                .gasKeyFunctionCall(
                    receiver: "a", methods: [], allowance: nil, balance: 3, nonceCount: 2)
            ),
        ])
    func noAllowance(permission: String, expected: AccessKeyPermission) async throws {
        let node = try Node(result: Self.key(nonce: "1", permission: permission))
        #expect(try await Self.accessKey(node.rpc).get().permission == expected)
    }

    @Test("missing members", arguments: ["nonce", "permission", "block_height", "block_hash"])
    func missing(name: String) async throws {
        let whole = Self.key(nonce: "1")
        var members = try #require(try JSON.parse(whole.utf8.span).object).members
        members.removeAll { $0.name == name }
        let node = try Node(["result": .object(JSONObject(members))])
        #expect(await Self.accessKey(node.rpc) == .failure(.malformed("\(name) is missing")))
    }

    @Test("invalid hashes", arguments: ["", "1", "0OIl", Exchanges.hash + "1"])
    func badHash(hash: String) async throws {
        let node = try Node([
            "result": [
                "nonce": 1, "permission": "FullAccess", "block_height": 1,
                "block_hash": .string(hash),
            ]
        ])
        #expect(Self.isMalformed(await Self.accessKey(node.rpc)))
    }

    @Test("an answer to another request, or to none", arguments: ["\"1\"", "1", "null", ""])
    func wrongID(id: String) async throws {
        let member = id.isEmpty ? "" : "\"id\":\(id),"
        let text = "{\"jsonrpc\":\"2.0\",\(member)\"result\":\(Self.key(nonce: "1"))}"
        let server = try LoopbackServer { _ in .answer(status: 200, body: [UInt8](text.utf8)) }
        #expect(Self.isMalformed(await Self.accessKey(NEARRPC(url: server.url))))
    }

    @Test(
        "texts that are not JSON-RPC",
        arguments: [
            "", "{", "[]", "null", "{\"jsonrpc\":\"2.0\"", "<html></html>", "{\"a\":1,\"a\":1}",
            String(repeating: "[", count: 1_000),
        ])
    func noJSON(text: String) async throws {
        let server = try LoopbackServer { _ in .answer(status: 200, body: [UInt8](text.utf8)) }
        let error = await Self.send(NEARRPC(url: server.url))
        guard case .malformed = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.mayHaveBeenSent == true)
    }

    @Test("neither a result nor an error")
    func empty() async throws {
        let node = try Node([:])
        #expect(await Self.send(node.rpc) == .malformed("result is missing"))
        let null = try Node(["error": nil, "result": nil])
        #expect(await Self.send(null.rpc) == .malformed("result is missing"))
    }

    @Test(
        "a status does not prove which bytes were handed over",
        arguments: [500, 502, 503, 429, 408, 400, 204, 307, 401, 403, 404, 413])
    func status(status: Int) async throws {
        let server = try LoopbackServer { _ in .answer(status: status, body: []) }
        let error = await Self.send(NEARRPC(url: server.url))
        #expect(error == .http(status: status) && error?.mayHaveBeenSent == true)
    }

    @Test("an error of the node counts more than the status it comes with")
    func statusWithError() async throws {
        let timeout = try Node(["error": ["cause": ["name": "TIMEOUT_ERROR"]]], status: 408)
        #expect(await Self.send(timeout.rpc) == .timeout)
        let result = try Node(["result": ["status": "x"]], status: 500)
        #expect(await Self.send(result.rpc) == .http(status: 500))
    }

    @Test("too large an answer")
    func tooLarge() async throws {
        let node = try Node(result: "\"" + String(repeating: "x", count: 5 << 20) + "\"")
        let limit = HTTPClient.Settings.bodyCount
        #expect(await Self.send(node.rpc) == .transport(.tooLarge(limit: limit)))
    }

    @Test("no connection: nothing was sent")
    func noNode() async throws {
        let error = await Self.send(NEARRPC(url: "http://rpc.mainnet.near.org/"))
        #expect(error?.mayHaveBeenSent == false)
    }
}
