// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// Algorand: Ed25519 keys that are their own addresses, unless an account was rekeyed.
public struct AlgorandChain: Chain {
    /// The protocol id, `algorand`.
    public var protocolID: ProtocolID { .algorand }
    /// The signature algorithm, Ed25519.
    public var algorithm: KeyAlgorithm { .ed25519 }
    /// The names of the built-in networks in policy files.
    public var networks: [String] {
        [AlgorandNetwork.mainnet, .testnet].map(\.policyName)
    }

    /// Creates the chain; it has no settings.
    public init() {}

    /// Returns Base32 of the public key and four checksum bytes.
    public func address(publicKey: [UInt8], given _: String?) -> String {
        AlgorandAddress.text(publicKey: publicKey.span)
    }
}

extension Chain where Self == AlgorandChain {
    /// The Algorand chain.
    public static var algorand: AlgorandChain { AlgorandChain() }
}
