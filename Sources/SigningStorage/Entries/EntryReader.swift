// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// The error of bytes that are not the body of an entry.
enum EntryError: Error, Hashable, Sendable {
    /// The body ends too early.
    case truncated
    /// The body contains something else than expected at this offset.
    case malformed(_ expected: String, at: Int)
}

/// Reads the text of an entry: only the form that `EntryWriter` writes.
///
/// Every step names the member that it expects. So an unknown, doubled or displaced member, white
/// space, another spelling of a text or a number, and bytes after the end are errors.
struct EntryReader {
    private let bytes: [UInt8]
    private var index = 0
    /// The members that every entry has.
    private(set) var entryClock = Timestamp(seconds: 0)
    private(set) var entryTime = Timestamp(seconds: 0)

    /// The deepest nesting of lists in a fact.
    static let depthMax = 32

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Finds the kind of an entry before it is read.
    ///
    /// Intents and refusals, which are the longest, are told apart by their first members. Other
    /// bodies are searched: texts cannot cause a match, as their quotes are escaped, and no inner
    /// object has a kind.
    func kind() throws(EntryError) -> AuditKind {
        var start = self
        try start.begin()
        if start.isNext("adapter") {
            _ = try start.text("adapter")
            _ = try ApprovalEntry.optional(&start)
            _ = try start.text("channel")
            return start.isNext("claims") ? .intent : .refusal
        }
        let name = Array(#""kind":""#.utf8)
        var place = 0
        while place + name.count < bytes.count {
            if bytes[place] == name[0], bytes[place + 1] == name[1],
                bytes[place..<place + name.count].elementsEqual(name)
            {
                let word = bytes[(place + name.count)...].prefix { $0 != UInt8(ascii: "\"") }
                let kind = AuditKind.allCases.first { word.elementsEqual($0.rawValue.utf8) }
                guard let kind else { throw .malformed("a known kind", at: place) }
                return kind
            }
            place += 1
        }
        throw .malformed("a kind", at: 0)
    }

    /// Begins the entry.
    mutating func begin() throws(EntryError) { try take("{") }

    /// Ends the entry.
    mutating func end() throws(EntryError) {
        try take("}")
        guard index == bytes.count else { throw .malformed("the end", at: index) }
    }

    /// Reads the member `clock`.
    mutating func clock() throws(EntryError) { entryClock = try time("clock") }

    /// Reads the member `kind`.
    mutating func kind(_ kind: AuditKind) throws(EntryError) { try text("kind", is: kind.rawValue) }

    /// Reads the member `time`.
    mutating func time() throws(EntryError) { entryTime = try time("time") }

    // MARK: Members

    /// True if the next member has this name.
    func isNext(_ name: String) -> Bool { valuePlace(of: name) != nil }

    mutating func text(_ name: String) throws(EntryError) -> String {
        try take(name: name)
        return try text()
    }

    /// Reads a text that can only be one.
    mutating func text(_ name: String, is text: String) throws(EntryError) {
        let start = index
        guard try self.text(name) == text else { throw .malformed(text, at: start) }
    }

    /// Reads a text that is one of the cases of a type.
    mutating func word<Word: RawRepresentable>(
        _ name: String, as type: Word.Type = Word.self
    ) throws(EntryError) -> Word where Word.RawValue == String {
        try take(name: name)
        return try word(type)
    }

    /// Reads a text, or `null`.
    mutating func textOrNull(_ name: String) throws(EntryError) -> String? {
        if try null(name) { return nil }
        return try text(name)
    }

    /// Reads a member that is `null`; false, without reading anything, if it is another value.
    mutating func null(_ name: String) throws(EntryError) -> Bool {
        guard let place = valuePlace(of: name) else { throw .malformed(name, at: index) }
        guard place < bytes.count, bytes[place] == UInt8(ascii: "n") else { return false }
        index = place
        try take("null")
        return true
    }

    mutating func integer(_ name: String) throws(EntryError) -> Int64 {
        try take(name: name)
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: ","),
            bytes[index] != UInt8(ascii: "}")
        {
            index += 1
        }
        return try number(String(decoding: bytes[start..<index], as: UTF8.self), at: start)
    }

    mutating func time(_ name: String) throws(EntryError) -> Timestamp {
        Timestamp(seconds: try integer(name))
    }

    /// Reads an integer that is written as a text.
    mutating func number<Number: FixedWidthInteger>(
        _ name: String, as _: Number.Type = Number.self
    ) throws(EntryError) -> Number {
        try take(name: name)
        return try number()
    }

    mutating func flag(_ name: String) throws(EntryError) -> Bool {
        try take(name: name)
        return try flag()
    }

    mutating func hex(_ name: String) throws(EntryError) -> [UInt8] {
        try take(name: name)
        return try hex()
    }

    mutating func texts(_ name: String) throws(EntryError) -> [String] {
        try list(name) { reader throws(EntryError) in try reader.text() }
    }

    mutating func hexes(_ name: String) throws(EntryError) -> [[UInt8]] {
        try list(name) { reader throws(EntryError) in try reader.hex() }
    }

    mutating func list<Item>(
        _ name: String, _ read: (inout EntryReader) throws(EntryError) -> Item
    ) throws(EntryError) -> [Item] {
        try take(name: name)
        return try list(read)
    }

    /// Reads a list that is only written with something in it.
    mutating func filledList<Item>(
        _ name: String, _ read: (inout EntryReader) throws(EntryError) -> Item
    ) throws(EntryError) -> [Item] {
        let start = index
        let items = try list(name, read)
        guard !items.isEmpty else { throw .malformed(name, at: start) }
        return items
    }

