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
    var couriers: [any Courier] { [.near, .algorand].compactMap(courier) }

    /// Returns the courier of a chain, with the nodes named on the command line or in the
    /// environment; nil for a chain without networks.
    func courier(of protocolID: ProtocolID) -> (any Courier)? {
        switch protocolID {
        case .near: NEARCourier(nodes: NEARNodes.nodes(self))
        case .algorand: AlgorandCourier(nodes: AlgorandNodes.nodes(self))
        default: nil
        }
    }

    func passphrase() throws -> Passphrase {
        try Passphrase(arguments, environment: environment, keeping: kept)
    }
}
