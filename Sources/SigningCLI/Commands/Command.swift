// SPDX-License-Identifier: Apache-2.0

import SigningService

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
