// SPDX-License-Identifier: Apache-2.0

/// Writes the values of a policy file token by token.
///
/// It passes over the tokens once and looks ahead at most one line, so the time is linear in the
/// size of the file.
struct PolicyLayout {
    /// The most bytes of the input and of the output.
    static let bytesMax = 4 << 20
    private static let columnsMax = 100

    private let source: [UInt8]
    let tokens: [TOMLToken]
    /// The token to write next.
    var index = 0
    private(set) var output: [UInt8] = []
    /// The number of columns written in the last line.
    private(set) var column = 0
    /// The number of open arrays that have a line for each element.
    private var depth = 0
    /// True if a blank line comes before the next line of an array.
    private var hasBlank = false

    init(_ source: [UInt8]) throws(NotTOML) {
        self.source = source
        tokens = try TOMLTokens(source).tokens
    }

    var kind: TOMLToken.Kind { tokens[index].kind }

    mutating func skip(_ expected: TOMLToken.Kind) throws(NotTOML) {
        guard kind == expected else { throw NotTOML() }
        index += 1
    }

    mutating func put(_ text: String) {
        output += text.utf8
        column += text.utf8.count
    }

    mutating func putToken() {
        for byte in source[tokens[index].range] {
            output.append(byte)
            column = byte == UInt8(ascii: "\n") ? 0 : column + Self.columns(of: byte)
        }
        index += 1
    }

    /// Writes a comment at the end of the line, if a comment is next.
    mutating func putCommentBehind() -> Bool {
        guard kind == .comment else { return false }
        put("  ")
        putToken()
        return true
    }

    mutating func endLine() throws(NotTOML) {
        guard output.count < Self.bytesMax else { throw NotTOML() }
        output.append(UInt8(ascii: "\n"))
        column = 0
    }

    /// Writes a key; between its parts there must be exactly one dot.
    mutating func putKey() throws(NotTOML) {
        var endsInDot = true
        while kind == .bare || kind == .string {
            let bytes = source[tokens[index].range]
            guard endsInDot != (bytes.first == UInt8(ascii: ".")) else { throw NotTOML() }
            endsInDot = bytes.last == UInt8(ascii: ".")
            putToken()
        }
        guard !endsInDot else { throw NotTOML() }
    }

    /// Writes `key = value`.
    ///
    /// With `inLine`, every array in the value is known to fit.
    mutating func putPair(inLine: Bool = false) throws(NotTOML) {
        try putKey()
        try skip(.equals)
        put(" = ")
        try putValue(inLine: inLine)
    }
}

extension PolicyLayout {
    private mutating func putValue(inLine: Bool) throws(NotTOML) {
        switch kind {
        case .bare, .string, .longString: putToken()
        case .openTable: try putTable(inLine: inLine)
        case .openArray where inLine || arrayFits: try putArray()
        case .openArray: try putLongArray()
        default: throw NotTOML()
        }
    }

    private mutating func putTable(inLine: Bool) throws(NotTOML) {
        try skip(.openTable)
        put("{")
        if kind != .closeTable {
            put(" ")
            try putPair(inLine: inLine)
            while kind == .tableComma {
                index += 1
                put(", ")
                try putPair(inLine: inLine)
            }
            put(" ")
        }
        try skip(.closeTable)
        put("}")
    }

    private mutating func putArray() throws(NotTOML) {
        try skip(.openArray)
        put("[")
        while kind != .closeArray {
            try putValue(inLine: true)
            guard kind == .arrayComma else { break }
            index += 1
            if kind != .closeArray { put(", ") }
        }
        try skip(.closeArray)
        put("]")
    }

    /// Writes an array with a line for each element.
    ///
    /// A comment in the line of the opening bracket, of an element or of its comma stays at the end
    /// of that line; any other comment has a separate line.
    private mutating func putLongArray() throws(NotTOML) {
        try skip(.openArray)
        put("[")
        depth += 1
        _ = putCommentBehind()
        skipLineEnds()
        hasBlank = false
        _ = try putCommentLines()
        while kind != .closeArray {
            try startLine()
            try putValue(inLine: false)
            put(",")
            let isBehind = putCommentBehind()
            let isBelow = try putCommentLines()
            guard kind != .closeArray else { break }
            try skip(.arrayComma)
            if !isBehind, !isBelow { _ = putCommentBehind() }
            _ = try putCommentLines()
        }
        depth -= 1
        hasBlank = false
        try startLine()
        try skip(.closeArray)
        put("]")
    }

    private mutating func putCommentLines() throws(NotTOML) -> Bool {
        skipLineEnds()
        guard kind == .comment else { return false }
        while kind == .comment {
            try startLine()
            putToken()
            skipLineEnds()
        }
        return true
    }

    private mutating func skipLineEnds() {
        guard kind == .lineEnd || kind == .blankLine else { return }
        if kind == .blankLine { hasBlank = true }
        index += 1
    }

    private mutating func startLine() throws(NotTOML) {
        try endLine()
        if hasBlank { try endLine() }
        hasBlank = false
        put(String(repeating: "    ", count: depth))
    }
}

extension PolicyLayout {
    /// True if the next array is on one line of the source and can stay on one line of the output.
    ///
    /// The line must not be longer than `columnsMax`, including the text that follows the array up
    /// to the next possible line break. Such breaks are after a comma of an enclosing array that
    /// has a line for each element, and after the opening bracket of another array.
    private var arrayFits: Bool {
        guard tokens[index + 1].kind != .closeArray else { return true }
        var columns = column
        var brackets = 0
        for place in index..<tokens.count {
            let isBehind = brackets == 0 && place > index
            switch tokens[place].kind {
            case .arrayComma where isBehind, .closeArray where isBehind, .lineEnd, .blankLine,
                .comment, .fileEnd:
                // An element of an enclosing array gets a comma if it has none.
                return isBehind && columns + (depth > 0 ? 1 : 0) <= Self.columnsMax
            case .openArray where isBehind && tokens[place + 1].kind != .closeArray:
                return columns < Self.columnsMax
            case .openArray: brackets += 1
            case .closeArray: brackets -= 1
            case .bare, .string, .longString:
                for byte in source[tokens[place].range] {
                    if byte == UInt8(ascii: "\n") { return isBehind }
                    columns += Self.columns(of: byte)
                    guard columns <= Self.columnsMax else { return false }
                }
            default: break
            }
            columns += columnsOfSymbol(at: place)
            guard columns <= Self.columnsMax else { return false }
        }
        return true
    }

    private func columnsOfSymbol(at place: Int) -> Int {
        switch tokens[place].kind {
        case .openArray, .closeArray: 1
        case .arrayComma: tokens[place + 1].kind == .closeArray ? 0 : 2
        case .tableComma: 2
        case .equals: 3
        case .openTable: tokens[place + 1].kind == .closeTable ? 1 : 2
        case .closeTable: tokens[place - 1].kind == .openTable ? 1 : 2
        default: 0
        }
    }

    /// A code point counts as one column, independent of its width on a screen.
    private static func columns(of byte: UInt8) -> Int { byte & 0xC0 == 0x80 ? 0 : 1 }
}
