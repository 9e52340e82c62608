// SPDX-License-Identifier: Apache-2.0

internal import LiquidCeremony
internal import SigningCodecs

/// Logs an account in at a server: gets the server's options, has the signer answer them, and posts
/// what it says.
public struct LiquidLogin: Sendable {
    /// Who logs in.
    public struct User: Hashable, Sendable {
        /// The account, by its address.
        public let address: String
        /// The owner's name for its key.
        public let key: String
        /// The passkeys of the account for the server's host, in base64url, in the order in
        /// which they are tried.
        public let credentials: [String]

        /// Names who logs in.
        public init(address: String, key: String, credentials: [String]) {
            self.address = address
            self.key = key
            self.credentials = credentials
        }
    }

    /// Takes a frame of `LiquidCeremonyWire` to the signer and returns its reply; nil for silence.
    public typealias Signing = @Sendable (_ frame: [UInt8]) async -> [UInt8]?

    /// What a server is told of this machine.
    public static let device = "countersign"

    private let server: LiquidServer
    private let requestID: String
    private let sign: Signing

    /// Prepares a login.
    public init(at server: LiquidServer, for requestID: String, signing sign: @escaping Signing) {
        self.server = server
        self.requestID = requestID
        self.sign = sign
    }

    /// Logs in with the first passkey that the server knows, or else with a new one; `unknown` is
    /// told that it knows none of those that are held.
    ///
    /// The server hears of account and passkeys only after the signer agreed to that.
    public func enter(
        _ user: User, whenUnknown unknown: @Sendable () -> Void = {}
    ) async throws(LiquidError) {
        try await introduce(user)
        for credential in user.credentials {
            do throws(LiquidError) {
                return try await logIn(user, with: credential)
            } catch {
                guard error == .notFound else { throw error }
            }
        }
        if !user.credentials.isEmpty { unknown() }
        try await register(user)
    }

    /// Asks the signer whether the server may be told which account would log in.
    private func introduce(_ user: User) async throws(LiquidError) {
        let wire = LiquidCeremonyWire(
            .introduce, at: server.origin, requestID: requestID, address: user.address,
            key: user.key, device: Self.device, options: [:])
        guard let reply = await sign(wire.frame) else {
            throw .notSigned("the signer said nothing")
        }
        if let refusal = LiquidRefusal(reply: reply.span) { throw .notSigned(refusal.message) }
        guard (try? JSON.parse(reply.span))?["address"]?.text == user.address else {
            throw .notSigned("the signer names another account")
        }
    }

    /// Logs in with a passkey that is held.
    ///
    /// - Throws: `notFound` where the server does not know it: whether to register is asked anew.
    private func logIn(_ user: User, with credential: String) async throws(LiquidError) {
        try await perform(.login, user, credential) { () async throws(LiquidError) in
            try await server.loginOptions(for: credential)
        } posting: { body async throws(LiquidError) in
            try await server.logIn(body)
        }
    }

    /// Registers a new passkey, beside those that are held.
    private func register(_ user: User) async throws(LiquidError) {
        try await perform(.register, user, nil) { () async throws(LiquidError) in
            try await server.registrationOptions(for: user.address)
        } posting: { body async throws(LiquidError) in
            try await server.register(body)
        }
    }

    /// An honest challenge may begin like something else that accounts sign, one in 20,000 does:
    /// the server is asked for another, once.
    private func perform(
        _ ceremony: LiquidCeremonyWire.Ceremony, _ user: User, _ credential: String?,
        options: () async throws(LiquidError) -> JSON,
        posting post: ([UInt8]) async throws(LiquidError) -> JSON
    ) async throws(LiquidError) {
        for isLast in [false, true] {
            let wire = LiquidCeremonyWire(
                ceremony, at: server.origin, requestID: requestID, address: user.address,
                key: user.key, device: Self.device, credential: credential,
                options: try await options())
            guard let reply = await sign(wire.frame) else {
                throw .notSigned("the signer said nothing")
            }
            guard let refusal = LiquidRefusal(reply: reply.span) else {
                let answer = try await post(reply)
                guard answer["wallet"]?.text == user.address else {
                    throw .unexpected("it took the login for another account's")
                }
                return
            }
            guard refusal.code == .challenge else { throw .notSigned(refusal.message) }
            if isLast { throw .challenge(refusal.message) }
        }
    }
}
