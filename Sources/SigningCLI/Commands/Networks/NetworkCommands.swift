// SPDX-License-Identifier: Apache-2.0

import AlgorandCourier
import BuiltInProtocols
import NEAR
import NEARCourier
import SigningCodecs
import SigningCore
import SigningNetwork
import SigningService

extension CommandLineTool {
    static let networkCommands = [networkAdd, networkList, networkRemove]

    private static let networkAdd = Command(
        name: "network add", options: [AlgorandNodes.option, NEARNodes.option], operands: 1...2,
        summary: "add a network besides mainnet and testnet",
        usage: """
            usage: countersign network add --algod URL NAME
                   countersign network add --rpc URL NAME
                   countersign network add localnet

            Adds the network of a node, after the passphrase, and shows its genesis before. From
            then on requests for this genesis are answered, rules and questions call the network
            NAME, and its transactions are sent to the node. The node is asked for its genesis each
            time, so a network that was reset has to be removed and added again.

            --algod is a node of Algorand; if it needs an access token, set COUNTERSIGN_ALGOD_TOKEN.
            --rpc is a node of NEAR; only keys that are bound to the network (key new --network
            NAME) sign for it. Without either, localnet is AlgoKit's LocalNet at
            http://localhost:4001, with its well-known token. The agent must not run.

            example: countersign network add localnet
            """
    ) { invocation in
        let name = try invocation.operand(0)
        guard invocation.arguments.operands.count == 1 else {
            throw CLIError.usage(
                "the command takes one NAME; a token does not belong among the arguments, which "
                    + "the shell's history keeps", hint: "set COUNTERSIGN_ALGOD_TOKEN")
        }
        let workspace = try invocation.workspace(toChange: true)
        try AgentRoute.refuseWhileRunning(workspace, "a network is added")
        let added = try AddedNetworks(in: workspace.vault)
        try added.checkName(name)
        let network = try await network(name, invocation)
        try added.checkRoom(for: network)
        for line in network.lines { invocation.console.note(line) }
        let passphrase = try invocation.passphrase().read(to: "add the network \"\(name)\"")
        try workspace.change(with: passphrase) { vault in try vault.add(network) }
        if invocation.console.isQuiet, !invocation.console.isJSON { invocation.console.put(name) }
        invocation.console.done(["added": network.json], "added: \(network.row)")
        return .done
    }

    /// Asks the node of a new network for its genesis.
    private static func network(
        _ name: String, _ invocation: Invocation
    ) async throws -> AddedNetwork {
        let arguments = invocation.arguments
        switch (arguments.value(AlgorandNodes.option.name), arguments.value(NEARNodes.option.name))
        {
        case (let url?, nil):
            return try await algorand(name, at: url, AlgorandNodes.token(invocation))
        case (nil, let url?): return try await near(name, at: url)
        case (nil, nil) where name == LocalNet.name:
            return try await algorand(name, at: LocalNet.url, LocalNet.token)
        case (nil, nil):
            throw CLIError.usage(
                "the node of the network is missing",
                hint: "give --algod URL for Algorand, or --rpc URL for NEAR")
        case (.some, .some):
            throw CLIError.usage(
                "--algod and --rpc are nodes of different chains", hint: "give one of them")
        }
    }

    private static func algorand(
        _ name: String, at url: String, _ token: String?
    ) async throws -> AddedNetwork {
        let algod = Algod(url: url, token: token)
        let hint =
            url == LocalNet.url
            ? "start it with \"algokit localnet start\"" : AlgorandNodes.askHint
        do throws(HTTPError) { try algod.check() } catch { throw CLIError(error.text, hint: hint) }
        let found: (id: String, hash: [UInt8])
        do throws(AlgodError) { found = try await algod.genesis() } catch {
            throw CLIError(error.text, hint: hint)
        }
        return try AddedNetwork(
            name: name, .algorand(id: found.id, hash: found.hash), url: url, token: token)
    }

    private static func near(_ name: String, at url: String) async throws -> AddedNetwork {
        let node = NEARRPC(url: url)
        if let problem = node.problem {
            throw CLIError(problem, hint: "check the URL of the NEAR node")
        }
        let genesis: NEARGenesis
        do throws(RPCError) { genesis = try await node.readGenesis() } catch {
            throw CLIError(error.text, hint: NEARNodes.askHint)
        }
        return try AddedNetwork(name: name, .near(genesis), url: url)
    }

    private static let networkList = Command(
        name: "network list", options: [], operands: 0...0,
        summary: "list the networks that were added",
        usage: """
            usage: countersign network list

            Lists the added networks: name, chain, genesis id (of NEAR: chain id), genesis hash and
            node, without the path of its URL. --quiet lists the names. No node is asked, and the
            list is read without the passphrase.

            example: countersign network list --json
            """
    ) { invocation in
        let console = invocation.console
        let added = try AddedNetworks(in: try invocation.workspace().vault)
        for name in added.unreadable {
            console.warn(
                "the network \"\(VisibleText.quotable(name))\" cannot be read",
                hint: "countersign network remove NAME, then add it again")
        }
        guard !console.isJSON else {
            console.put(JSON.array(added.list.map(\.json)).write())
            return .done
        }
        for network in added.list { console.put(console.isQuiet ? network.name : network.row) }
        if added.list.isEmpty {
            console.note("no network was added; mainnet and testnet are always known")
        }
        return .done
    }

    private static let networkRemove = Command(
        name: "network remove", options: [], operands: 1...1,
        summary: "remove a network that was added",
        usage: """
            usage: countersign network remove NAME

            Removes a network with its node and token, after the passphrase. Transactions for it
            are refused. Keys, rules and remembered answers for NAME stay, and count again for the
            next network that is added as NAME. The agent must not run.

            example: countersign network remove localnet
            """
    ) { invocation in
        let name = try invocation.operand(0)
        let workspace = try invocation.workspace(toChange: true)
        try AgentRoute.refuseWhileRunning(workspace, "a network is removed")
        let added = try AddedNetworks(in: workspace.vault)
        let known = added.list.map(\.name) + added.unreadable
        guard known.contains(name) else {
            throw CLIError(
                "unknown network \"\(VisibleText.quotable(name))\"",
                hint: Suggestion.closest(to: name, among: known).map { "did you mean \"\($0)\"?" }
                    ?? "see \"countersign network list\"")
        }
        let passphrase = try invocation.passphrase().read(to: "remove the network \"\(name)\"")
        try workspace.change(with: passphrase) { vault in try vault.removeNetwork(named: name) }
        if invocation.console.isQuiet, !invocation.console.isJSON { invocation.console.put(name) }
        invocation.console.done(["removed": .string(name)], "removed: \(name)")
        let bound = try workspace.accounts().filter { $0.network == name }.map(\.name)
        if !bound.isEmpty {
            invocation.console.note(
                "only for this network, so these keys sign no transactions now: "
                    + bound.joined(separator: ", "))
        }
        return .done
    }
}

/// The private network of AlgoKit, as `algokit localnet start` makes it.
enum LocalNet {
    static let name = "localnet"
    static let url = "http://localhost:4001"
    /// The token that AlgoKit gives every node, which protects nothing.
    static let token = String(repeating: "a", count: 64)
}
