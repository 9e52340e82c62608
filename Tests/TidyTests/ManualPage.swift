// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// One page of documentation, split into what readers read.
struct ManualPage: CustomTestStringConvertible {
    let path: String
    /// The lines outside of fenced blocks.
    let lines: [String]
    /// The words of the whole file, with those of tables and fenced blocks.
    let wordCount: Int
    /// The paragraphs and list items, without headings, tables and fenced blocks.
    let paragraphs: [String]

    var testDescription: String { path }

    init(_ file: Tree.File) {
        path = file.path
        wordCount = file.lines.reduce(0) { $0 + $1.split(whereSeparator: \.isWhitespace).count }
        var isInside = false
        var outside: [String] = []
        for line in file.lines {
            if line.hasPrefix("```") {
                isInside.toggle()
                outside.append("")
            } else if !isInside {
                outside.append(String(line))
            }
        }
        lines = outside
        paragraphs = Self.paragraphs(of: outside)
    }

    private static func paragraphs(of lines: [String]) -> [String] {
        var found: [String] = []
        var current: [Substring] = []
        func close() {
            if !current.isEmpty { found.append(current.joined(separator: " ")) }
            current = []
        }
        for line in lines {
            let text = line.drop(while: \.isWhitespace)
            if text.isEmpty || ["#", "|", "<"].contains(text.prefix(1)) {
                close()
            } else if let marker = text.prefixMatch(of: #/(?:[-*]|\d+\.) /#) {
                close()
                current = [text[marker.range.upperBound...]]
            } else {
                current.append(text)
            }
        }
        close()
        return found
    }

    /// The sentences of the prose; the targets of links are no words.
    var sentences: [String] {
        paragraphs.flatMap { paragraph in
            paragraph.replacing(#/\]\([^)]*\)/#, with: "]")
                .replacing(#/(?<end>[.!?][)"*_]*)\s+/#) { "\($0.end)\n" }
                .split(separator: "\n").map(String.init)
        }.filter { Self.wordCount(of: $0) > 0 }
    }

    static func wordCount(of sentence: String) -> Int {
        sentence.split(whereSeparator: \.isWhitespace)
            .count { word in word.contains { $0.isLetter || $0.isNumber } }
    }

    /// The average number of words of a sentence.
    var sentenceWords: Double {
        let counts = sentences.map(Self.wordCount(of:))
        return counts.isEmpty ? 0 : Double(counts.reduce(0, +)) / Double(counts.count)
    }

    /// The headings of a level, as they are written.
    func headings(level: Int? = nil) -> [String] {
        lines.compactMap { line in
            let depth = line.prefix { $0 == "#" }.count
            let text = line.dropFirst(depth)
            guard depth > 0, text.hasPrefix(" "), level == nil || level == depth else {
                return nil
            }
            return String(text.dropFirst())
        }
    }

    /// The names by which links reach the headings.
    var anchors: Set<String> { Set(headings().map(Self.anchor(of:))) }

    static func anchor(of heading: String) -> String {
        let text = heading.replacing(#/\[([^\]]*)\]\([^)]*\)/#) { $0.1 }.lowercased()
        return String(
            text.compactMap { character -> Character? in
                if character.isLetter || character.isNumber { return character }
                if character == " " { return "-" }
                return character == "-" || character == "_" ? character : nil
            })
    }

    /// The targets of links and images inside of the sources.
    var targets: [String] {
        lines.joined(separator: "\n").matches(of: #/\]\(([^)\s]+)\)/#).map { String($0.1) }
            .filter { !$0.hasPrefix("https:") && !$0.hasPrefix("http:") }
    }
}
