// SPDX-License-Identifier: Apache-2.0

import SigningTerminal

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
            return lines.map {
                FilledText.joined(FilledText.words(of: $0), columnsMax, end: " \\", hanging)
            }.joined(separator: "\n")
        }
        let isPlain = lines.allSatisfy { !$0.hasPrefix(" ") }
        if isPlain, !first.hasPrefix("usage:") {
            let words = lines.flatMap { $0.split(separator: " ").map(String.init) }
            return FilledText.joined(words, columnsMax, end: "", "")
        }
        guard lines.contains(where: { $0.utf8.count > columnsMax }) else {
            return lines.joined(separator: "\n")
        }
        return FilledText.joined(
            lines.flatMap { FilledText.words(of: $0) }, columnsMax, end: "", hanging)
    }
}
