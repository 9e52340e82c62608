// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import AlgorandCourier
import BuiltInProtocols
import SigningCore

/// The Algorand nodes to which transactions are sent, from the command line or the environment.
///
/// `Invocation.workspace` passes their networks to the adapter, which offers to send only on these.
enum AlgorandNodes {
    static let option = Option(name: "--algod", value: "URL")

    /// The networks that may have a node outside the vault.
    static let networks: [AlgorandNetwork] = [.mainnet, .testnet]

    /// The networks that have a node.
    static func postingNetworks(_ invocation: Invocation) -> [AlgorandNetwork] {
        let addresses = addresses(invocation)
        return networks.filter { addresses[$0.policyName] != nil }
    }

    /// A node on the command line applies to every network; the node itself reports its network.
    static func nodes(_ invocation: Invocation, and added: AddedNetworks) -> [AlgorandNode] {
        let token = token(invocation)
        let addresses = addresses(invocation)
        let builtIn = networks.compactMap { network in
            addresses[network.policyName].map {
                AlgorandNode(Algod(url: $0, token: token), on: network)
            }
        }
        let given = invocation.arguments.value(option.name)
        let others = added.list.compactMap { network in
            network.algorand.map {
                // A token goes only to the node that it was given for.
                let algod =
                    given.map { Algod(url: $0, token: token) }
                    ?? Algod(url: network.url, token: network.token)
                return AlgorandNode(algod, on: $0)
            }
        }
        return builtIn + others
    }

    /// The network with a name or a genesis id; throws for an unknown one.
    static func network(named name: String, _ invocation: Invocation) throws -> AlgorandNetwork {
        if let known = networks.first(where: { [$0.policyName, $0.genesisID].contains(name) }) {
            return known
        }
        let added = try invocation.addedNetworks(for: name)
        guard let network = added.network(named: name)?.algorand else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(name))\" is not a network of Algorand",
                hint: "one of: "
                    + (networks.map(\.policyName) + added.names(of: .algorand)).joined(
                        separator: ", "))
        }
        return network
    }

    /// The access token of the nodes; a low-value secret, as every local user can read a command
    /// line.
    static func token(_ invocation: Invocation) -> String? {
        invocation.environment["COUNTERSIGN_ALGOD_TOKEN"]
    }

    /// The addresses of the nodes, by network.
    static func addresses(_ invocation: Invocation) -> [String: String] {
        var addresses: [String: String] = [:]
        for network in networks.map(\.policyName) {
            addresses[network] =
                invocation.arguments.value(option.name)
                ?? invocation.environment[variable(network)]
        }
        return addresses
    }

    static let askHint = "are the URL of the Algorand node and its token right?"

    /// The node of a network; throws if there is none.
    static func node(
        of network: AlgorandNetwork, _ invocation: Invocation
    ) throws -> AlgorandNode {
        let added = try invocation.addedNetworks(for: network.policyName)
        let node = nodes(invocation, and: added).first { $0.network == network }
        guard let node else {
            throw CLIError(
                "no node of \(network.policyName) is known", hint: hint(network.policyName))
        }
        return node
    }

    /// The hint for a network without a node.
    static func hint(_ network: String) -> String {
        guard networks.contains(where: { $0.policyName == network }) else {
            return NetworkText.hint
        }
        return "give --algod URL, or set \(variable(network))"
    }

    private static func variable(_ network: String) -> String {
        "COUNTERSIGN_ALGOD_\(network.uppercased())"
    }
}
