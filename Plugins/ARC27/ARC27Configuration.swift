// SPDX-License-Identifier: Apache-2.0

public import Algorand
import SigningCodecs

/// What an installation says about itself and which networks it serves.
public struct ARC27Configuration: Sendable {
    /// The id by which any app can name this product, whoever runs it.
    public static let productProviderID = "f8d9a346-46e4-4b7a-9919-cea907de29dd"

    /// The provider's UUID, the same for the life of the installation.
    public let providerID: String
    /// The product's id, which is told where a client names none; nil where the installation has
    /// its own alone.
    public let productID: String?
    /// The name shown to users of a client.
    public let name: String
    /// The networks served; the first is the default.
    public let networks: [AlgorandNetwork]
    /// The networks that have a node to post transactions to.
    public internal(set) var postingNetworks: [AlgorandNetwork]
    /// The provider's site, if it has one.
    public let host: String?
    /// The URI of a square icon, if there is one.
    public let icon: String?
    /// How clients are served, by their names; one that is not here is served as usual.
    public let clients: [String: ARC27ClientSettings]
    /// The same as it stands whenever it is asked for, nil where it cannot be read; nil where it
    /// never changes.
    public let clientsNow: (@Sendable () -> [String: ARC27ClientSettings]?)?

    /// Makes a configuration; at least one network is needed.
    public init(
        providerID: String, productID: String? = nil, name: String = "Countersign",
        networks: [AlgorandNetwork] = [.mainnet, .testnet], postingNetworks: [AlgorandNetwork] = [],
        host: String? = nil, icon: String? = nil,
        clients: [String: ARC27ClientSettings] = [:],
        clientsNow: (@Sendable () -> [String: ARC27ClientSettings]?)? = nil
    ) {
        precondition(!networks.isEmpty, "A provider without a network can answer nothing.")
        self.providerID = providerID
        self.productID = productID
        self.name = name
        self.networks = networks
        self.postingNetworks = postingNetworks
        self.host = host
        self.icon = icon
        self.clients = clients
        self.clientsNow = clientsNow
    }
}

extension ARC27Configuration {
    /// The id that is told to a client that names none: that of the installation would tell one
    /// user from all others.
    var publicID: String { productID ?? providerID }

    /// This provider's id that a client names, in our own writing; nil for another provider's.
    func named(_ claimed: String) -> String? {
        [providerID, productID].compactMap(\.self).first { UUIDText.isSame(claimed, $0) }
    }

    var defaultNetwork: AlgorandNetwork { networks[0] }

    func network(withHash hash: [UInt8]) -> AlgorandNetwork? {
        networks.first { $0.genesisHash == hash }
    }
}
