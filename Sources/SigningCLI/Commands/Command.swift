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

/// One command with its name, its arguments, all of its texts and its body.
struct Command {
    /// A property that few commands have.
    enum Trait {
        /// Standard output carries only the reply of the wire.
        case answersWire
        /// Only programs start the command; completions leave it out.
        case isForPrograms
        /// A person may type a secret as an operand by mistake.
        case takesSecrets
    }

    /// The words of the command, such as `key new`.
    let name: String
    /// The options of this command besides the global ones.
    let options: [Option]
    /// The number of operands.
    let operands: ClosedRange<Int>
    /// The values that completions offer for each operand, in order; a missing one is free text.
    var operandOffers: [OfferedValues] = []
    /// The properties that few commands have.
    var traits: Set<Trait> = []
    /// The line about the command in lists.
    let summary: String
    /// The usage text, one literal with an example.
    let usage: String
    /// Runs the command and returns its exit status.
    let run: @Sendable (Invocation) async throws -> ExitStatus

    /// The words of the name, one by one.
    var words: [String] { name.split(separator: " ").map(String.init) }

    /// The paragraphs of the usage text between the usage line and the example.
    var description: [[Substring]] {
        FittedHelp.paragraphs(of: usage).dropFirst().filter {
            $0.first?.hasPrefix("example:") != true && $0.first?.hasPrefix("options:") != true
        }
    }
}

extension Command {
    /// Creates the command of an act, which names it and has its arguments.
    ///
    /// `offers` are the completions for the operands after the subject.
    init(
        of act: some DescribedAct, options: [Option] = [], operands: ClosedRange<Int>,
        offers: [OfferedValues] = [],
        usage: String, run: @escaping @Sendable (Invocation) async throws -> ExitStatus
    ) {
        let act = act.description
        let subject = act.subject.map { OfferedValues($0) }
        let hasOperands = act.arguments.contains { $0.form == .operand }
        let subjects = subject.map {
            Array(repeating: $0, count: hasOperands ? 1 : operands.upperBound)
        }
        self.init(
            name: act.name,
            options: act.arguments.compactMap(Option.init) + options,
            operands: operands,
            operandOffers: (subjects ?? []) + offers,
            summary: act.summary, usage: usage, run: run)
    }
}

extension Option {
    /// The option of an argument of an act; nil for an operand.
    fileprivate init?(_ argument: ActDescription.Argument) {
        switch argument.form {
        case .flag: self.init(name: "--\(argument.name)", value: nil)
        case .option(let value): self.init(name: "--\(argument.name)", value: value)
        case .operand, .query: return nil
        }
    }
}

/// A parsed command line.
struct Invocation: Sendable {
    let arguments: Arguments
    let console: Console
    let environment: Environment
    /// The chains and wires that this program supports.
    var supported = ProtocolSupport.builtIn

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
        try Passphrase(arguments, environment: environment)
    }
}
