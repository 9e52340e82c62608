// SPDX-License-Identifier: Apache-2.0

import SigningTerminal

/// A word that a person types, or gives with --confirm, before an irreversible act.
struct Confirmation {
    private let word: String
    /// The text that says what stays unchanged after a refusal.
    private let refused: String

    /// The option `--confirm` for the name of what the act concerns.
    static let option = Option(name: "--confirm", value: "NAME")
    /// The option `--confirm` for questions of several words.
    static let wordsOption = Option(name: "--confirm", value: "WORDS")

    init(of word: String, before refused: String) {
        self.word = word
        self.refused = refused
    }

    /// Throws unless the word is given; a terminal shows the consequences first.
    func read(_ invocation: Invocation, showing text: () -> String) throws {
        let refusal = CLIError("\(refused): the name does not match", hint: "nothing was done")
        if let given = invocation.arguments.value(Self.option.name) {
            guard given == word else { throw refusal }
            return
        }
        guard let terminal = Terminal() else {
            throw CLIError(
                "\(refused): there is no terminal to confirm on",
                hint: "to do it anyway: \(Self.option.name) \(word)")
        }
        let deadline = ContinuousClock.now + .seconds(Self.secondsMax)
        let turn = terminal.takeTurn(until: deadline)
        defer { withExtendedLifetime(turn) {} }
        guard turn != nil else {
            throw CLIError(
                "another process is asking a question on this terminal",
                hint: "answer it, then try again")
        }
        terminal.show(text())
        guard
            case .line(let typed) = terminal.ask(
                "type \"\(word)\" to go on: ", until: deadline),
            typed == word.lowercased()
        else { throw refusal }
    }

    /// The time to type the word, in seconds.
    private static let secondsMax: Int64 = 120
}
