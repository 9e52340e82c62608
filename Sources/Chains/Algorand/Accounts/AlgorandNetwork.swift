// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// One Algorand network.
public struct AlgorandNetwork: Hashable, Sendable {
    /// The genesis id of the network, such as `mainnet-v1.0`.
    public let genesisID: String
    /// The hash of the first block, 32 bytes; it identifies the network.
    public let genesisHash: [UInt8]
    /// The name that the owner gave the network when it was added; nil for any other network.
    public let name: String?

    /// Creates a network; `name` is the owner's.
    public init(genesisID: String, genesisHash: [UInt8], name: String? = nil) {
        self.genesisID = genesisID
        self.genesisHash = genesisHash
        self.name = name
    }
}

extension AlgorandNetwork {
    /// The network with real money.
    public static let mainnet = Self(
        genesisID: "mainnet-v1.0",
        genesisHash: [
            0xc0, 0x61, 0xc4, 0xd8, 0xfc, 0x1d, 0xbd, 0xde, 0xd2, 0xd7, 0x60, 0x4b, 0xe4, 0x56,
            0x8e, 0x3f, 0x6d, 0x04, 0x19, 0x87, 0xac, 0x37, 0xbd, 0xe4, 0xb6, 0x20, 0xb5, 0xab,
            0x39, 0x24, 0x8a, 0xdf,
        ])

    /// The public test network.
    public static let testnet = Self(
        genesisID: "testnet-v1.0",
        genesisHash: [
            0x48, 0x63, 0xb5, 0x18, 0xa4, 0xb3, 0xc8, 0x4e, 0xc8, 0x10, 0xf2, 0x2d, 0x4f, 0x10,
            0x81, 0xcb, 0x0f, 0x71, 0xf0, 0x59, 0xa7, 0xac, 0x20, 0xde, 0xc6, 0x2f, 0x7f, 0x70,
            0xe5, 0x09, 0x3a, 0x22,
        ])

    package var isBuiltIn: Bool { self == .mainnet || self == .testnet }

    /// True for the built-in networks and for those that the owner added.
    package var isKnown: Bool { isBuiltIn || name != nil }

    /// The name of the network in policy files and for people.
    ///
    /// Only the owner gives names, so that no client can call its network by another one's name.
    public var policyName: String {
        switch self {
        case .mainnet: "mainnet"
        case .testnet: "testnet"
        default: name ?? genesisID
        }
    }

    /// True if an account bound to `network` may be used here; nil means that it is not bound.
    package func serves(accountNetwork network: String?) -> Bool {
        network == nil || network == policyName || network == genesisID
    }
}

extension AlgorandNetwork {
    /// Returns a round that the network has certainly not reached; nil for an unknown network.
    ///
    /// Both public networks were below round 60,000,000 at 2025-07-01T00:00:00Z. Every block takes
    /// at least two seconds.
    package func unreachedRound(at time: Timestamp) -> UInt64? {
        guard isBuiltIn else { return nil }
        let seconds = time.seconds > Self.knownTime ? time.seconds - Self.knownTime : 0
        return Self.knownRound + UInt64(seconds) / Self.blockSecondsMin
    }

    private static let knownTime: Int64 = 1_751_328_000
    private static let knownRound: UInt64 = 60_000_000
    private static let blockSecondsMin: UInt64 = 2
}
