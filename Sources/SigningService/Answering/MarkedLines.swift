// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

extension String {
    /// The text of another party in marked lines, so that it cannot look like text of this program.
    ///
    /// Each line starts with a mark and has at most 76 columns; characters that move the cursor are
    /// escaped.
    package var markedLines: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            VisibleText.escaped(String(line)).folded.map { "| \($0)" }
        }
    }

    /// The columns of a narrow terminal, less the mark.
    private static let columns = 76

    /// The parts that fit into a line; a non-ASCII character counts as two columns.
    private var folded: [String] {
        var parts = [""]
        var width = 0
        for character in self {
            let wide = character.isASCII ? 1 : 2
            if width + wide > Self.columns {
                parts.append("")
                width = 0
            }
            parts[parts.count - 1].append(character)
            width += wide
        }
        return parts
    }
}
