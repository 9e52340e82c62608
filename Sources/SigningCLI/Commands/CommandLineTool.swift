// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Glibc
import PostgresLog
import SigningCodecs
import SigningCore
import SigningPolicy
public import SigningService

/// The command-line program `countersign`.
public enum CommandLineTool {
    /// The version that all parts share.
    public static let version = ProductVersion.number

    /// All commands: those of the topics, and those that only programs start.
    static let commands = Topic.sections.flatMap(\.topics).flatMap(\.commands) + [browserHost]

    /// Runs the command line of this process, then ends the process; hardens it first.
    ///
    /// The program supports `protocols` besides the built-in ones.
    public static func main(adding protocols: ProtocolSupport? = nil) async -> Never {
        ProcessHardening.apply()
        exit(await run(Array(CommandLine.arguments.dropFirst()), adding: protocols))
    }

    /// Runs one command line without the program name and returns the exit status.
    public static func run(
        _ words: [String], adding protocols: ProtocolSupport? = nil
    ) async -> Int32 {
        let protocols = protocols.map { .builtIn + $0 } ?? .builtIn
        PostgresLogs.register
        let isJSON = words.prefix { $0 != "--" }.contains("--json")
        let console = Console(isQuiet: false, isJSON: isJSON)
        var command: Command?
        do {
            try SecretArguments.check(words)
            if let help = try Help.asked(words, speaking: protocols) {
                console.put(help)
                return (words.isEmpty ? ExitStatus.usage : .done).rawValue
            }
            let (found, rest) = try take(from: words[...])
            command = found
            let status = try await run(found, rest, protocols)
            if isJSON, !found.traits.contains(.answersWire), !Console.hasOutput {
                console.put((["ok": .bool(status == .done)] as JSON).write())
            }
            // The reply is on record, but the client did not receive it.
            if Console.hasLostOutput, status == .done {
                throw CLIError(
                    "standard output could not be written",
                    hint: found.traits.contains(.answersWire)
                        ? "the request was answered anyway: see \"countersign audit list\""
                        : "check that the disk is not full and that the output is not closed")
            }
            return status.rawValue
        } catch {
            let error = CLIError(error)
            if let reply = error.reply { console.put(reply) }
            // Standard output is reserved for the reply of a wire.
            if isJSON, command?.traits.contains(.answersWire) != true, !Console.hasOutput {
                console.put(error.json.write())
            }
            console.complain(error.message, hint: error.hint)
            return error.status.rawValue
        }
    }

    private static func run(
        _ command: Command, _ words: [String], _ protocols: ProtocolSupport
    ) async throws -> ExitStatus {
        let arguments = try Arguments(
            words, options: command.options + Option.global, of: command.name)
        try arguments.checkGlobal()
        guard command.operands.contains(arguments.operands.count) else {
            if let slip = slip(after: command, arguments.operands) { throw slip }
            throw command.wrongOperands(arguments.operands)
        }
        let invocation = Invocation(
            arguments: arguments,
            console: Console(
                isQuiet: arguments.has("--quiet"), isJSON: arguments.has("--json")),
            environment: Environment(), supported: protocols)
        return try await command.run(invocation)
    }

    /// Runs a command line within another command, with the passphrase that was kept for it.
    static func run(
        _ words: [String], within outer: Invocation, _ passphrase: KeptPassphrase
    ) async throws -> ExitStatus {
        let (command, rest) = try take(from: words[...])
        var inner = Invocation(
            arguments: try Arguments(
                rest, options: command.options + Option.global, of: command.name),
            console: Console(isQuiet: outer.console.isQuiet, isJSON: false),
            environment: outer.environment, supported: outer.supported)
        inner.kept = passphrase
        return try await command.run(inner)
    }

    /// Removes the words of a command from the front; global options may come before them.
    private static func take(
        from words: ArraySlice<String>
    ) throws -> (command: Command, rest: [String]) {
        let (skipped, rest) = withoutGlobalOptions(words)
        guard let command = commands.first(where: { rest.starts(with: $0.words) }) else {
            if rest.isEmpty, let last = skipped.last,
                let option = Option.global.first(where: { $0.name == last }), option.value != nil
            {
                throw option.valueMissing
            }
            let named = Array(rest.prefix { !$0.hasPrefix("-") })
            guard !named.isEmpty else {
                throw CLIError.usage("the command is missing", hint: "see \"countersign --help\"")
            }
            throw unknown(named)
        }
        return (command, skipped + rest.dropFirst(command.words.count))
    }

    /// Splits the global options before a command from the rest.
    static func withoutGlobalOptions(
        _ words: ArraySlice<String>
    ) -> (skipped: [String], rest: [String]) {
        var rest = words
        var skipped: [String] = []
        while let word = rest.first, word.hasPrefix("-") {
            skipped.append(rest.removeFirst())
            let takesValue = Option.global.contains { $0.name == word && $0.value != nil }
            if takesValue, let value = rest.popFirst() { skipped.append(value) }
        }
        return (skipped, Array(rest))
    }

    /// The error for words that begin no command.
    static func unknown(_ named: [String]) -> CLIError {
        let first = named[0]
        let group = commands.filter { $0.words.first == first }
        if !group.isEmpty, named.count == 1 {
            let known = group.map { $0.words.dropFirst().joined(separator: " ") }
            return .usage(
                "\"\(first)\" needs a second word",
                hint: "\(first) knows: \(known.joined(separator: ", "))")
        }
        let deeper = commands.map(\.words).filter {
            $0.count > named.count && $0.starts(with: named)
        }
        if !deeper.isEmpty {
            return .usage(
                "\"\(named.joined(separator: " "))\" needs a further word",
                hint: "it knows: \(deeper.map { $0[named.count] }.joined(separator: ", "))")
        }
        // The words after a command are not part of the typing error.
        let slips = [2, 1].filter { $0 <= named.count }.compactMap { count in
            let text = named.prefix(count).joined(separator: " ")
            let known = commands.filter { $0.words.count == count }.map(\.name)
            let turned = named.prefix(count).reversed().joined(separator: " ")
            return known.contains(turned) ? turned : Suggestion.closest(to: text, among: known)
        }
        let topics = Suggestion.closest(to: first, among: commands.compactMap(\.words.first))
        let second = commands.filter { $0.words.count == 2 && $0.words[1] == first }.map(\.name)
        let others = second.isEmpty ? nil : second.prefix(3).joined(separator: "\" or \"")
        let seen = group.isEmpty ? "see \"countersign --help\"" : topicHint(first)
        let text = named.prefix(2).joined(separator: " ")
        return .usage(
            "unknown command \"\(VisibleText.quotable(text))\"",
            hint: (slips.first ?? (group.isEmpty ? topics ?? others : nil)).map {
                "did you mean \"\($0)\"?"
            } ?? seen)
    }

    /// The error for operands that name another command, where this command takes no operands.
    private static func slip(after command: Command, _ operands: [String]) -> CLIError? {
        let known = commands.map(\.words)
            .filter { $0.count > command.words.count && $0.starts(with: command.words) }
            .map { $0[command.words.count] }
        guard command.operands.upperBound == 0, let word = operands.first, !known.isEmpty else {
            return nil
        }
        let closest = Suggestion.closest(to: word, among: known)
        return .usage(
            "unknown command \"\(command.name) \(VisibleText.quotable(word))\"",
            hint: closest.map { "did you mean \"\(command.name) \($0)\"?" }
                ?? "\(command.name) knows: \(known.joined(separator: ", "))")
    }

    private static func topicHint(_ word: String) -> String {
        "see \"countersign \(word) --help\""
    }
}
