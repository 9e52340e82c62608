// SPDX-License-Identifier: Apache-2.0

/// What keys of one protocol belong to: how their accounts are written and what is doubtful of one.
///
/// Pure, like an adapter; it sees public keys and no secret.
public protocol Chain: Sendable {
    /// The protocol that rules name, and to which its keys belong.
    var protocolID: ProtocolID { get }
    /// What its keys sign with; a secret is 32 bytes.
    var algorithm: KeyAlgorithm { get }
    /// The networks that a key may be bound to; none where there is but one.
    var networks: [String] { get }
    /// Whether one key may be kept for several accounts, each by its name.
    var namesAccounts: Bool { get }

    /// The account of a public key as the protocol writes it.
    ///
    /// `given` is the name that its owner gave, always nil unless `namesAccounts`.
    func address(publicKey: [UInt8], given: String?) throws(AccountError) -> String

    /// A public key as people exchange it, where that is not its address.
    func publicText(_ publicKey: [UInt8]) -> String?

    /// What deserves a look before a key is kept for an account; nobody else is asked.
    func doubt(about address: String, publicKey: [UInt8]) -> AccountError?
}

extension Chain {
    /// There is but one.
    public var networks: [String] { [] }
    /// A key is its account.
    public var namesAccounts: Bool { false }
    /// The address.
    public func publicText(_: [UInt8]) -> String? { nil }
    /// Nothing.
    public func doubt(about _: String, publicKey _: [UInt8]) -> AccountError? { nil }
}

/// What is wrong with an account that a key is to be kept for, or doubtful.
public struct AccountError: Error, Hashable, Sendable {
    /// What it is, in one line.
    public let message: String
    /// What to do about it.
    public let hint: String

    /// Says it.
    public init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }
}
