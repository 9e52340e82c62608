// SPDX-License-Identifier: Apache-2.0

package import Algorand
internal import NEAR
package import SigningCore
package import SigningService
package import SigningVault

/// The networks that the owner added to a home, which are settings of its vault.
///
/// The vault authenticates its settings once it is unlocked: a program that can only write files
/// cannot add a network.
package struct AddedNetworks: Sendable {
    /// The networks, sorted by name.
    package let list: [AddedNetwork]
    /// The names of networks that this version cannot read; requests about them are refused.
    package let unreadable: [String]

    /// The maximum number of networks.
    package static let countMax = 32

    /// Reads the networks among the settings of a vault.
    package init(_ settings: [String: String]) {
        let own = settings.filter { $0.key.hasPrefix(AddedNetwork.settingPrefix) }
        let read = own.map { ($0.key, AddedNetwork(setting: $0.key, text: $0.value)) }
        list = read.compactMap(\.1).sorted { $0.name < $1.name }
        unreadable = read.filter { $0.1 == nil }.map {
            String($0.0.dropFirst(AddedNetwork.settingPrefix.count))
        }.sorted()
    }

    /// Reads the networks of a vault.
    package init(in vault: Vault) throws { self.init(try vault.terms().settings) }

    /// The networks of Algorand.
    package var algorand: [AlgorandNetwork] { list.compactMap(\.algorand) }

    /// The names of the networks of NEAR.
    package var near: [String] { names(of: .near) }

    /// The names of the networks of a chain.
    package func names(of protocolID: ProtocolID) -> [String] {
        list.filter { $0.protocolID == protocolID }.map(\.name)
    }

    /// The network with a name.
    package func network(named name: String) -> AddedNetwork? { list.first { $0.name == name } }

    /// Throws unless a network may be added beside these.
    package func checkRoom(for new: AddedNetwork) throws(ServiceError) {
        try checkName(new.name)
        if let known = list.first(where: {
            $0.protocolID == new.protocolID && $0.hashText == new.hashText
        }) {
            throw ServiceError(
                "the network of this node is \(known.name) already",
                hint: "for another node of it: countersign network remove \(known.name), then add "
                    + "it again")
        }
        let builtIn: String? =
            switch new.genesis {
            case .algorand(_, let hash):
                [AlgorandNetwork.mainnet, .testnet].first { $0.genesisHash == hash }?.policyName
            case .near(let genesis):
                NEARNetwork.isBuiltIn(genesis.chainID) ? genesis.chainID : nil
            }
        if let builtIn {
            throw ServiceError(
                "this is a node of \(builtIn), which needs no other name",
                hint: "give it with \(new.protocolID == .near ? "--rpc" : "--algod") to the "
                    + "commands that need a node, and to the agent")
        }
    }

    /// Throws unless a network may be added under a name.
    package func checkName(_ name: String) throws(ServiceError) {
        try AddedNetwork.check(name)
        guard !(list.map(\.name) + unreadable).contains(name) else {
            throw ServiceError(
                "there is a network \"\(name)\" already",
                hint: "if it was reset or has another node: countersign network remove \(name), "
                    + "then add it again")
        }
        guard list.count + unreadable.count < Self.countMax else {
            throw ServiceError(
                "there are \(Self.countMax) networks already",
                hint: "remove one: countersign network remove NAME")
        }
    }
}

extension Vault {
    /// Stores a network; needs an unlocked vault.
    package func add(_ network: AddedNetwork) throws {
        try setSetting(AddedNetwork.setting(network.name), to: network.settingText)
    }

    /// Removes the network with a name; needs an unlocked vault.
    package func removeNetwork(named name: String) throws {
        try setSetting(AddedNetwork.setting(name), to: nil)
    }
}
