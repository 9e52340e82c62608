// SPDX-License-Identifier: Apache-2.0

/// The accounts of one protocol: their addresses and possible doubts about them.
///
/// Pure, like an adapter; it sees public keys and no secret.
public protocol Chain: Sendable {
    /// The protocol to which the keys belong and which rules name.
    var protocolID: ProtocolID { get }
    /// The signature algorithm of the protocol's keys.
    var algorithm: KeyAlgorithm { get }
    /// The networks that a key may be bound to; empty if there is only one.
    var networks: [String] { get }
    /// True if one key may be kept for several accounts, each with a name.
    var namesAccounts: Bool { get }

    /// Returns the account of a public key as the protocol writes it.
    ///
    /// `given` is the name that its owner gave; always nil unless `namesAccounts`.
    func address(publicKey: [UInt8], given: String?) throws(AccountError) -> String

    /// Returns a public key in the form that people exchange; nil if that is its address.
    func publicText(_ publicKey: [UInt8]) -> String?

    /// Returns a doubt to show before a key is kept for an account; contacts no network.
    func warning(about address: String, publicKey: [UInt8]) -> AccountError?
}

extension Chain {
    /// Empty: there is only one network.
    public var networks: [String] { [] }
    /// False: a key has one account.
    public var namesAccounts: Bool { false }
    /// Nil: people exchange the address.
    public func publicText(_: [UInt8]) -> String? { nil }
    /// Nil: no doubt.
    public func warning(about _: String, publicKey _: [UInt8]) -> AccountError? { nil }
}

/// An error or a doubt about an account that a key is to be kept for.
public struct AccountError: Error, Hashable, Sendable {
    /// The problem, in one line.
    public let message: String
    /// The remedy.
    public let hint: String

    /// Makes an error.
    public init(_ message: String, hint: String) {
        self.message = message
        self.hint = hint
    }
}
