// SPDX-License-Identifier: Apache-2.0

public import Algorand

/// What an installation says about itself and which networks it serves.
public struct ARC27Configuration: Sendable {
    /// The provider's UUID, the same for the life of the installation.
    public let providerID: String
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
        providerID: String, name: String = "Countersign",
        networks: [AlgorandNetwork] = [.mainnet, .testnet], postingNetworks: [AlgorandNetwork] = [],
        host: String? = nil, icon: String? = nil,
        clients: [String: ARC27ClientSettings] = [:],
        clientsNow: (@Sendable () -> [String: ARC27ClientSettings]?)? = nil
    ) {
        precondition(!networks.isEmpty, "A provider without a network can answer nothing.")
        self.providerID = providerID
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
    var defaultNetwork: AlgorandNetwork { networks[0] }

    func network(withHash hash: [UInt8]) -> AlgorandNetwork? {
        networks.first { $0.genesisHash == hash }
    }
}
