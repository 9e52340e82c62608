// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// Algorand: Ed25519 keys that are their own addresses, unless an account was rekeyed.
public struct AlgorandChain: Chain {
    /// `algorand`.
    public var protocolID: ProtocolID { .algorand }
    /// Ed25519.
    public var algorithm: KeyAlgorithm { .ed25519 }
    /// Those with names of their own.
    public var networks: [String] {
        [AlgorandNetwork.mainnet, .testnet].map(\.policyName)
    }

    /// Makes it; there is one.
    public init() {}

    /// Base32 of the key and four checksum bytes.
    public func address(publicKey: [UInt8], given _: String?) -> String {
        AlgorandAddress.text(publicKey: publicKey.span)
    }
}

extension Chain where Self == AlgorandChain {
    /// Algorand.
    public static var algorand: AlgorandChain { AlgorandChain() }
}
