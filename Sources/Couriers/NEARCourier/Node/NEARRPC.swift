// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningNetwork

/// The JSON-RPC of one NEAR node.
///
/// What a node says is believed by nobody else: it fills in what a person is shown and signs.
public struct NEARRPC: Sendable {
    /// The address of the node; a part of it may be a secret key of the provider.
    public let url: String
    /// What the requests are made with.
    package let client: HTTPClient

    /// Speaks to the node at an address.
    public init(url: String) { self.init(url: url, client: HTTPClient()) }

    /// The same with a client of the caller's.
    package init(url: String, client: HTTPClient) {
        self.url = url
        self.client = client
    }

    /// What is wrong with the address itself; nil where the node may be asked.
    package var problem: String? {
        do throws(HTTPError) { try client.check(url) } catch { return error.text }
        return nil
    }

    /// The name of the network, such as "mainnet".
    package func chainID() async throws(RPCError) -> String {
        try await call("status", []).text("chain_id")
    }

    /// Refuses a node of another network.
    package func check(_ network: String) async throws(RPCError) {
        let actual = try await chainID()
        guard actual == network else { throw .anotherNetwork(actual, wanted: network) }
    }

    /// One key of an account in the last final block.
    package func accessKey(
        account: String, publicKey: String
    ) async throws(RPCError) -> AccessKeyView {
        let result = try await query(
            "view_access_key", account, [.init(name: "public_key", value: .string(publicKey))])
        // Nodes put this one error into the result, not where errors belong.
        guard result["error"]?.text == nil else { throw .unknownAccessKey }
        return try AccessKeyView(result)
    }

    /// All keys of an account in the last final block.
    package func accessKeys(
        of account: String
    ) async throws(RPCError) -> [(publicKey: String, permission: AccessKeyPermission)] {
        let result = try await query("view_access_key_list", account)
        try Self.checkOldError(result)
        var keys: [(publicKey: String, permission: AccessKeyPermission)] = []
        for key in try result.list("keys") {
            let permission = try AccessKeyPermission(key.member("access_key").member("permission"))
            keys.append((try key.text("public_key"), permission))
        }
        return keys
    }

    /// An account in the last final block.
    package func account(_ account: String) async throws(RPCError) -> AccountView {
        let result = try await query("view_account", account)
        try Self.checkOldError(result)
        return try AccountView(result)
    }

    /// The last final block.
    package func finalBlock() async throws(RPCError) -> (hash: [UInt8], height: UInt64) {
        let header = try await call("block", ["finality": "final"]).member("header")
        return (try header.hash("hash"), try header.unsigned("height"))
    }

    /// The state of a transaction that a node waits for: carried out, in a block that may be one
    /// of several yet.
    public static let waitUntilUsual = "EXECUTED_OPTIMISTIC"

    /// Hands a signed transaction to the node and waits; the outcome is as the node gives it.
    ///
    /// After an error `RPCError.mayHaveBeenSent` says whether it may take effect all the same.
    package func send(
        _ signedTransaction: [UInt8], waitUntil: String = waitUntilUsual
    ) async throws(RPCError) -> JSON {
        let text = Base64.encode(signedTransaction.span)
        return try await call(
            "send_tx", ["signed_tx_base64": .string(text), "wait_until": .string(waitUntil)],
            triesMax: 1)
    }

    /// What became of a transaction; nothing where the node knows none with this hash.
    package func transaction(
        hash: String, sender: String, waitUntil: String = "NONE"
    ) async throws(RPCError) -> JSON? {
        do throws(RPCError) {
            return try await call(
                "tx",
                [
                    "tx_hash": .string(hash), "sender_account_id": .string(sender),
                    "wait_until": .string(waitUntil),
                ])
        } catch {
            if case .server(name: "UNKNOWN_TRANSACTION", _) = error { return nil }
            throw error
        }
    }

    private func query(
        _ type: String, _ account: String, _ more: [JSONObject.Member] = []
    ) async throws(RPCError) -> JSON {
        let members: [JSONObject.Member] = [
            .init(name: "request_type", value: .string(type)),
            .init(name: "finality", value: "final"),
            .init(name: "account_id", value: .string(account)),
        ]
        return try await call("query", .object(JSONObject(members + more)))
    }

    private static func checkOldError(_ result: JSON) throws(RPCError) {
        guard let text = result["error"]?.text else { return }
        throw .server(name: "error", message: text.visible)
    }
}
