// SPDX-License-Identifier: Apache-2.0

import SigningService
import SigningWires

/// The texts of `--help`: the overview, one topic, or one command.
enum Help {
    /// The text to print if the command line asks for help or the version; nil otherwise.
    static func asked(_ words: [String], speaking protocols: ProtocolSupport) throws -> String? {
        let asked = words.prefix { $0 != "--" }
        guard !words.isEmpty else { return overview }
        let named = CommandLineTool.withoutGlobalOptions(asked[...]).rest
        if asked.contains("--version"), named.isEmpty {
            return asked.contains("--json")
                ? "{\"version\":\"\(CommandLineTool.version)\"}"
                : "countersign \(CommandLineTool.version)"
        }
        guard asked.contains("--help") || asked.contains("-h") || named.first == "help" else {
            return nil
        }
        return try text(
            about: named.filter { !$0.hasPrefix("-") && $0 != "help" }, protocols)
    }

    private static func text(about named: [String], _ protocols: ProtocolSupport) throws -> String {
        guard let word = named.first else { return overview }
        let commands = CommandLineTool.commands
        if let one = commands.first(where: { named.starts(with: $0.words) }) {
            return FittedHelp.text(
                one.usage.replacing("{protocols}", with: oneOf(protocols.names))
                    .replacing("{adapters}", with: oneOf(protocols.adapters.names)))
        }
        let topics = Topic.sections.flatMap(\.topics)
        guard let topic = topics.first(where: { $0.word == word }) else {
            throw CommandLineTool.unknown(named)
        }
        return text(about: topic)
    }

    /// The overview of all topics, on one screen.
    static var overview: String {
        let rows = Topic.sections.flatMap { section in
            let lines = section.topics.compactMap { topic in
                topic.line.map { pad(topic.word, 12) + $0 }
            }
            return lines.enumerated().map { place, line in
                pad(place == 0 ? section.heading : "", 10) + line
            }
        }
        return """
            countersign \(CommandLineTool.version): one signer for many protocols, one policy \
            for all
            usage: countersign COMMAND [OPTION...] [ARGUMENT...]; more: man countersign
            \(rows.joined(separator: "\n"))
            any command: --home DIR  --passphrase-fd N  --json  --quiet  --no-agent  --help
            """
    }

    /// The commands of one topic, one line each.
    static func text(about topic: Topic) -> String {
        let rows = topic.commands.map { "  " + pad($0.name, 25) + $0.summary }
        return """
            countersign \(topic.word): \(topic.summary)

            \(rows.joined(separator: "\n"))

            more: countersign \(topic.word) COMMAND --help
            """
    }

    /// Joins names as in `a, b or c`.
    private static func oneOf(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.first ?? "none" }
        return names.dropLast().joined(separator: ", ") + " or " + last
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.utf8.count))
    }
}
