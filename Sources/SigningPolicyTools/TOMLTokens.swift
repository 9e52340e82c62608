// SPDX-License-Identifier: Apache-2.0

/// The error for bytes that are not TOML, or that cannot be laid out.
struct NotTOML: Error {}

/// A piece of a TOML file that the layout does not change.
struct TOMLToken {
    enum Kind: UInt8 {
        /// A number, a date, a Boolean or a key without quotes, including its dots.
        case bare
        case string
        /// A string in three quotes, the only token that may contain line ends.
        case longString
        /// A comment without the white space at its end.
        case comment
        case equals
        case openArray
        case closeArray
        case openTable
        case closeTable
        case arrayComma
        case tableComma
        case lineEnd
        /// Two or more line ends with no text between them.
        case blankLine
        /// The end of the file, after all other tokens.
        case fileEnd
    }

    let kind: Kind
    // 32 bits, because a file may consist only of tokens of one byte.
    private let start: UInt32
    private let end: UInt32

    init(_ kind: Kind, _ range: Range<Int>) {
        self.kind = kind
        start = UInt32(range.lowerBound)
        end = UInt32(range.upperBound)
    }

    var range: Range<Int> { Int(start)..<Int(end) }
}

/// Splits a TOML file into tokens; white space yields none.
///
/// The result has balanced brackets, and no array that contains only line ends.
struct TOMLTokens {
    /// The deepest nesting of arrays and inline tables.
    static let depthMax = 64

    private let source: [UInt8]
    private var index = 0
    private var brackets: [UInt8] = []
    private(set) var tokens: [TOMLToken] = []

    init(_ source: [UInt8]) throws(NotTOML) {
        self.source = source
        if source.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        while index < source.count { try readToken() }
        guard brackets.isEmpty else { throw NotTOML() }
        add(.fileEnd, countOf: 0)
    }

    private mutating func readToken() throws(NotTOML) {
        switch source[index] {
        case UInt8(ascii: " "), UInt8(ascii: "\t"): index += 1
        case UInt8(ascii: "\n"): addLineEnd(countOf: 1)
        case UInt8(ascii: "\r"):
            guard byte(at: index + 1) == UInt8(ascii: "\n") else { throw NotTOML() }
            addLineEnd(countOf: 2)
        case UInt8(ascii: "#"): try readComment()
        case UInt8(ascii: "\""), UInt8(ascii: "'"): try readString()
        case UInt8(ascii: "="): add(.equals, countOf: 1)
        case UInt8(ascii: ","):
            add(brackets.last == UInt8(ascii: "{") ? .tableComma : .arrayComma, countOf: 1)
        case UInt8(ascii: "["): try open(.openArray)
        case UInt8(ascii: "{"): try open(.openTable)
        case UInt8(ascii: "]"): try close(.closeArray, opener: UInt8(ascii: "["))
        case UInt8(ascii: "}"): try close(.closeTable, opener: UInt8(ascii: "{"))
        default: try readBare()
        }
    }

    private func byte(at place: Int) -> UInt8? { place < source.count ? source[place] : nil }

    private mutating func add(_ kind: TOMLToken.Kind, countOf count: Int) {
        tokens.append(TOMLToken(kind, index..<index + count))
        index += count
    }

    private mutating func addLineEnd(countOf count: Int) {
        let isBlank = tokens.last?.kind == .lineEnd || tokens.last?.kind == .blankLine
        if isBlank { tokens.removeLast() }
        add(isBlank ? .blankLine : .lineEnd, countOf: count)
    }

    private mutating func open(_ kind: TOMLToken.Kind) throws(NotTOML) {
        guard brackets.count < Self.depthMax else { throw NotTOML() }
        brackets.append(source[index])
        add(kind, countOf: 1)
    }

    private mutating func close(_ kind: TOMLToken.Kind, opener: UInt8) throws(NotTOML) {
        guard brackets.popLast() == opener else { throw NotTOML() }
        let isLineEnd = tokens.last?.kind == .lineEnd || tokens.last?.kind == .blankLine
        if isLineEnd, tokens.dropLast().last?.kind == .openArray { tokens.removeLast() }
        add(kind, countOf: 1)
    }

    private mutating func readComment() throws(NotTOML) {
        let lineEnd = source[index...].firstIndex(of: UInt8(ascii: "\n")) ?? source.count
        var end = lineEnd
        if end < source.count, source[end - 1] == UInt8(ascii: "\r") { end -= 1 }
        while source[end - 1] == UInt8(ascii: " ") || source[end - 1] == UInt8(ascii: "\t") {
            end -= 1
        }
        guard !source[index..<end].contains(UInt8(ascii: "\r")) else { throw NotTOML() }
        add(.comment, countOf: end - index)
        // The white space between the comment and the line end is skipped later.
    }

    private mutating func readBare() throws(NotTOML) {
        var end = index
        while let next = byte(at: end), Self.isBare(next) { end += 1 }
        // A space may separate a date and a time.
        if Self.isDate(source[index..<end]), byte(at: end) == UInt8(ascii: " "),
            let digit = byte(at: end + 1), Self.isDigit(digit)
        {
            end += 1
            while let next = byte(at: end), Self.isBare(next) { end += 1 }
        }
        guard end > index else { throw NotTOML() }
        add(.bare, countOf: end - index)
    }

    private mutating func readString() throws(NotTOML) {
        let quote = source[index]
        let quotes = quoteCount(from: index, countMax: 3)
        // Two quotes are an empty string.
        guard quotes != 2 else { return add(.string, countOf: 2) }
        let isLong = quotes == 3
        var end = index + quotes
        while let next = byte(at: end) {
            if next == quote {
                // A long string may end in up to two quotes that belong to its text.
                let closing = quoteCount(from: end, countMax: isLong ? 5 : 1)
                end += closing
                if closing >= quotes {
                    return add(isLong ? .longString : .string, countOf: end - index)
                }
                continue
            }
            if next == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") { end += 1 }
            if !isLong, byte(at: end) == UInt8(ascii: "\n") { break }
            end += 1
        }
        throw NotTOML()
    }

    private func quoteCount(from place: Int, countMax: Int) -> Int {
        source[place...].prefix(countMax).prefix { $0 == source[place] }.count
    }

    private static func isBare(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "+"), UInt8(ascii: "."),
            UInt8(ascii: ":"):
            true
        default: isDigit(byte)
        }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    private static func isDate(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count == 10
            && zip(bytes, "dddd-dd-dd".utf8).allSatisfy { byte, shape in
                shape == UInt8(ascii: "-") ? byte == shape : isDigit(byte)
            }
    }
}
