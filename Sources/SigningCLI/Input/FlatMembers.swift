// SPDX-License-Identifier: Apache-2.0

/// The positions of the members of one JSON object; no value is copied or unescaped.
///
/// Objects and lists in it are refused, or skipped if the caller wishes.
struct FlatMembers {
    /// A syntax error with its offset; it never contains a part of the text.
    struct ParseError: Error, Hashable {
        let what: String
        let offset: Int
    }

    /// The maximum number of members.
    static let countMax = 32
    /// The deepest nesting of skipped values.
    static let depthMax = 16

    private enum Value {
        case text(Range<Int>)
        case escapedText(Range<Int>)
        /// An object or a list, which is not checked further than its brackets.
        case nested(Range<Int>)
        /// `null`, which counts as an absent member.
        case nothing
        case other
    }

    private var members: [(name: Range<Int>, value: Value)] = []
    private var position = 0
    private let skipsNested: Bool

    init(of text: Span<UInt8>, skippingNested skipsNested: Bool = false) throws(ParseError) {
        self.skipsNested = skipsNested
        try take("{", in: text)
        var isFirst = true
        while try !takeEnd(in: text) {
            if !isFirst { try take(",", in: text) }
            isFirst = false
            try takeMember(in: text)
        }
        skipSpace(in: text)
        guard position == text.count else { throw failure("unexpected text after the end") }
    }

    /// The position of a member's text; nil if the member is absent or null.
    func place(of name: String, in text: Span<UInt8>) throws(ParseError) -> Range<Int>? {
        guard let (member, value) = member(name, in: text) else { return nil }
        switch value {
        case .text(let place): return place
        case .nothing: return nil
        case .escapedText:
            throw ParseError(what: "an escape in a member name", offset: member.lowerBound)
        case .other, .nested:
            throw ParseError(what: "a value that is not a string", offset: member.lowerBound)
        }
    }

    /// The text of a member with its escapes, and whether it has any; nil if absent or null.
    func rawText(
        _ name: String, in text: Span<UInt8>
    ) throws(ParseError) -> (place: Range<Int>, isEscaped: Bool)? {
        guard let (_, value) = member(name, in: text), case .escapedText(let place) = value else {
            return try place(of: name, in: text).map { ($0, false) }
        }
        return (place, true)
    }

    /// The positions of the objects in a list; nil if the member is absent or no list of objects.
    func objects(_ name: String, in text: Span<UInt8>) -> [Range<Int>]? {
        guard let (_, value) = member(name, in: text), case .nested(let place) = value,
            text[place.lowerBound] == UInt8(ascii: "[")
        else { return nil }
        return Self.objects(in: place, of: text)
    }

    func has(_ name: String, in text: Span<UInt8>) -> Bool { member(name, in: text) != nil }

    private func member(
        _ name: String, in text: Span<UInt8>
    ) -> (name: Range<Int>, value: Value)? {
        members.first { Self.isSame(text.extracting($0.name), name.utf8.span) }
    }

    private static func objects(in list: Range<Int>, of text: Span<UInt8>) -> [Range<Int>]? {
        var walk = NestedWalk()
        var (objects, start): ([Range<Int>], Int?) = ([], nil)
        for index in list {
            let before = walk.depth
            guard walk.take(text[index]) else { return nil }
            if before == 1, walk.depth == 2, !walk.isInString { start = index }
            if before == 2, walk.depth == 1, let first = start {
                guard text[first] == UInt8(ascii: "{") else { return nil }
                objects.append(first..<index + 1)
            }
        }
        return objects
    }

    private mutating func takeMember(in text: Span<UInt8>) throws(ParseError) {
        guard members.count < Self.countMax else { throw failure("too many members") }
        skipSpace(in: text)
        let start = position
        guard case .text(let name) = try takeString(in: text) else {
            throw ParseError(what: "an escape in a value", offset: start)
        }
        // With a duplicate member, the person could be shown one value and the program use the
        // other.
        for member in members
        where Self.isSame(text.extracting(member.name), text.extracting(name)) {
            throw ParseError(what: "a member is given twice", offset: start)
        }
        try take(":", in: text)
        skipSpace(in: text)
        members.append((name, try takeValue(in: text)))
    }

    private mutating func takeValue(in text: Span<UInt8>) throws(ParseError) -> Value {
        guard position < text.count else { throw failure("the end") }
        switch text[position] {
        case UInt8(ascii: "\""): return try takeString(in: text)
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard skipsNested else { throw failure("a nested value") }
            return try takeNested(in: text)
        default:
            let start = position
            while position < text.count, Self.isWordByte(text[position]) { position += 1 }
            let word = text.extracting(start..<position)
            if Self.isSame(word, "null".utf8.span) { return .nothing }
            let isNumber = word.count > 0 && Self.isNumberStart(word[0])
            let isSwitch =
                Self.isSame(word, "true".utf8.span) || Self.isSame(word, "false".utf8.span)
            guard isNumber || isSwitch else {
                throw ParseError(what: "not a value", offset: start)
            }
            return .other
        }
    }

    private mutating func takeNested(in text: Span<UInt8>) throws(ParseError) -> Value {
        let start = position
        var walk = NestedWalk()
        while position < text.count {
            guard walk.take(text[position]) else { throw failure("wrong brackets") }
            position += 1
            if walk.depth == 0 { return .nested(start..<position) }
        }
        throw failure("the end")
    }

    /// Reads a string; its range excludes the quotes.
    private mutating func takeString(in text: Span<UInt8>) throws(ParseError) -> Value {
        try take("\"", in: text)
        let start = position
        var isEscaped = false
        while position < text.count {
            switch text[position] {
            case UInt8(ascii: "\""):
                position += 1
                let place = start..<position - 1
                return isEscaped ? .escapedText(place) : .text(place)
            case UInt8(ascii: "\\"):
                isEscaped = true
                position += 2
            case 0..<0x20: throw failure("a control character")
            default: position += 1
            }
        }
        throw failure("the end")
    }

    private mutating func takeEnd(in text: Span<UInt8>) throws(ParseError) -> Bool {
        skipSpace(in: text)
        guard position < text.count else { throw failure("the end") }
        guard text[position] == UInt8(ascii: "}") else { return false }
        position += 1
        return true
    }

    private mutating func take(
        _ mark: Unicode.Scalar, in text: Span<UInt8>
    ) throws(ParseError) {
        skipSpace(in: text)
        guard position < text.count else { throw failure("the end") }
        guard text[position] == UInt8(ascii: mark) else { throw failure("no \(mark)") }
        position += 1
    }

    private mutating func skipSpace(in text: Span<UInt8>) {
        while position < text.count, [0x20, 0x09, 0x0A, 0x0D].contains(text[position]) {
            position += 1
        }
    }

    private func failure(_ what: String) -> ParseError { ParseError(what: what, offset: position) }

    private static func isSame(_ one: Span<UInt8>, _ other: Span<UInt8>) -> Bool {
        one.count == other.count && one.indices.allSatisfy { one[$0] == other[$0] }
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        isNumberStart(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
            || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "E")
    }

    private static func isNumberStart(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "-")
    }
}
