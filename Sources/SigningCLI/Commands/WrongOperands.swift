// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension Command {
    /// The first usage line of the command, without `usage:`.
    var synopsis: String {
        let lines = FittedHelp.paragraphs(of: usage).first ?? []
        let others = lines.dropFirst().prefix {
            !$0.hasPrefix("options:") && !$0.drop(while: { $0 == " " }).hasPrefix("countersign")
        }
        let line = (lines.prefix(1) + others).joined(separator: " ").split(separator: " ").joined(
            separator: " ")
        return line.hasPrefix("usage: ") ? String(line.dropFirst(7)) : line
    }

    /// The operand names in the usage line, in order; empty if the line does not name each required
    /// operand.
    private var requiredOperands: [String] {
        var depth = 0
        var names: [String] = []
        var isValue = false
        for word in synopsis.split(separator: " ").dropFirst(1 + words.count) {
            let isInBrackets = depth > 0 || word.hasPrefix("[")
            depth += word.count { $0 == "[" } - word.count { $0 == "]" }
            if word.hasPrefix("-") {
                isValue = word != "--"
            } else {
                if !isInBrackets, !isValue, word != "|" { names.append(String(word)) }
                isValue = false
            }
        }
        return names.count == operands.lowerBound ? names : []
    }

    /// The sentence of the usage text that describes an operand, such as `a URL, a file, or -`.
    private func description(of name: String) -> String? {
        let text = usage.split { $0 == "\n" || $0 == " " }.joined(separator: " ")
        guard let start = text.firstRange(of: ". \(name) is ")?.upperBound
        else { return nil }
        let sentence = text[start...].split(separator: ". ", maxSplits: 1).first ?? ""
        let end = sentence.hasSuffix(".") ? sentence.dropLast() : sentence
        return end.utf8.count <= Self.descriptionMax ? String(end) : nil
    }

    /// The maximum length of a description in an error, in bytes.
    private static let descriptionMax = 80

    /// The error for a missing or an extra operand.
    func wrongOperands(_ given: [String]) -> CLIError {
        // A hint is never cut.
        let usage = "usage: \(synopsis)"
        let hint = usage.utf8.count <= 72 ? usage : "see \"countersign \(name) --help\""
        if given.count > operands.upperBound, let extra = given.dropFirst(operands.upperBound).first
        {
            // An operand that is no file may be a secret, which no error repeats.
            let areFiles = given.allSatisfy { KeySource.exists($0) }
            guard !traits.contains(.takesSecrets) || areFiles else {
                return .usage(
                    "\(name): a secret does not belong among the arguments, which other programs "
                        + "can read",
                    hint: "remove it from the shell's history; give it on standard input")
            }
            return .usage(
                "\(name): unexpected argument \"\(VisibleText.quotable(extra))\"", hint: hint)
        }
        let missing = requiredOperands.dropFirst(given.count)
        guard let first = missing.first else {
            return .usage("\(name): an argument is missing", hint: hint)
        }
        let what = description(of: first).map { ": \($0)" } ?? ""
        return .usage("\(name): missing \(first)\(what)", hint: hint)
    }
}
