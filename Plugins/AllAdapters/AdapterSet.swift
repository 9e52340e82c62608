// SPDX-License-Identifier: Apache-2.0

public import ARC27
public import Algorand
import Connect
import LiquidCeremony
import NEAR
import NEP413
import NIP07
public import NIP155
import NIP155Messages
import NIP46
import NIP55
import Nostr
public import SigningCore
import SigningCrypto
@_exported public import SigningWires

/// The chains that this build supports; one line for each chain.
public enum AllChains {
    /// All chains, in the order of the documentation.
    public static let list: [any Chain] = [
        NostrChain(),
        NEARChain(),
        AlgorandChain(),
    ]
}

extension AdapterSet {
    /// Creates the set of all built-in adapters, one for each wire.
    ///
    /// - `providerID` is the ARC-27 provider id of this home, a UUID.
    /// - `postingNetworks` are the Algorand networks for which a node is configured, read when a
    ///   request needs them.
    /// - `algorandNetworks` and `nearNetworks` are the networks that the owner added; each has a
    ///   node.
    /// - `algorandClients` are the settings of Algorand clients; `algorandClientsNow` reads the
    ///   settings again after a person was asked.
    /// - `algorandABIs` are files that put calls of Algorand applications in words.
    /// - `nostr.clients` applies to every wire of Nostr except NIP-46, where each connection has
    ///   one key.
    public init(
        providerID: String, nostr: NIP155Configuration = NIP155Configuration(),
        postingNetworks: @autoclosure @escaping @Sendable () -> [AlgorandNetwork] = [],
        algorandNetworks: [AlgorandNetwork] = [], nearNetworks: [String] = [],
        algorandClients: [String: ARC27ClientSettings] = [:],
        algorandClientsNow: (@Sendable () -> [String: ARC27ClientSettings]?)? = nil,
        algorandABIs: ABIFiles = ABIFiles()
    ) {
        let arc27 = ARC27Adapter(
            ARC27Configuration(
                providerID: providerID, productID: ARC27Configuration.productProviderID,
                networks: [.mainnet, .testnet] + algorandNetworks,
                postingNetworks: postingNetworks() + algorandNetworks, clients: algorandClients,
                clientsNow: algorandClientsNow, abiFiles: algorandABIs))
        self.init([
            NIP155Adapter(configuration: nostr, verify: { StatementVerifier.holds($0) }),
            NIP55Adapter(
                callbackBytesMax: nostr.limits.webCallbackBytesMax,
                verify: { StatementVerifier.holds($0) }, clients: nostr.clients),
            NIP46Adapter(),
            NIP07Adapter(clients: nostr.clients),
            NEP413Adapter(networks: nearNetworks),
            arc27,
            LiquidCeremonyAdapter(arc27.schema, askingNodesOf: postingNetworks()),
            ConnectAdapter(NostrChain.schema, reading: ConnectScopes.nostr),
            ConnectAdapter(NEP413Adapter().schema, reading: ConnectScopes.near),
            ConnectAdapter(arc27.schema, reading: ConnectScopes.algorand(arc27.schema)),
        ])
    }
}
