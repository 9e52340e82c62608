// SPDX-License-Identifier: Apache-2.0

import Algorand
import AlgorandCourier
import BuiltInProtocols
import NEAR
import NEARCourier
import SigningCore
import SigningFiles
import SigningService
import SigningWires

/// A parsed command line.
struct Invocation: Sendable {
    let arguments: Arguments
    let console: Console
    let environment: Environment
    /// The chains and wires that this program supports.
    var supported = ProtocolSupport.builtIn
    /// The passphrase that an outer command read for this one.
    var kept: KeptPassphrase?

    /// The chains and wires, as this command line configures them.
    var protocols: ProtocolSupport {
        supported.with(
            BuiltInWires(
                takesDropBoxes: arguments.has("--drop-box"),
                postsAnswers: arguments.command == CommandLineTool.openCallback.name,
                postingNetworks: AlgorandNodes.postingNetworks(self)))
    }

    /// The adapters of all wires, with the settings of a program without a home.
    var adapters: AdapterSet { protocols.adapters }

    /// The operand at an index that the range of the command guarantees.
    func operand(_ index: Int) throws -> String {
        guard arguments.operands.indices.contains(index) else {
            throw CLIError.usage("an argument is missing", hint: arguments.helpHint)
        }
        return arguments.operands[index]
    }

    /// Opens the home; a command that changes it locks it against other commands.
    ///
    /// A command that only reads refuses files of an older format. One that writes migrates them to
    /// the current format.
    func workspace(
        toChange isToChange: Bool = false, toWrite isToWrite: Bool = false
    ) throws -> Workspace {
        try Workspace(
            path: try environment.home(arguments), protocols, isToChange: isToChange,
            onlyReads: !isToWrite)
    }

    /// Checks the folder of the home without opening a file of it.
    func checkedHome() throws -> Home {
        let path = try environment.home(arguments)
        return try Home.open(at: path)
    }

    /// The couriers of all chains with networks.
    func couriers(and added: AddedNetworks) -> [any Courier] {
        [.near, .algorand].compactMap { courier(of: $0, and: added) }
    }

    /// Returns the courier of a chain, with the nodes named on the command line, in the environment
    /// or with an added network; nil for a chain without networks.
    func courier(of protocolID: ProtocolID, and added: AddedNetworks) -> (any Courier)? {
        switch protocolID {
        case .near: NEARCourier(nodes: NEARNodes.nodes(self, and: added))
        case .algorand: AlgorandCourier(nodes: AlgorandNodes.nodes(self, and: added))
        default: nil
        }
    }

    /// The added networks of the home; none for a built-in network, which needs no home.
    func addedNetworks(for name: String) throws -> AddedNetworks {
        guard !["mainnet", "testnet"].contains(name) else { return AddedNetworks([:]) }
        return try AddedNetworks(in: workspace().vault)
    }

    /// Returns the network that a key of a chain is bound to, or nil for all; refuses unknown ones.
    func network(_ given: String?, of chain: any Chain) throws -> String? {
        guard let given, !chain.networks.isEmpty else { return try chain.network(given) }
        let added = try addedNetworks(for: given)
        return try chain.network(given, and: added.names(of: chain.protocolID))
    }

    func passphrase() throws -> Passphrase {
        try Passphrase(arguments, environment: environment, keeping: kept)
    }
}
