// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy

/// The whole command `countersign`.
public enum CommandLineTool {
    /// The version all parts share.
    public static let version = "0.1.0"

    static let commands: [Command] =
        [initialise, passphraseChange] + keyCommands + [handle, openCallback, verify]
        + nearCommands + algorandCommands + policyCommands + grantCommands
        + auditCommands + freezeCommands + [doctor, completions]

    /// Runs one command line, without the program's own name, and returns the exit status.
    public static func run(_ words: [String]) async -> Int32 {
        let console = Console(isQuiet: false, isJSON: words.contains("--json"))
        do throws(CLIError) {
            let status = try await status(of: words[...], console)
            // A reply that nobody got is no answer, although it is on record.
            if Console.hasLostOutput, status == .done {
                throw CLIError(
                    "standard output could not be written", hint: "is the disk full, or closed?")
            }
            return status.rawValue
        } catch {
            console.complain(error.message, hint: error.hint)
            return error.status.rawValue
        }
    }

    private static func status(
        of words: ArraySlice<String>, _ console: Console
    ) async throws(CLIError) -> ExitStatus {
        var words = words
        if let help = help(words) {
            console.put(help)
            return words.isEmpty ? .usage : .done
        }
        let command = try take(from: &words)
        do throws(CLIError) {
            let arguments = try Arguments(words, options: command.options + Option.global)
            guard command.operands.contains(arguments.operands.count) else {
                throw .usage(
                    "\(command.name): wrong number of arguments",
                    hint: "usage: \(command.synopsis)")
            }
            let invocation = Invocation(
                arguments: arguments,
                console: Console(
                    isQuiet: arguments.has("--quiet"), isJSON: arguments.has("--json")),
                environment: Environment())
            return try await command.run(invocation)
        } catch {
            // Where the reply of a wire is due, nothing else stands on standard output.
            if console.isJSON, !command.answersWire, !Console.hasOutput {
                console.put(error.json.write())
            }
            throw error
        }
    }

    /// The text to print where help or the version is asked for, wherever the word stands.
    private static func help(_ words: ArraySlice<String>) -> String? {
        let asked = words.prefix { $0 != "--" }
        if asked.contains("--version"), !asked.contains(where: { !$0.hasPrefix("-") }) {
            return "countersign \(version)"
        }
        let isHelp = asked.contains("--help") || asked.contains("-h") || asked.first == "help"
        guard words.isEmpty || isHelp else { return nil }
        let named = asked.filter { !$0.hasPrefix("-") && $0 != "help" }
        let matching = commands.filter { command in
            named.starts(with: command.name.split(separator: " ").map(String.init))
                || command.name.split(separator: " ").map(String.init).starts(with: named)
        }
        guard !named.isEmpty, !matching.isEmpty else { return overview }
        return matching.map(\.usage).joined(separator: "\n\n")
    }

    /// Takes the command's words off the front; global options may stand before them.
    private static func take(from words: inout ArraySlice<String>) throws(CLIError) -> Command {
        var skipped: [String] = []
        while let word = words.first, word.hasPrefix("-") {
            skipped.append(words.removeFirst())
            let takesValue = Option.global.contains { $0.name == word && $0.value != nil }
            if takesValue, let value = words.popFirst() { skipped.append(value) }
        }
        let matching = commands.first { command in
            words.starts(with: command.name.split(separator: " ").map(String.init))
        }
        guard let command = matching else {
            let named = words.prefix(2).filter { !$0.hasPrefix("-") }
            guard !named.isEmpty else {
                throw .usage("no command is given", hint: "see \"countersign --help\"")
            }
            throw unknown(named.joined(separator: " "))
        }
        words = skipped + words.dropFirst(command.name.split(separator: " ").count)
        return command
    }

    private static func unknown(_ text: String) -> CLIError {
        let names = commands.map(\.name)
        let first = text.split(separator: " ").first.map(String.init) ?? ""
        let group = names.filter { $0.hasPrefix(first + " ") }
        if !group.isEmpty {
            let known = group.map { $0.dropFirst(first.count + 1) }.joined(separator: ", ")
            return .usage(
                text == first
                    ? "\"\(first)\" needs another word"
                    : "unknown command \"\(VisibleText.escaped(text))\"",
                hint:
                    "\(first) knows: \(known)"
            )
        }
        let near =
            Suggestion.closest(to: text, among: names)
            ?? Suggestion.closest(to: first, among: names)
        return .usage(
            "unknown command \"\(VisibleText.escaped(text))\"",
            hint: near.map { "did you mean \"\($0)\"?" } ?? "see \"countersign --help\"")
    }

    static var overview: String {
        let lines = commands.map { "  countersign " + $0.synopsis.dropFirst("countersign ".count) }
        return """
            countersign \(version): one signer for many protocols, one policy for all

            usage:
            \(lines.joined(separator: "\n"))

            every command: --home DIR  --passphrase-fd N  --json  --quiet  --help
            exit status: 0 done or answered, 1 failed, 3 denied, 64 usage
            example: countersign handle request.json
            """
    }
}
