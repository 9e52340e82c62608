// SPDX-License-Identifier: Apache-2.0

internal import LiquidCeremony
internal import SigningCodecs

/// Logs an account in at a server.
///
/// It gets the options of the server, lets the signer answer them, and posts the answer.
public struct LiquidLogin: Sendable {
    /// The account that logs in.
    public struct User: Hashable, Sendable {
        /// The address of the account.
        public let address: String
        /// The owner's name for the account's key.
        public let key: String
        /// The passkeys of the account for the server's host, in base64url, in the order of the
        /// tries.
        public let credentials: [String]

        /// Creates a user.
        public init(address: String, key: String, credentials: [String]) {
            self.address = address
            self.key = key
            self.credentials = credentials
        }
    }

    /// Sends a frame of `LiquidCeremonyWire` to the signer and returns its reply; nil for no reply.
    public typealias Signing = @Sendable (_ frame: [UInt8]) async -> [UInt8]?

    /// The name of this machine that a server gets.
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

    /// Logs in with the first passkey that the server knows, otherwise with a new one.
    ///
    /// `unknown` is called if the server knows no held passkey. The server learns the account and
    /// its passkeys only after the signer has agreed.
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

    /// Asks the signer if the server may learn the account.
    private func introduce(_ user: User) async throws(LiquidError) {
        let wire = LiquidCeremonyWire(
            .introduce, at: server.origin, requestID: requestID, address: user.address,
            key: user.key, device: Self.device, options: [:])
        guard let reply = await sign(wire.frame) else {
            throw .notSigned("the signer gave no answer")
        }
        if let refusal = LiquidRefusal(reply: reply.span) { throw .notSigned(refusal.message) }
        guard (try? JSON.parse(reply.span))?["address"]?.text == user.address else {
            throw .notSigned("the signer names another account")
        }
    }

    /// Logs in with a held passkey.
    ///
    /// - Throws: `notFound` if the server does not know the passkey. A registration is then a new
    ///   question.
    private func logIn(_ user: User, with credential: String) async throws(LiquidError) {
        try await perform(.login, user, credential) { () async throws(LiquidError) in
            try await server.loginOptions(for: credential)
        } posting: { body async throws(LiquidError) in
            try await server.logIn(body)
        }
    }

    /// Registers a new passkey.
    private func register(_ user: User) async throws(LiquidError) {
        try await perform(.register, user, nil) { () async throws(LiquidError) in
            try await server.registrationOptions(for: user.address)
        } posting: { body async throws(LiquidError) in
            try await server.register(body)
        }
    }

    /// Performs a ceremony, if necessary with a second challenge.
    ///
    /// One in 20,000 honest challenges begins like other data that accounts sign. Then the server
    /// is asked once for another challenge.
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
                throw .notSigned("the signer gave no answer")
            }
            guard let refusal = LiquidRefusal(reply: reply.span) else {
                let answer = try await post(reply)
                guard answer["wallet"]?.text == user.address else {
                    throw .unexpected("it logged in another account")
                }
                return
            }
            guard refusal.code == .challenge else { throw .notSigned(refusal.message) }
            if isLast { throw .challenge(refusal.message) }
        }
    }
}
