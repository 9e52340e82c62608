// SPDX-License-Identifier: Apache-2.0

/// Writes a policy file in the standard layout; comments, order and meaning do not change.
package enum PolicyFormatter {
    /// The formatted text; nil if the bytes are not TOML that the formatter can lay out.
    ///
    /// The formatter reads only as much of TOML as the layout needs. The parser checks the values.
    package static func format(_ source: [UInt8]) -> [UInt8]? {
        guard source.count <= PolicyLayout.bytesMax,
            (try? UTF8Span(validating: source.span)) != nil
        else { return nil }
        do {
            var layout = try PolicyLayout(source)
            try layout.putFile()
            return layout.output
        } catch { return nil }
    }
}

extension PolicyLayout {
    fileprivate mutating func putFile() throws(NotTOML) {
        if isAtLineEnd, kind != .fileEnd { index += 1 }
        var hasBlank = false
        var isBelowHeader = false
        while kind != .fileEnd {
            let statement = commentsEnd
            let isHeader = tokens[statement].kind == .openArray
            if !output.isEmpty, isHeader || (hasBlank && !isBelowHeader) { try endLine() }
            while index < statement {
                putToken()
                try endLine()
                index += 1
            }
            guard kind != .fileEnd else { return }
            try putStatement()
            hasBlank = kind == .blankLine
            isBelowHeader = isHeader
            if kind != .fileEnd { index += 1 }
        }
    }

    /// The index after the comments that are directly above the next statement.
    private var commentsEnd: Int {
        var end = index
        while tokens[end].kind == .comment, tokens[end + 1].kind == .lineEnd { end += 2 }
        return end
    }

    private var isAtLineEnd: Bool {
        kind == .lineEnd || kind == .blankLine || kind == .fileEnd
    }

    /// Writes one statement; the next token must then be a line end.
    private mutating func putStatement() throws(NotTOML) {
        switch kind {
        case .comment: putToken()
        case .openArray: try putHeader()
        default: try putPair()
        }
        _ = putCommentBehind()
        guard isAtLineEnd else { throw NotTOML() }
        try endLine()
    }

    private mutating func putHeader() throws(NotTOML) {
        let isList = tokens[index + 1].kind == .openArray
        try putBrackets(.openArray, isList ? "[[" : "[")
        try putKey()
        try putBrackets(.closeArray, isList ? "]]" : "]")
    }

    /// Writes one or two brackets; two brackets must touch, as they are one symbol.
    private mutating func putBrackets(
        _ kind: TOMLToken.Kind, _ text: String
    ) throws(NotTOML) {
        let start = tokens[index].range.lowerBound
        for place in start..<start + text.utf8.count {
            guard tokens[index].range.lowerBound == place else { throw NotTOML() }
            try skip(kind)
        }
        put(text)
    }
}
