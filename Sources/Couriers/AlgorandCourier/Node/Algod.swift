// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
package import SigningNetwork

/// The REST interface, version 2, of one Algorand node.
///
/// A node is asked about networks, transactions and the keys of accounts; what it says decides
/// nothing that is signed but which of the owner's keys vouches for an account.
public struct Algod: Sendable {
    /// The address of the node; a part of it may be a secret of the provider.
    public let url: String
    private let client: HTTPClient
    private let settings: HTTPClient.Settings

    /// Speaks to the node at an address; its token is sent as a header and told to nobody else.
    public init(url: String, token: String? = nil) {
        self.init(url: url, token: token, settings: HTTPClient.Settings())
    }

    /// The same under other limits.
    package init(url: String, token: String? = nil, settings: HTTPClient.Settings) {
        var settings = settings
        if let token { settings.headers.append((Self.tokenHeader, token)) }
        self.url = url
        self.settings = settings
        client = HTTPClient(settings: settings)
    }

    /// The same node, waited for no longer than this.
    func within(milliseconds: Int) -> Algod {
        var limited = settings
        limited.totalMillisecondsMax = min(limited.totalMillisecondsMax, milliseconds)
        // The token is a header of the settings by now.
        return Algod(url: url, settings: limited)
    }

    /// Refuses an address or a token that nothing would be sent with; sends nothing.
    package func check() throws(HTTPError) {
        try client.check(address("/v2"))
    }

    /// Which network the node is on, and how far it is.
    ///
    /// A node asks for the token here as well, and refuses while it catches up.
    package func parameters() async throws(AlgodError) -> AlgodParameters {
        let answer = try await get("/v2/transactions/params")
        guard let text = answer["genesis-hash"]?.text, let hash = try? Base64.decode(text),
            hash.count == Self.hashCount
        else { throw .malformed("genesis-hash is no hash") }
        guard let round = answer["last-round"]?.unsigned else {
            throw .malformed("last-round is no round")
        }
        return AlgodParameters(genesisHash: hash, lastRound: round)
    }

    /// Hands over a signed transaction, or a whole group one after the other; returns the id of
    /// the first.
    ///
    /// After an error `AlgodError.mayHaveBeenSent` says whether it may take effect all the same.
    package func send(_ signedTransactions: [UInt8]) async throws(AlgodError) -> String {
        let response: HTTPClient.Response
        do throws(HTTPError) {
            response = try await client.post(
                signedTransactions, to: address("/v2/transactions"),
                contentType: "application/x-binary")
        } catch { throw .transport(error) }
        guard response.status == Self.success else {
            throw AlgodError(response, refusesTransactions: true)
        }
        guard let id = try Self.read(response.body)["txId"]?.text else {
            throw .malformed("txId is missing")
        }
        return id.visible
    }

    /// What became of a transaction of the last 1000 rounds; nil where the node knows none with
    /// this id.
    package func pending(_ id: String) async throws(AlgodError) -> AlgodStatus? {
        let answer: JSON
        do throws(AlgodError) {
            answer = try await get("/v2/transactions/pending/\(id)")
        } catch {
            if error.isUnknownTransaction { return nil }
            throw error
        }
        guard answer["txn"]?.object != nil, let problem = answer["pool-error"]?.text else {
            throw .malformed("txn or pool-error is missing")
        }
        if let round = answer["confirmed-round"]?.unsigned, round > 0 {
            return .confirmed(round: round)
        }
        return problem.isEmpty ? .waiting : .removed(problem.visible)
    }

    /// The address whose key signs for an account; nil where that is the account's own key, as for
    /// an account that the network has not seen.
    package func authAddress(of account: String) async throws(AlgodError) -> String? {
        let answer = try await get("/v2/accounts/\(account)?exclude=all")
        guard answer["address"]?.text == account else {
            throw .malformed("it is not about the account that was asked about")
        }
        guard let value = answer["auth-addr"] else { return nil }
        guard let text = value.text, (try? AlgorandAddress.parse(text)) != nil else {
            throw .malformed("auth-addr is no address")
        }
        return text == account ? nil : text
    }

    private func get(_ path: String) async throws(AlgodError) -> JSON {
        let response: HTTPClient.Response
        do throws(HTTPError) {
            response = try await client.get(address(path))
        } catch { throw .transport(error) }
        guard response.status == Self.success else { throw AlgodError(response) }
        return try Self.read(response.body)
    }

    /// The address of a path at this node, which may itself have a path but nothing after it.
    private func address(_ path: String) throws(HTTPError) -> String {
        guard !url.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw .invalidURL("it holds \"?\" or \"#\"")
        }
        var base = url[...]
        while base.last == "/" { base.removeLast() }
        return base + path
    }

    private static func read(_ body: [UInt8]) throws(AlgodError) -> JSON {
        do throws(CodecError) {
            return try JSON.parse(body.span, limits: limits)
        } catch { throw .malformed(error.text) }
    }

    /// Bounds of an answer; its length is bounded by the client as well.
    static let limits = JSONLimits(bytesMax: 4 << 20, depthMax: 64, valuesMax: 200_000)
    private static let tokenHeader = "X-Algo-API-Token"
    private static let hashCount = 32
    private static let success = 200
}

/// What a node says of its network.
public struct AlgodParameters: Hashable, Sendable {
    /// The hash of the first block, 32 bytes: the identity of the network.
    public let genesisHash: [UInt8]
    /// The last round that the node has seen.
    public let lastRound: UInt64
}

/// What a node knows of a transaction.
public enum AlgodStatus: Hashable, Sendable {
    /// It is valid and waits for a block.
    case waiting
    /// It is in a block.
    case confirmed(round: UInt64)
    /// This node has thrown it out, which binds no other node; why, in the node's words.
    case removed(String)
}
