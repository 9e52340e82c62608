// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningPolicy

/// The whole command `countersign`.
public enum CommandLineTool {
    /// The version all parts share.
    public static let version = "0.1.0"

    static let commands: [Command] =
        [initialise, passphraseChange] + keyCommands + [handle, openCallback, verify]
        + policyCommands
        + auditCommands + freezeCommands + [doctor, completions]

    /// Runs one command line, without the program's own name, and returns the exit status.
    public static func run(_ words: [String]) async -> Int32 {
        var words = words[...]
        if words.isEmpty || words == ["help"] || words == ["--help"] || words == ["-h"] {
            Console(isQuiet: false, isJSON: false).put(overview)
            return words.isEmpty ? ExitStatus.usage.rawValue : ExitStatus.done.rawValue
        }
        if words == ["--version"] {
            Console(isQuiet: false, isJSON: false).put("countersign \(version)")
            return ExitStatus.done.rawValue
        }
        do throws(CLIError) {
            let command = try take(from: &words)
            let arguments = try Arguments(words, options: command.options + Option.global)
            let console = Console(
                isQuiet: arguments.has("--quiet"), isJSON: arguments.has("--json"))
            guard !arguments.has("--help") else {
                console.put(command.usage)
                return ExitStatus.done.rawValue
            }
            guard command.operands.contains(arguments.operands.count) else {
                throw .usage(
                    "\(command.name): wrong number of arguments",
                    hint: "usage: \(command.synopsis)")
            }
            let invocation = Invocation(
                arguments: arguments, console: console, environment: Environment())
            return try await command.run(invocation).rawValue
        } catch {
            Console(isQuiet: false, isJSON: false).complain(error.message, hint: error.hint)
            return error.status.rawValue
        }
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
            throw unknown(words.prefix(2).joined(separator: " "))
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
            example: countersign handle 'nostrsigner://get_public_key?type=get_public_key&...'
            """
    }
}
