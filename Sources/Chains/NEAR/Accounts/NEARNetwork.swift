// SPDX-License-Identifier: Apache-2.0

/// The networks that every hub knows by name.
package enum NEARNetwork {
    package static let names = ["mainnet", "testnet"]

    package static func isBuiltIn(_ name: String) -> Bool { names.contains(name) }
}

/// The identity of a network that the owner added.
public struct NEARGenesis: Hashable, Sendable {
    /// The name in the genesis of the network, which other networks can have too.
    public let chainID: String
    /// The hash of the genesis, 32 bytes.
    public let hash: [UInt8]

    /// Creates an identity.
    public init(chainID: String, hash: [UInt8]) {
        self.chainID = chainID
        self.hash = hash
    }
}
