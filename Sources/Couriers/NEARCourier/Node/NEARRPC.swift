// SPDX-License-Identifier: Apache-2.0

public import NEAR
package import SigningCodecs
package import SigningNetwork

/// The JSON-RPC interface of one NEAR node.
///
/// The answers of a node are not trusted: they only supply values that a person sees and signs.
public struct NEARRPC: Sendable {
    /// The address of the node, which may contain a secret of the provider.
    public let url: String
    /// The HTTP client for the requests.
    package let client: HTTPClient
    /// The genesis of the network that the node must be on; nil for a network whose name is enough.
    package let genesis: NEARGenesis?

    /// Creates a client for the node at an address.
    public init(url: String, of genesis: NEARGenesis? = nil) {
        self.init(url: url, client: HTTPClient(), of: genesis)
    }

    /// Creates a client that uses an existing HTTP client.
    package init(url: String, client: HTTPClient, of genesis: NEARGenesis? = nil) {
        self.url = url
        self.client = client
        self.genesis = genesis
    }

    /// The problem of an invalid address; nil for a valid one.
    package var problem: String? {
        do throws(HTTPError) { try client.check(url) } catch { return error.text }
        return nil
    }

    /// Returns the name of the network, such as "mainnet".
    package func chainID() async throws(RPCError) -> String {
        try await call("status", []).text("chain_id")
    }

    /// Returns the network of the node, which the owner then names.
    package func readGenesis() async throws(RPCError) -> NEARGenesis {
        let status = try await call("status", [])
        let id = try status.text("chain_id")
        guard (1...Self.chainIDCountMax).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .malformed("chain_id is not 1 to \(Self.chainIDCountMax) characters") }
        return NEARGenesis(chainID: id, hash: try status.hash("genesis_hash"))
    }

    private static let chainIDCountMax = 64

    /// Throws if the node is on another network.
    package func check(_ network: String) async throws(RPCError) {
        guard let genesis else {
            let actual = try await chainID()
            guard actual == network else { throw .anotherNetwork(actual, wanted: network) }
            return
        }
        let actual = try await readGenesis()
        guard actual == genesis else { throw .anotherGenesis(wanted: network) }
    }

    /// Returns one key of an account in the last final block.
    package func accessKey(
        account: String, publicKey: String
    ) async throws(RPCError) -> AccessKeyView {
        let result = try await query(
            "view_access_key", account, [.init(name: "public_key", value: .string(publicKey))])
        // Nodes put this error in the result, not in the error member.
        guard result["error"]?.text == nil else { throw .unknownAccessKey }
        return try AccessKeyView(result)
    }

    /// Returns all keys of an account in the last final block.
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

    /// Returns an account in the last final block.
    package func account(_ account: String) async throws(RPCError) -> AccountView {
        let result = try await query("view_account", account)
        try Self.checkOldError(result)
        return try AccountView(result)
    }

    /// Returns the hash and the height of the last final block.
    package func finalBlock() async throws(RPCError) -> (hash: [UInt8], height: UInt64) {
        let header = try await call("block", ["finality": "final"]).member("header")
        return (try header.hash("hash"), try header.unsigned("height"))
    }

    /// The state that a node waits for before it answers: executed in a block that is not final.
    public static let waitUntilUsual = "EXECUTED_OPTIMISTIC"

    /// Sends a signed transaction to the node and waits; returns the outcome as JSON of the node.
    ///
    /// After an error, `RPCError.mayHaveBeenSent` says if it may still take effect.
    package func send(
        _ signedTransaction: [UInt8], waitUntil: String = waitUntilUsual
    ) async throws(RPCError) -> JSON {
        let text = Base64.encode(signedTransaction.span)
        return try await call(
            "send_tx", ["signed_tx_base64": .string(text), "wait_until": .string(waitUntil)],
            triesMax: 1)
    }

    /// Returns the outcome of a transaction; nil if the node does not know this hash.
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

    func query(
        _ type: String, _ account: String, _ more: [JSONObject.Member] = []
    ) async throws(RPCError) -> JSON {
        let members: [JSONObject.Member] = [
            .init(name: "request_type", value: .string(type)),
            .init(name: "finality", value: "final"),
            .init(name: "account_id", value: .string(account)),
        ]
        return try await call("query", .object(JSONObject(members + more)))
    }

    static func checkOldError(_ result: JSON) throws(RPCError) {
        guard let text = result["error"]?.text else { return }
        throw .server(name: "error", message: text.visible)
    }
}
