// SPDX-License-Identifier: Apache-2.0

import ARC27
import AlgorandCourier
import AllAdapters
import NEARCourier
import SigningCore
import SigningService

/// One command: its words, what it reads, what it prints for --help, and what it does.
struct Command {
    /// The words that call it, such as `key new`.
    let name: String
    /// The options it knows beyond the global ones.
    let options: [Option]
    /// How many operands it takes.
    let operands: ClosedRange<Int>
    /// The usage text; one literal with an example.
    let usage: String
    /// What it does; returns how it ended.
    let run: @Sendable (Invocation) async throws(CLIError) -> ExitStatus

    /// The words that call it, one by one.
    var words: [String] { name.split(separator: " ").map(String.init) }

    /// Whether standard output belongs to the wire alone.
    var answersWire: Bool { name == "handle" || name == "open" }

    /// Whether only programs start it: nobody looks for it.
    var isForPrograms: Bool { name == "browser-host" }
}

/// A command line that was understood.
struct Invocation: Sendable {
    let arguments: Arguments
    let console: Console
    let environment: Environment
    /// What is spoken here.
    var protocols = ProtocolSupport.builtIn

    /// The wires that are spoken, as they are without a home.
    var adapters: AdapterSet { protocols.adapters() }

    /// The operand at a place that the command's range guarantees.
    func operand(_ index: Int) throws(CLIError) -> String {
        guard arguments.operands.indices.contains(index) else {
            throw .usage("an argument is missing", hint: arguments.helpHint)
        }
        return arguments.operands[index]
    }

    /// The home; one that is to be changed is this command's alone as long as it works.
    ///
    /// A command that only reads refuses files of an older format; one that writes or changes
    /// brings them to this version's.
    func workspace(
        toChange isToChange: Bool = false, toWrite isToWrite: Bool = false
    ) throws(CLIError) -> Workspace {
        try Workspace(
            path: try environment.home(arguments), protocols, isToChange: isToChange,
            onlyReads: !isToWrite,
            takesDropBoxes: arguments.has("--drop-box"),
            postsAnswers: arguments.command == CommandLineTool.openCallback.name,
            postingNetworks: AlgorandNodes.nodes(self).map(\.network))
    }

    /// Those that go to the nodes named on the command line or in the environment.
    func couriers() throws(CLIError) -> [any Courier] {
        [
            NEARCourier(nodes: try NEARNodes.nodes(self)),
            AlgorandCourier(nodes: AlgorandNodes.nodes(self)),
        ]
    }

    func passphrase() throws(CLIError) -> Passphrase {
        try Passphrase(arguments, environment: environment)
    }
}
