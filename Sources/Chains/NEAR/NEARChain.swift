// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// NEAR: Ed25519 keys, and accounts that have a name or are a key; no node is asked.
public struct NEARChain: Chain {
    /// The protocol id, `near`.
    public var protocolID: ProtocolID { .near }
    /// The signature algorithm, Ed25519.
    public var algorithm: KeyAlgorithm { .ed25519 }
    /// The names of the known networks.
    public var networks: [String] { ["mainnet", "testnet"] }
    /// A key may be added to any number of accounts.
    public var namesAccounts: Bool { true }

    /// Creates the chain; it has no settings.
    public init() {}

    /// Returns the account of a key: the given one, otherwise the implicit account of the key.
    public func address(publicKey: [UInt8], given: String?) throws(AccountError) -> String {
        guard let given else { return Self.implicitAccount(of: publicKey) }
        guard NEARAccountID.isValid(given) else {
            throw AccountError(
                "\"\(VisibleText.quotable(given))\" is not a NEAR account id",
                hint: "2 to 64 characters: a-z, 0-9 and single - _ . between them")
        }
        guard NEARAccountKind(given) != .ethImplicit else {
            throw AccountError(
                "\(given) has a wallet contract and no keys of its own",
                hint: "name the account that this key was added to")
        }
        return given
    }

    /// Returns the text form `ed25519:...`.
    public func publicText(_ publicKey: [UInt8]) -> String? { KeyText.ed25519(publicKey) }

    /// Returns an error if the account id is another key, or belongs to a contract without keys.
    public func warning(about address: String, publicKey: [UInt8]) -> AccountError? {
        let hint = "it has this key only if the key was added to it"
        switch NEARAccountKind(address) {
        case .named, .ethImplicit: return nil
        case .implicit:
            guard address != Self.implicitAccount(of: publicKey) else { return nil }
            return AccountError(
                "\(address) is the implicit account of another key", hint: hint)
        case .deterministic, .universal:
            return AccountError("\(address) is the account of a contract", hint: hint)
        }
    }

    /// Returns the implicit account of an Ed25519 key.
    package static func implicitAccount(of publicKey: [UInt8]) -> String {
        Hex.encode(publicKey.span)
    }
}

extension Chain where Self == NEARChain {
    /// The NEAR chain.
    public static var near: NEARChain { NEARChain() }
}
