// SPDX-License-Identifier: Apache-2.0

package import Algorand
package import NEAR
internal import SigningCodecs
package import SigningCore
package import SigningService

/// A network that the owner added, with its node.
package struct AddedNetwork: Hashable, Sendable {
    /// The identity of the network, as its node reported it.
    package enum Genesis: Hashable, Sendable {
        case algorand(id: String, hash: [UInt8])
        case near(NEARGenesis)
    }

    /// The name in rules, questions and requests.
    package let name: String
    package let genesis: Genesis
    /// The address of the node, which may contain a secret of the provider.
    package let url: String
    /// The access token of the node, a low-value secret; nil if it needs none.
    package let token: String?

    /// Creates a network; throws for a name that cannot be one.
    package init(
        name: String, _ genesis: Genesis, url: String, token: String? = nil
    ) throws(ServiceError) {
        try Self.check(name)
        guard ![url, token ?? ""].contains(where: { $0.contains("\t") }) else {
            throw ServiceError("the node's URL or token has a tab", hint: "leave it out")
        }
        self.init(checked: name, genesis, url, token)
    }

    private init(checked name: String, _ genesis: Genesis, _ url: String, _ token: String?) {
        self.name = name
        self.genesis = genesis
        self.url = url
        self.token = token
    }

    /// Throws for a name that no network can be added under.
    package static func check(_ name: String) throws(ServiceError) {
        guard !["mainnet", "testnet"].contains(name) else {
            throw ServiceError(
                "\(name) is known already, and its genesis cannot be changed",
                hint: "to give it a node, see \"countersign algorand send --help\"")
        }
        guard NetworkName.isValid(name) else {
            throw ServiceError(
                "\"\(VisibleText.quotable(name))\" cannot be the name of a network",
                hint: NetworkName.rule)
        }
    }

    /// The chain of the network.
    package var protocolID: ProtocolID {
        switch genesis {
        case .algorand: .algorand
        case .near: .near
        }
    }

    /// The genesis id of Algorand, or the chain id of NEAR.
    package var genesisID: String {
        switch genesis {
        case .algorand(let id, _): id
        case .near(let genesis): genesis.chainID
        }
    }

    /// The hash of the genesis as the chain writes it: Base64, or Base58.
    package var hashText: String {
        switch genesis {
        case .algorand(_, let hash): Base64.encode(hash.span)
        case .near(let genesis): Base58.encode(genesis.hash.span)
        }
    }

    /// The network for Algorand; nil for another chain.
    package var algorand: AlgorandNetwork? {
        guard case .algorand(let id, let hash) = genesis else { return nil }
        return AlgorandNetwork(genesisID: id, genesisHash: hash, name: name)
    }

    /// The genesis for NEAR; nil for another chain.
    package var near: NEARGenesis? {
        if case .near(let genesis) = genesis { genesis } else { nil }
    }
}

// The stored form: one setting of the vault for each network, with its parts between tabs.

extension AddedNetwork {
    static let settingPrefix = "network."

    /// The name of the vault's setting.
    package static func setting(_ name: String) -> String { settingPrefix + name }

    /// The value of the vault's setting.
    package var settingText: String {
        [protocolID.name, genesisID, hashText, url, token ?? ""].joined(separator: "\t")
    }

    /// Reads the network of a setting; nil if this version cannot read it.
    init?(setting: String, text: String) {
        let name = String(setting.dropFirst(Self.settingPrefix.count))
        let parts = text.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 5, NetworkName.isValid(name) else { return nil }
        let genesis: Genesis
        switch parts[0] {
        case ProtocolID.algorand.name:
            guard let hash = try? Base64.decode(parts[2]), hash.count == 32 else { return nil }
            genesis = .algorand(id: parts[1], hash: hash)
        case ProtocolID.near.name:
            guard let hash = try? Base58.decode(parts[2]), hash.count == 32 else { return nil }
            genesis = .near(NEARGenesis(chainID: parts[1], hash: hash))
        default: return nil
        }
        self.init(checked: name, genesis, parts[3], parts[4].isEmpty ? nil : parts[4])
    }
}
