// SPDX-License-Identifier: Apache-2.0

public import NEARCourier
import SigningCodecs
public import SigningCore

/// The wallet for an app: connect, sign messages, send transactions, one call at a time.
///
/// It follows near-connect-ios. Every call goes through the hub and its policy. Connections are in
/// its ledger, so that they survive a restart of the app.
public actor NEARWalletManager {
    let courier: NEARCourier
    /// Answers the frames of calls, and keeps the connections of the app.
    private let signer: any KnowsConnections
    /// The app's name in the policy.
    public nonisolated let client: String
    /// The network of calls.
    public private(set) var network: NEARWalletNetwork
    /// The account that the app is connected to; nil if absent.
    public private(set) var currentAccount: NEARAccount?
    /// True if a call is in progress.
    public private(set) var isBusy = false

    /// True if the app is connected.
    public var isSignedIn: Bool { currentAccount != nil }

    /// Makes the wallet of one app and restores its connection.
    ///
    /// The signer is one of the app's own process, such as the `LocalSigner` of a home with the
    /// wire NEP-413 and the chain NEAR; it has this courier too.
    public init(
        on signer: some KnowsConnections, courier: NEARCourier, client: String,
        network: NEARWalletNetwork = .mainnet
    ) {
        self.signer = signer
        self.courier = courier
        self.client = client
        self.network = network
        currentAccount = Self.account(of: client, at: signer, on: network)
    }

    /// Connects to an account: the named one, else the only one; adds a key if requested.
    @discardableResult
    public func connect(
        accountId: String? = nil, adding key: FunctionCallKeyRequest? = nil
    ) async throws(NEARError) -> NEARAccount {
        var params = member("signerId", accountId)
        if let key { params.append(.init(name: "addFunctionCallKey", value: key.json)) }
        let result = try await call("signIn", params)
        return try connected(result)
    }

    /// Connects and signs a message, in one question if no key is added.
    ///
    /// `nonce` has 32 bytes; by default the system's generator makes it.
    public func connectAndSignMessage(
        message: String, recipient: String, nonce: [UInt8]? = nil,
        adding key: FunctionCallKeyRequest? = nil
    ) async throws(NEARError) -> SignInWithMessageResult {
        let words = try words(message, recipient, nonce)
        var params: [JSONObject.Member] = [
            .init(name: "messageParams", value: .object(JSONObject(words)))
        ]
        if let key { params.append(.init(name: "addFunctionCallKey", value: key.json)) }
        let result = try await call("signInAndSignMessage", params)
        let account = try connected(result)
        let signed = result.list?.first?["signedMessage"]?.object
        return SignInWithMessageResult(
            account: account, signedMessage: signed.map { Self.payload($0, words) })
    }

    /// Signs a message with the connected account.
    public func signMessage(
        message: String, recipient: String, nonce: [UInt8]? = nil
    ) async throws(NEARError) -> MessageSignResult {
        let account = try account()
        let words = try words(message, recipient, nonce)
        let result = try await call(
            "signMessage", words + member("signerId", account.accountId))
        return MessageSignResult(
            accountId: result["accountId"]?.text, publicKey: result["publicKey"]?.text,
            signature: result.object.map { Self.payload($0, words) })
    }

    /// Ends the connection and revokes the app's permissions.
    public func disconnect() async throws(NEARError) {
        _ = try await call("signOut", [], withNetwork: false)
        currentAccount = nil
    }

    /// Changes to another network, which ends the connection on this one.
    public func use(_ network: NEARWalletNetwork) async throws(NEARError) {
        guard !isBusy else { throw .operationInProgress }
        guard network != self.network else { return }
        if isSignedIn { try await disconnect() }
        self.network = network
        currentAccount = Self.account(of: client, at: signer, on: network)
    }

    // MARK: Calls

    func account() throws(NEARError) -> NEARAccount {
        guard let currentAccount else { throw .notSignedIn }
        return currentAccount
    }

    /// Makes one call of the wallet; throws if another call is in progress.
    func call(
        _ method: String, _ params: [JSONObject.Member], withNetwork: Bool = true
    ) async throws(NEARError) -> JSON {
        guard !isBusy else { throw .operationInProgress }
        isBusy = true
        defer { isBusy = false }
        let own: [JSONObject.Member] =
            withNetwork ? [.init(name: "network", value: .string(network.rawValue))] : []
        let json: JSON = [
            "method": .string(method), "params": .object(JSONObject(own + params)),
        ]
        let frame = Frame(bytes: json.write(), peer: .inProcess(client))
        let answer = await signer.answer(frame, over: Self.wire)
        guard case .message(let bytes) = answer.reply,
            let reply = try? JSON.parse(bytes.span, limits: Self.replyLimits)
        else { throw .walletError("internal_error: the wallet gave no answer") }
        guard let result = reply["result"] else { throw NEARError(reply["error"] ?? .null) }
        return result
    }

    private static let chain = ProtocolID("near")
    /// The wire that the calls of wallets have.
    private static let wire = AdapterID("nep413")
    private static let replyLimits = JSONLimits(
        bytesMax: 8 << 20, depthMax: 64, valuesMax: 400_000)

    /// Returns the account that an app is connected to; nil if there is none.
    private static func account(
        of client: String, at signer: some KnowsConnections, on network: NEARWalletNetwork
    ) -> NEARAccount? {
        signer.account(connectedTo: .inProcess(client), in: chain, on: network.rawValue)
            .map(NEARAccount.init)
    }

    private func connected(_ result: JSON) throws(NEARError) -> NEARAccount {
        guard let first = result.list?.first, let accountId = first["accountId"]?.text else {
            throw .walletError("internal_error: the wallet named no account")
        }
        let account = NEARAccount(
            accountId: accountId, publicKey: first["publicKey"]?.text,
            walletId: NEARAccount.walletId)
        currentAccount = account
        return account
    }

    private func words(
        _ message: String, _ recipient: String, _ nonce: [UInt8]?
    ) throws(NEARError) -> [JSONObject.Member] {
        // The generator of the system (getrandom), as a verifier takes each nonce once.
        let nonce = nonce ?? (0..<Self.nonceCount).map { _ in UInt8.random(in: 0 ... .max) }
        guard nonce.count == Self.nonceCount else {
            throw .walletError("invalid_request: a nonce has \(Self.nonceCount) bytes")
        }
        return [
            .init(name: "message", value: .string(message)),
            .init(name: "recipient", value: .string(recipient)),
            .init(name: "nonce", value: .string(Base64.encode(nonce.span))),
        ]
    }

    private static let nonceCount = 32

    /// Returns the JSON for a verifier: the answer together with the signed values.
    private static func payload(
        _ signed: JSONObject, _ words: [JSONObject.Member]
    ) -> String {
        let json = JSON.object(JSONObject(signed.members + words))
        return String(decoding: json.write(), as: UTF8.self)
    }

    func member(_ name: String, _ text: String?) -> [JSONObject.Member] {
        text.map { [.init(name: name, value: .string($0))] } ?? []
    }
}

extension NEARAccount {
    /// Creates the description of an account of the home.
    init(_ account: Account) {
        self.init(
            accountId: account.address,
            publicKey: "ed25519:" + Base58.encode(account.publicKey.span),
            walletId: NEARAccount.walletId)
    }
}

extension NEARError {
    /// Reads the error of a reply.
    init(_ json: JSON) {
        let code = json["code"]?.text ?? "internal_error"
        let text = json["message"]?.text ?? "the wallet gave no reason"
        let transactions = (json["transactions"]?.list ?? []).compactMap { item in
            item["hash"]?.text.flatMap { hash in
                item["state"]?.text.map { TransactionState(hash: hash, state: $0) }
            }
        }
        self =
            switch code {
            case _ where !transactions.isEmpty:
                .notCarriedOut(reason: "\(code): \(text)", transactions: transactions)
            case "network_unavailable": .rpcError(text)
            case "not_signed_in": .notSignedIn
            case "invalid_account_id", "unsupported_action": .invalidTransaction(text)
            default: .walletError("\(code): \(text)")
            }
    }
}
