// SPDX-License-Identifier: Apache-2.0

public import ARC27
public import Algorand
import Connect
import LiquidCeremony
import NEAR
import NEP413
import NIP07
public import NIP155
import NIP46
import NIP55
import Nostr
public import SigningCore
import SigningCrypto

/// What keys may belong to in this build; one line for each chain.
public enum AllChains {
    /// All of them, in the order of the documentation.
    public static let list: [any Chain] = [
        NostrChain(),
        NEARChain(),
        AlgorandChain(),
    ]
}

/// The wires that are spoken, and the choice between them.
public struct AdapterSet: Sendable {
    /// All of them, in the order of the documentation.
    public let adapters: [any ProtocolAdapter]

    /// Makes a set of these alone.
    public init(_ adapters: [any ProtocolAdapter]) { self.adapters = adapters }

    /// Makes the set that is built in; one entry for each wire.
    ///
    /// `providerID` is this home's ARC-27 provider id, a UUID, and `postingNetworks` are the
    /// Algorand networks that have a node. `algorandClientsNow` tells the settings of Algorand
    /// clients as they stand after a person was asked. `nostr.clients` holds for every wire of
    /// Nostr but NIP-46, where a connection is for one key.
    public init(
        providerID: String, nostr: NIP155Configuration = NIP155Configuration(),
        postingNetworks: [AlgorandNetwork] = [],
        algorandClients: [String: ARC27ClientSettings] = [:],
        algorandClientsNow: (@Sendable () -> [String: ARC27ClientSettings]?)? = nil
    ) {
        let arc27 = ARC27Adapter(
            ARC27Configuration(
                providerID: providerID, productID: ARC27Configuration.productProviderID,
                networks: [.mainnet, .testnet],
                postingNetworks: postingNetworks, clients: algorandClients,
                clientsNow: algorandClientsNow))
        adapters = [
            NIP155Adapter(configuration: nostr, verify: { StatementVerifier.holds($0) }),
            NIP55Adapter(
                callbackBytesMax: nostr.limits.webCallbackBytesMax,
                verify: { StatementVerifier.holds($0) }, clients: nostr.clients),
            NIP46Adapter(),
            NIP07Adapter(clients: nostr.clients),
            NEP413Adapter(),
            arc27,
            LiquidCeremonyAdapter(arc27.schema, askingNodesOf: postingNetworks),
            ConnectAdapter(NostrChain.schema, reading: ConnectScopes.nostr),
            ConnectAdapter(NEP413Adapter().schema, reading: ConnectScopes.near),
            ConnectAdapter(arc27.schema, reading: ConnectScopes.algorand(arc27.schema)),
        ]
    }

    /// Everything a key may be asked to sign; wires of one chain ask for the same.
    public var domains: [SigningDomain] { adapters.flatMap(\.domains) }

    /// The vocabularies policy files may use; wires of one chain share one.
    public var schemas: [FactSchema] {
        adapters.map(\.schema).reduce(into: []) { known, schema in
            if !known.contains(where: schema.isSame) { known.append(schema) }
        }
    }

    /// The names of all.
    public var names: [String] { adapters.map(\.id.name) }

    /// The schemes of URLs that are read.
    public var schemes: [String] {
        adapters.flatMap(\.marks.schemes).reduce(into: []) { once, scheme in
            if !once.contains(scheme) { once.append(scheme) }
        }
    }

    /// The adapter with a name, if there is one.
    public func adapter(named name: String) -> (any ProtocolAdapter)? {
        adapters.first { $0.id.name == name }
    }
}