    mutating func object<Value>(
        _ name: String, _ read: (inout EntryReader) throws(EntryError) -> Value
    ) throws(EntryError) -> Value {
        try take(name: name)
        return try object(read)
    }

    /// Reads a value that another module reads, in the form in which it is written.
    mutating func json<Value>(
        _ name: String, _ read: (JSON) -> Value?
    ) throws(EntryError) -> Value {
        try take(name: name)
        let start = index
        try skipValue()
        guard let json = try? JSON.parse(bytes.span.extracting(start..<index)),
            json.write().elementsEqual(bytes[start..<index]), let value = read(json)
        else { throw .malformed(name, at: start) }
        return value
    }

    // MARK: Values

    /// Reads a text.
    mutating func text() throws(EntryError) -> String {
        try take("\"")
        let start = index
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                defer { index += 1 }
                return try string(bytes.span.extracting(start..<index), at: start)
            }
            guard byte >= 0x20 else { throw .malformed("a text", at: index) }
            if byte == UInt8(ascii: "\\") { return try escapedText(from: start) }
            index += 1
        }
        throw .truncated
    }

    /// Reads bytes in hexadecimal.
    mutating func hex() throws(EntryError) -> [UInt8] {
        try take("\"")
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") { index += 1 }
        var value = [UInt8](repeating: 0, count: (index - start) / 2)
        var span = value.mutableSpan
        do throws(CodecError) {
            _ = try Hex.decode(bytes.span.extracting(start..<index), into: &span)
        } catch {
            throw .malformed("hexadecimal digits", at: start)
        }
        try take("\"")
        return value
    }

    /// Reads an integer that is written as a text.
    mutating func number<Number: FixedWidthInteger>() throws(EntryError) -> Number {
        let start = index
        return try number(text(), at: start)
    }

    /// Reads a truth value.
    mutating func flag() throws(EntryError) -> Bool {
        let isTrue = index < bytes.count && bytes[index] == UInt8(ascii: "t")
        try take(isTrue ? "true" : "false")
        return isTrue
    }

    /// True if this byte follows.
    func isNext(_ mark: Unicode.Scalar) -> Bool {
        index < bytes.count && bytes[index] == UInt8(ascii: mark)
    }

    /// The error that something else follows.
    func expected(_ what: String) -> EntryError { .malformed(what, at: index) }

    /// Reads a text that is one of the cases of a type.
    mutating func word<Word: RawRepresentable>(
        _: Word.Type = Word.self
    ) throws(EntryError) -> Word where Word.RawValue == String {
        let start = index
        let text = try text()
        guard let word = Word(rawValue: text), word.rawValue == text else {
            throw .malformed("a known word", at: start)
        }
        return word
    }

    /// Reads a list.
    mutating func list<Item>(
        _ read: (inout EntryReader) throws(EntryError) -> Item
    ) throws(EntryError) -> [Item] {
        try take("[")
        var items: [Item] = []
        while index < bytes.count, bytes[index] != UInt8(ascii: "]") {
            if !items.isEmpty { try take(",") }
            items.append(try read(&self))
        }
        try take("]")
        return items
    }

    /// Reads an object.
    mutating func object<Value>(
        _ read: (inout EntryReader) throws(EntryError) -> Value
    ) throws(EntryError) -> Value {
        try take("{")
        let value = try read(&self)
        try take("}")
        return value
    }

    /// Reads these bytes.
    mutating func take(_ text: String) throws(EntryError) {
        for byte in text.utf8 {
            guard index < bytes.count else { throw .truncated }
            guard bytes[index] == byte else { throw .malformed(text, at: index) }
            index += 1
        }
    }

    // MARK: Parts

    private mutating func take(name: String) throws(EntryError) {
        guard let place = valuePlace(of: name) else { throw .malformed(name, at: index) }
        index = place
    }

    /// The place of the next member's value, if the member has this name.
    private func valuePlace(of name: String) -> Int? {
        var place = index
        if place > 0, bytes[place - 1] != UInt8(ascii: "{") {
            guard place < bytes.count, bytes[place] == UInt8(ascii: ",") else { return nil }
            place += 1
        }
        let end = place + name.utf8.count + 3
        guard end <= bytes.count, bytes[place] == UInt8(ascii: "\""),
            bytes[end - 2] == UInt8(ascii: "\""), bytes[end - 1] == UInt8(ascii: ":")
        else { return nil }
        for byte in name.utf8 {
            place += 1
            guard bytes[place] == byte else { return nil }
        }
        return end
    }

    private func number<Number: FixedWidthInteger>(
        _ text: String, at start: Int
    ) throws(EntryError) -> Number {
        guard let value = Number(text), String(value) == text else {
            throw .malformed("an integer", at: start)
        }
        return value
    }

    private func string(_ part: Span<UInt8>, at start: Int) throws(EntryError) -> String {
        do throws(CodecError) {
            return try UTF8Text.decode(part)
        } catch {
            throw .malformed("a text", at: start)
        }
    }

    /// Reads a text with escapes, which begins at `start`.
    private mutating func escapedText(from start: Int) throws(EntryError) -> String {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\"") {
            index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1
        }
        guard index < bytes.count else { throw .truncated }
        index += 1
        // Texts can be escaped in several ways; the entry must have the one that is written.
        guard let json = try? JSON.parse(bytes.span.extracting(start - 1..<index)),
            let text = json.text, json.write().elementsEqual(bytes[start - 1..<index])
        else { throw .malformed("a text", at: start) }
        return text
    }

    private mutating func skipValue() throws(EntryError) {
        var depth = 0
        repeat {
            guard index < bytes.count else { throw .truncated }
            switch bytes[index] {
            case UInt8(ascii: "\""):
                _ = try text()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            index += 1
        } while depth > 0
    }
}
