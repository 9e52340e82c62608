// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// NEAR: Ed25519 keys, and accounts that are named or are a key; the network is never asked.
public struct NEARChain: Chain {
    /// `near`.
    public var protocolID: ProtocolID { .near }
    /// Ed25519.
    public var algorithm: KeyAlgorithm { .ed25519 }
    /// Those with names of their own.
    public var networks: [String] { ["mainnet", "testnet"] }
    /// A key may be added to any number of accounts.
    public var namesAccounts: Bool { true }

    /// Makes it; there is one.
    public init() {}

    /// The account that a key is kept for: the one given, else the one whose name is the key.
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

    /// `ed25519:...`.
    public func publicText(_ publicKey: [UInt8]) -> String? { KeyText.ed25519(publicKey) }

    /// Whether the account's name is another key, or that of a contract without keys.
    public func doubt(about address: String, publicKey: [UInt8]) -> AccountError? {
        let hint = "it has this key only if somebody added it"
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

    /// The account whose name is an Ed25519 key.
    package static func implicitAccount(of publicKey: [UInt8]) -> String {
        Hex.encode(publicKey.span)
    }
}

extension Chain where Self == NEARChain {
    /// NEAR.
    public static var near: NEARChain { NEARChain() }
}
