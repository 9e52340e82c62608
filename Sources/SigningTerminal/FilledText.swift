// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Breaks long lines between words, for terminals.
package enum FilledText {
    /// The width of a terminal that does not report its size.
    private static let columnsUsual = 80

    /// The minimum width of a line's text, in columns; on a narrower terminal lines stay whole.
    private static let columnsMin = 10

    /// Returns the text as it is written to `descriptor`.
    ///
    /// On a terminal, lines that are too wide are broken between words, and the parts after the
    /// first are indented. Quoted commands stay whole.
    package static func shown(_ text: String, on descriptor: Int32, indent: Int) -> String {
        guard isatty(descriptor) == 1 else { return text }
        return filled(text, columns(of: descriptor), indent)
    }

    /// The text with its wide lines broken at `columns`.
    package static func filled(_ text: String, _ columns: Int, _ indent: Int) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            guard line.count > columns, columns > indent + columnsMin else { return String(line) }
            let (begin, rest) = split(line, indent)
            let words = words(of: rest, quotes: ["\""])
            let pad = String(repeating: " ", count: indent - begin.count)
            return joined(words, columns - begin.count, end: "", pad)
                .split(separator: "\n").enumerated()
                .map { $0 == 0 ? begin + $1 : String(repeating: " ", count: begin.count) + $1 }
                .joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// Splits a line after its columns: after the last two spaces in its first `indent` columns.
    private static func split(_ line: Substring, _ indent: Int) -> (Substring, Substring) {
        let head = line.prefix(indent)
        let last = head.indices.dropFirst().last {
            head[$0] == " " && head[head.index(before: $0)] == " "
        }
        let end = last.map { head.index(after: $0) } ?? head.startIndex
        return (line[..<end], line[end...])
    }

    /// Joins words to lines; `end` closes each line except the last, `indent` opens each line
    /// except the first.
    package static func joined(
        _ words: [String], _ columns: Int, end: String, _ indent: String
    ) -> String {
        var lines = [""]
        for word in words {
            let line = lines[lines.count - 1]
            let joined = line.isEmpty ? word : line + " " + word
            if joined.count <= columns - end.count || line.isEmpty {
                lines[lines.count - 1] = joined
            } else {
                lines[lines.count - 1] += end
                lines.append(indent + word)
            }
        }
        return lines.joined(separator: "\n")
    }

    /// Splits a line at single spaces, except inside brackets and quotes.
    package static func words(of line: Substring, quotes: Set<Character> = ["'", "\""]) -> [String]
    {
        var words: [String] = []
        var word = ""
        var depth = 0
        var quote: Character?
        for character in line {
            switch character {
            case "[" where quote == nil: depth += 1
            case "]" where quote == nil: depth -= 1
            case _ where quotes.contains(character):
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

    private static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
            return columnsUsual
        }
        return Int(size.ws_col)
    }
}
