// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
package import SigningNetwork

/// The REST interface, version 2, of one Algorand node.
///
/// A node is asked about networks, transactions and the keys of accounts. Its answers only decide
/// which of the owner's keys signs for an account.
public struct Algod: Sendable {
    /// The address of the node, which may contain a secret of the provider.
    public let url: String
    private let client: HTTPClient
    private let settings: HTTPClient.Settings

    /// Creates a client for the node at an address; its token is only sent to the node, as a
    /// header.
    public init(url: String, token: String? = nil) {
        self.init(url: url, token: token, settings: HTTPClient.Settings())
    }

    /// Creates a client with other limits.
    package init(url: String, token: String? = nil, settings: HTTPClient.Settings) {
        var settings = settings
        if let token { settings.headers.append((Self.tokenHeader, token)) }
        self.url = url
        self.settings = settings
        client = HTTPClient(settings: settings)
    }

    /// Returns the client with a shorter time limit for answers.
    func within(milliseconds: Int) -> Algod {
        var limited = settings
        limited.totalMillisecondsMax = min(limited.totalMillisecondsMax, milliseconds)
        // The settings already contain the token as a header.
        return Algod(url: url, settings: limited)
    }

    /// Throws for an invalid address or token; sends nothing.
    package func check() throws(HTTPError) {
        try client.check(address("/v2"))
    }

    /// Returns the network of the node and its last round.
    ///
    /// The node requires the token for this request too. While it catches up, it refuses.
    package func parameters() async throws(AlgodError) -> AlgodParameters {
        try Self.parameters(await get(Self.parametersPath))
    }

    /// Returns the values that a node suggests for a new transaction, with its network.
    package func suggestion() async throws(AlgodError) -> AlgodSuggestion {
        let answer = try await get(Self.parametersPath)
        let parameters = try Self.parameters(answer)
        guard let fee = answer["min-fee"]?.unsigned, let feePerByte = answer["fee"]?.unsigned else {
            throw .malformed("min-fee or fee is not an amount")
        }
        return AlgodSuggestion(network: parameters, feeMin: fee, feePerByte: feePerByte)
    }

    private static func parameters(_ answer: JSON) throws(AlgodError) -> AlgodParameters {
        guard let text = answer["genesis-hash"]?.text, let hash = try? Base64.decode(text),
            hash.count == hashCount
        else { throw .malformed("genesis-hash is not a hash") }
        guard let round = answer["last-round"]?.unsigned else {
            throw .malformed("last-round is not a round")
        }
        return AlgodParameters(genesisHash: hash, lastRound: round)
    }

    /// Returns the network of the node, which the owner then names.
    package func genesis() async throws(AlgodError) -> (id: String, hash: [UInt8]) {
        let answer = try await get(Self.parametersPath)
        guard let id = answer["genesis-id"]?.text,
            (1...Self.genesisIDCountMax).contains(id.utf8.count),
            id.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { throw .malformed("genesis-id is not 1 to \(Self.genesisIDCountMax) characters") }
        return (id, try Self.parameters(answer).genesisHash)
    }

    /// Sends a signed transaction, or a whole group in order; returns the id of the first
    /// transaction.
    ///
    /// After an error, `AlgodError.mayHaveBeenSent` says if it may still take effect.
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

    /// Returns the state of a transaction of the last 1000 rounds; nil if the node does not know
    /// it.
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

    /// Returns the address whose key signs for an account; nil if it is the account's own key.
    ///
    /// Nil also for an account that the network does not know.
    package func authAddress(of account: String) async throws(AlgodError) -> String? {
        let answer = try await get("/v2/accounts/\(account)?exclude=all")
        guard answer["address"]?.text == account else {
            throw .malformed("it is about another account")
        }
        guard let value = answer["auth-addr"] else { return nil }
        guard let text = value.text, (try? AlgorandAddress.parse(text)) != nil else {
            throw .malformed("auth-addr is not an address")
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

    /// Returns the URL of a path at this node, whose address may have a path but no query.
    private func address(_ path: String) throws(HTTPError) -> String {
        guard !url.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw .invalidURL("it has \"?\" or \"#\"")
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

    /// The limits of an answer; the client also limits its length.
    static let limits = JSONLimits(bytesMax: 4 << 20, depthMax: 64, valuesMax: 200_000)
    private static let parametersPath = "/v2/transactions/params"
    private static let tokenHeader = "X-Algo-API-Token"
    private static let hashCount = 32
    private static let genesisIDCountMax = 64
    private static let success = 200
}

/// The answer of a node about its network.
public struct AlgodParameters: Hashable, Sendable {
    /// The hash of the first block, 32 bytes; it identifies the network.
    public let genesisHash: [UInt8]
    /// The last round that the node knows.
    public let lastRound: UInt64
}

/// The values that a node suggests for a new transaction; the owner sees what they lead to.
public struct AlgodSuggestion: Hashable, Sendable {
    /// The network of the node and its last round.
    public let network: AlgodParameters
    /// The lowest fee of a transaction, in microAlgo.
    public let feeMin: UInt64
    /// The fee for each byte of a signed transaction, in microAlgo; 0 unless the network is busy.
    public let feePerByte: UInt64
}

/// The state of a transaction at a node.
public enum AlgodStatus: Hashable, Sendable {
    /// The transaction is valid and waits for a block.
    case waiting
    /// The transaction is in a block.
    case confirmed(round: UInt64)
    /// The node dropped the transaction, for this reason; other nodes may still have it.
    case removed(String)
}
