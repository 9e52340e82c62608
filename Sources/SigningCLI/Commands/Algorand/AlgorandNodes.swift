// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import AlgorandCourier

/// The Algorand nodes that transactions may be posted to, from the command line or the environment.
///
/// The networks they are for are those that posting is offered on: `Invocation.workspace` tells
/// the adapter.
enum AlgorandNodes {
    static let option = Option(name: "--algod", value: "URL")

    /// The networks that may have a node.
    static let networks: [AlgorandNetwork] = [.mainnet, .testnet]

    /// A node named on the command line counts for every network; it says itself which it is on.
    static func nodes(_ invocation: Invocation) -> [AlgorandNode] {
        let token = token(invocation)
        let addresses = addresses(invocation)
        return networks.compactMap { network in
            addresses[network.policyName].map {
                AlgorandNode(Algod(url: $0, token: token), on: network)
            }
        }
    }

    /// What nodes let in by; a secret of low grade: anybody on the machine could read a command
    /// line.
    static func token(_ invocation: Invocation) -> String? {
        invocation.environment["COUNTERSIGN_ALGOD_TOKEN"]
    }

    /// Where they are, by network.
    static func addresses(_ invocation: Invocation) -> [String: String] {
        var addresses: [String: String] = [:]
        for network in networks.map(\.policyName) {
            addresses[network] =
                invocation.arguments.value(option.name)
                ?? invocation.environment[variable(network)]
        }
        return addresses
    }

    /// What to do where there is none of a network.
    static func hint(_ network: String) -> String {
        "give --algod URL, or set \(variable(network))"
    }

    private static func variable(_ network: String) -> String {
        "COUNTERSIGN_ALGOD_\(network.uppercased())"
    }
}
