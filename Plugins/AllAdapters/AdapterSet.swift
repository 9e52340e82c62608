// SPDX-License-Identifier: Apache-2.0

public import ARC27
public import Algorand
import NEP413
public import NIP155
public import SigningCore
import SigningCrypto

/// The wires this build speaks; one line per protocol.
public struct AdapterSet: Sendable {
    /// All of them, in the order of the documentation.
    public let adapters: [any ProtocolAdapter]

    /// Makes the set.
    ///
    /// `providerID` is this home's ARC-27 provider id, a UUID, and `postingNetworks` are the
    /// Algorand networks that have a node. `algorandClientsNow` tells the settings of Algorand
    /// clients as they stand after a person was asked.
    public init(
        providerID: String, nostr: NIP155Configuration = NIP155Configuration(),
        postingNetworks: [AlgorandNetwork] = [],
        algorandClients: [String: ARC27ClientSettings] = [:],
        algorandClientsNow: (@Sendable () -> [String: ARC27ClientSettings]?)? = nil
    ) {
        adapters = [
            NIP155Adapter(configuration: nostr, verify: { StatementVerifier.holds($0) }),
            NEP413Adapter(),
            ARC27Adapter(
                ARC27Configuration(
                    providerID: providerID, networks: [.mainnet, .testnet],
                    postingNetworks: postingNetworks, clients: algorandClients,
                    clientsNow: algorandClientsNow)),
        ]
    }

    /// Everything a key may be asked to sign.
    public var domains: [SigningDomain] { adapters.flatMap(\.domains) }

    /// The vocabularies policy files may use.
    public var schemas: [FactSchema] { adapters.map(\.schema) }

    /// The adapter with a name, if there is one.
    public func adapter(named name: String) -> (any ProtocolAdapter)? {
        adapters.first { $0.id.name == name }
    }
}
