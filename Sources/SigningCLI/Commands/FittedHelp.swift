// SPDX-License-Identifier: Apache-2.0

/// Wraps help texts at 79 columns, for terminals of 80.
enum FittedHelp {
    static let columnsMax = 79
    private static let hanging = "    "

    /// Wraps paragraphs that are too wide; lists with indented lines stay as they are.
    static func text(_ usage: String) -> String {
        paragraphs(of: usage).map(fitted).joined(separator: "\n\n")
    }

    /// The parts of a text between empty lines.
    static func paragraphs(of text: String) -> [[Substring]] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
            .split { $0.isEmpty }.map(Array.init)
    }

    private static func fitted(_ lines: [Substring]) -> String {
        let first = lines.first ?? ""
        if first.hasPrefix("example:") {
            return lines.map { wrapped(words(of: $0), end: " \\", hanging) }
                .joined(separator: "\n")
        }
        let isPlain = lines.allSatisfy { !$0.hasPrefix(" ") }
        if isPlain, !first.hasPrefix("usage:") {
            return wrapped(
                lines.flatMap { $0.split(separator: " ").map(String.init) }, end: "", "")
        }
        guard lines.contains(where: { $0.utf8.count > columnsMax }) else {
            return lines.joined(separator: "\n")
        }
        return wrapped(lines.flatMap(words), end: "", hanging)
    }

    /// Fills lines with words; `end` closes each line except the last, `indent` opens each line
    /// except the first.
    private static func wrapped(_ words: [String], end: String, _ indent: String) -> String {
        var lines = [""]
        for word in words {
            let line = lines[lines.count - 1]
            let joined = line.isEmpty ? word : line + " " + word
            if joined.utf8.count <= columnsMax - end.utf8.count || line.isEmpty {
                lines[lines.count - 1] = joined
            } else {
                lines[lines.count - 1] += end
                lines.append(indent + word)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Splits a line at spaces, except inside brackets and quotes.
    private static func words(of line: Substring) -> [String] {
        var words: [String] = []
        var word = ""
        var depth = 0
        var quote: Character?
        for character in line {
            switch character {
            case "[" where quote == nil: depth += 1
            case "]" where quote == nil: depth -= 1
            case "'", "\"":
                if quote == nil { quote = character } else if quote == character { quote = nil }
            default: break
            }
            guard character == " ", depth <= 0, quote == nil else {
                word.append(character)
                continue
            }
            if !word.isEmpty { words.append(word) }
            word = ""
        }
        return word.isEmpty ? words : words + [word]
    }
}
