// SPDX-License-Identifier: Apache-2.0

public import Algorand
import SigningCodecs

/// The description of an installation and the networks that it serves.
public struct ARC27Configuration: Sendable {
    /// The id by which any app can name this product, for all installations.
    public static let productProviderID = "f8d9a346-46e4-4b7a-9919-cea907de29dd"

    /// The UUID of the provider, which never changes for an installation.
    public let providerID: String
    /// The id of the product, which a client gets that names no provider; nil to use only
    /// `providerID`.
    public let productID: String?
    /// The name shown to users of a client.
    public let name: String
    /// The supported networks; the first is the default.
    public let networks: [AlgorandNetwork]
    /// The networks that have a node to post transactions to, read when a request needs them.
    public var postingNetworks: [AlgorandNetwork] { readPostingNetworks() }
    var readPostingNetworks: @Sendable () -> [AlgorandNetwork]
    /// The site of the provider, if it has one.
    public let host: String?
    /// The URI of a square icon, if there is one.
    public let icon: String?
    /// The settings of clients, by their names; other clients get the defaults.
    public let clients: [String: ARC27ClientSettings]
    /// Returns the current settings of clients, or nil if they cannot be read; nil if they never
    /// change.
    public let clientsNow: (@Sendable () -> [String: ARC27ClientSettings]?)?

    /// The files that put calls of applications in words.
    public let abiFiles: ABIFiles

    /// Creates a configuration; at least one network is required.
    public init(
        providerID: String, productID: String? = nil, name: String = "Countersign",
        networks: [AlgorandNetwork] = [.mainnet, .testnet],
        postingNetworks: @autoclosure @escaping @Sendable () -> [AlgorandNetwork] = [],
        host: String? = nil, icon: String? = nil,
        clients: [String: ARC27ClientSettings] = [:],
        clientsNow: (@Sendable () -> [String: ARC27ClientSettings]?)? = nil,
        abiFiles: ABIFiles = ABIFiles()
    ) {
        precondition(!networks.isEmpty, "the provider has no network")
        self.providerID = providerID
        self.productID = productID
        self.name = name
        self.networks = networks
        readPostingNetworks = postingNetworks
        self.host = host
        self.icon = icon
        self.clients = clients
        self.clientsNow = clientsNow
        self.abiFiles = abiFiles
    }
}

extension ARC27Configuration {
    /// The id for a client that names no provider: `providerID` would identify one user.
    var publicID: String { productID ?? providerID }

    /// Returns the id of this provider that a client names, in its stored spelling; nil for
    /// another.
    func named(_ claimed: String) -> String? {
        [providerID, productID].compactMap(\.self).first { UUIDText.isSame(claimed, $0) }
    }

    var defaultNetwork: AlgorandNetwork { networks[0] }

    func network(withHash hash: [UInt8]) -> AlgorandNetwork? {
        networks.first { $0.genesisHash == hash }
    }
}
