// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Commands with what they print, as a person would see them.
///
///     $ countersign key list
///     alice  nostr  -  17162c...
///
/// `> ` continues a command; `...` stands for any text; `[exit N]` is the status unless it is 0.
struct Transcript {
    struct Step {
        let line: Int
        let command: String
        let expected: [String]
    }

    let name: String
    let steps: [Step]

    /// Takes every fenced block marked `console` out of a Markdown text.
    init(name: String, markdown: String) {
        self.name = name
        var steps: [Step] = []
        var isInside = false
        var current: (line: Int, command: String, expected: [String])?
        func close() {
            if let step = current {
                steps.append(Step(line: step.line, command: step.command, expected: step.expected))
            }
            current = nil
        }
        let lines = markdown.split(separator: "\n", omittingEmptySubsequences: false)
        for (number, line) in lines.enumerated() {
            if line.hasPrefix("```") {
                close()
                isInside = line == "```console"
            } else if isInside, line.hasPrefix("$ ") {
                close()
                current = (number + 1, String(line.dropFirst(2)), [])
            } else if isInside, line == ">" || line.hasPrefix("> "),
                current?.expected.isEmpty == true
            {
                current?.command += "\n" + line.dropFirst(2)
            } else if isInside {
                current?.expected.append(String(line))
            }
        }
        close()
        self.steps = steps
    }

    /// True if the printed text matches the text that the step expects.
    static func matches(_ expected: [String], _ printed: [String]) -> Bool {
        guard let first = expected.first else { return printed.isEmpty }
        if first == "..." {
            return (0...printed.count).contains {
                matches(Array(expected.dropFirst()), Array(printed.dropFirst($0)))
            }
        }
        guard let line = printed.first, matchesLine(first, line) else { return false }
        return matches(Array(expected.dropFirst()), Array(printed.dropFirst()))
    }

    private static func matchesLine(_ pattern: String, _ line: String) -> Bool {
        let parts = pattern.components(separatedBy: "...")
        guard parts.count > 1 else { return pattern == line }
        var rest = line[...]
        for (index, part) in parts.enumerated() where !part.isEmpty {
            if index == 0 {
                guard rest.hasPrefix(part) else { return false }
                rest = rest.dropFirst(part.count)
            } else if index == parts.count - 1 {
                return rest.hasSuffix(part)
            } else if let found = rest.range(of: part) {
                rest = rest[found.upperBound...]
            } else {
                return false
            }
        }
        return true
    }
}
