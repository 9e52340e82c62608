// SPDX-License-Identifier: Apache-2.0

import SigningPolicy

/// One option of a command, as its usage text names it.
struct Option {
    let name: String
    /// The placeholder of the value in the usage text; nil for a switch.
    let value: String?
    /// The values that completions offer; nil for free text.
    var offers: OfferedValues?
    /// True if the option may be given several times.
    var isRepeatable = false

    /// Returns this option with values that completions offer.
    func offering(_ offers: OfferedValues) -> Option {
        Option(name: name, value: value, offers: offers, isRepeatable: isRepeatable)
    }

    static let global = [
        Option(name: "--home", value: "DIR"), Option(name: "--passphrase-fd", value: "N"),
        Option(name: "--json", value: nil), Option(name: "--quiet", value: nil),
        Option(name: "--no-agent", value: nil),
        Option(name: "--help", value: nil),
    ]

    /// The error for an option without its value.
    var valueMissing: CLIError {
        .usage("\(name) needs a value", hint: "write \(name) \(value ?? "")")
    }
}

/// The options and operands after the name of a command.
struct Arguments {
    /// The maximum number of arguments.
    static let countMax = 512

    private(set) var operands: [String] = []
    /// The name of the command.
    let command: String
    private var given: [String: [String]] = [:]

    func value(_ name: String) -> String? { given[name]?.first }

    /// The values of an option that may be given several times.
    func values(_ name: String) -> [String] { given[name] ?? [] }

    func has(_ name: String) -> Bool { given[name] != nil }

    /// The value of a required option.
    func required(_ name: String) throws -> String {
        guard let value = value(name) else {
            throw CLIError.usage("\(name) is missing", hint: helpHint)
        }
        return value
    }

    /// The hint that refers to the help of the command.
    var helpHint: String {
        "see \"countersign \(command.isEmpty ? "" : command + " ")--help\""
    }

    init(_ words: some Collection<String>, options: [Option], of command: String = "") throws {
        self.command = command
        guard words.count <= Self.countMax else {
            throw CLIError.usage("too many arguments", hint: "give at most \(Self.countMax)")
        }
        var rest = words[...]
        var isOptions = true
        while let word = rest.popFirst() {
            guard isOptions, word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if word == "--" {
                isOptions = false
                continue
            }
            try read(word, &rest, options)
        }
    }

    private mutating func read<Words: Collection<String>>(
        _ word: String, _ rest: inout Words, _ options: [Option]
    ) throws where Words.SubSequence == Words {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = options.first(where: { $0.name == name }) else {
            let near = Suggestion.closest(to: name, among: options.map(\.name))
            throw CLIError.usage(
                "unknown option \"\(name)\"",
                hint: near.map { "did you mean \"\($0)\"?" } ?? helpHint)
        }
        guard given[name] == nil || option.isRepeatable else {
            throw CLIError.usage("\(name) is given twice", hint: "give it once")
        }
        guard option.value != nil else {
            guard parts.count == 1 else {
                throw CLIError.usage("\(name) takes no value", hint: "leave out what follows \"=\"")
            }
            given[name] = [""]
            return
        }
        guard let value = parts.count == 2 ? String(parts[1]) : rest.popFirst() else {
            throw option.valueMissing
        }
        given[name, default: []].append(value)
    }
}

extension Arguments {
    /// Refuses invalid values of global options, even if this command does not use them.
    func checkGlobal() throws {
        if value("--home")?.isEmpty == true {
            throw CLIError.usage("--home is empty", hint: "write --home DIR")
        }
        _ = try Passphrase.descriptor(self, "--passphrase-fd")
    }

    /// A whole number from `min` to `max`.
    func count(_ name: String, default standard: Int, min: Int = 1, max: Int) throws -> Int {
        guard let text = value(name) else { return standard }
        guard let number = Int(text), (min...max).contains(number) else {
            throw CLIError.usage(
                "\(name) takes a number from \(min) to \(max)", hint: "write \(name) \(standard)")
        }
        return number
    }
}
