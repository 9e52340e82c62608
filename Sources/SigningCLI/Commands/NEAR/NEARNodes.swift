// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import NEAR
import NEARCourier

/// The NEAR nodes that a command may use, from the command line or the environment.
enum NEARNodes {
    static let option = Option(name: "--rpc", value: "URL")

    /// A node on the command line applies to every network; the node itself reports its network.
    static func nodes(
        _ invocation: Invocation, and added: AddedNetworks
    ) -> [String: NEARRPC] {
        var nodes = addresses(invocation).mapValues { NEARRPC(url: $0) }
        for network in added.list {
            guard let genesis = network.near else { continue }
            nodes[network.name] = NEARRPC(
                url: invocation.arguments.value(option.name) ?? network.url, of: genesis)
        }
        return nodes
    }

    /// The addresses of the nodes outside the vault, by network.
    static func addresses(_ invocation: Invocation) -> [String: String] {
        var addresses: [String: String] = [:]
        for network in ["mainnet", "testnet"] {
            let name = "COUNTERSIGN_NEAR_\(network.uppercased())_RPC"
            addresses[network] =
                invocation.arguments.value(option.name) ?? invocation.environment[name]
        }
        return addresses
    }

    /// Refuses addresses that are not valid.
    static func check(_ invocation: Invocation, and added: AddedNetworks) throws {
        for (_, node) in nodes(invocation, and: added) {
            guard let problem = node.problem else { continue }
            throw CLIError(problem, hint: "check the URL of the NEAR node")
        }
    }

    /// The node of a network; throws if there is none.
    static func node(_ network: String, _ invocation: Invocation) throws -> NEARRPC {
        let added = try invocation.addedNetworks(for: network)
        guard let node = nodes(invocation, and: added)[network] else {
            throw CLIError(
                "no node of \(network) is known",
                hint: hint(network))
        }
        return node
    }

    /// The network of a call: the named one, or that of the account that will sign it.
    static func network(_ invocation: Invocation) async throws -> String {
        let held = try await CommandHome(invocation).keys(of: .near)
        return network(
            of: invocation.arguments.value("--account"), among: held, invocation.arguments)
    }

    /// The network of an account, of any account for nil: the named one, or the only one that its
    /// keys here are for, or mainnet.
    static func network(
        of account: String?, among held: [HeldKey], _ arguments: Arguments
    ) -> String {
        if let network = arguments.value("--network") { return network }
        let own = Set(held.filter { account == nil || $0.address == account }.map(\.network))
        return own.count == 1 ? own.first.flatMap(\.self) ?? "mainnet" : "mainnet"
    }

    /// The hint for a network without a node.
    static func hint(_ network: String) -> String {
        guard NEARNetwork.isBuiltIn(network) else { return NetworkText.hint }
        return "give --rpc URL, or set COUNTERSIGN_NEAR_\(network.uppercased())_RPC"
    }

    static let askHint = "check the RPC URL and that the node runs"
}

extension CLIError {
    init(_ error: RPCError) {
        let hint: String
        switch error {
        case .anotherNetwork(let actual, _) where NEARNetwork.isBuiltIn(actual):
            hint = "add --network \(actual), or give another --rpc"
        case .anotherNetwork(_, let wanted): hint = "give a node of \(wanted) with --rpc"
        case .anotherGenesis(let wanted): hint = NetworkText.resetHint(wanted)
        case .unknownAccount, .server: hint = "check the account ids and the network"
        default: hint = NEARNodes.askHint
        }
        self.init(error.text, hint: hint)
    }
}
