// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

extension String {
    /// The text of somebody else, as lines that nothing of ours looks like: a mark stands before
    /// each, also before what does not fit into 76 columns, and nothing in them moves the cursor.
    package var markedLines: [String] {
        split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            VisibleText.escaped(String(line)).folded.map { "| \($0)" }
        }
    }

    /// Columns of a terminal that is narrow, less the mark.
    private static let columns = 76

    /// Its parts that fit into a line; whatever is no ASCII may be two columns wide.
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
