// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import NEAR
import SigningCodecs
import SigningCore
import SigningVault

/// The texts about added networks.
enum NetworkText {
    /// The hint for a network without a node.
    static let hint = "see \"countersign network list\", or add it: countersign network add"

    /// The hint for a network whose node has another genesis than when it was added.
    static func resetHint(_ name: String) -> String {
        "if you reset it: countersign network remove \(name), then add it again"
    }

    /// The names of the networks of a home, with the genesis ids of the added ones.
    static func named(in vault: Vault) throws -> [String: String?] {
        let added = try AddedNetworks(in: vault).list.map { ($0.name, Optional($0.genesisID)) }
        return Dictionary(added + [("mainnet", nil), ("testnet", nil)]) { first, _ in first }
    }

    /// The address of a node without its path, which may contain a secret of the provider.
    static func place(_ url: String) -> String {
        let parts = url.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        return VisibleText.escaped(parts.prefix(3).joined(separator: "/"))
    }
}

extension AddedNetwork {
    /// The network as JSON, without secrets of its node.
    var json: JSON {
        [
            "name": .string(name), "protocol": .string(protocolID.name),
            "genesis_id": .string(genesisID), "genesis_hash": .string(hashText),
            "node": .string(NetworkText.place(url)), "token": .bool(token != nil),
        ]
    }

    /// The parts that the node reported, each in a line.
    var lines: [String] {
        let word = protocolID == .near ? "chain id" : "genesis id"
        return [
            "network       \(name) (\(protocolID))",
            word + String(repeating: " ", count: 14 - word.count) + VisibleText.escaped(genesisID),
            "genesis hash  \(hashText)", "node          \(NetworkText.place(url))",
        ]
    }

    /// The network in one line.
    var row: String {
        "\(name)  \(protocolID)  \(VisibleText.escaped(genesisID))  \(hashText)  "
            + NetworkText.place(url)
    }
}
