// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// Writes the text of an entry into one buffer: JSON without white space.
///
/// The caller adds members in the order of the bytes of their names.
struct EntryWriter {
    private(set) var bytes: [UInt8] = []
    /// The place of the member `time`, which is not written.
    private(set) var timePlace = 0
    private let entryKind: String
    private let entryClock: Timestamp

    /// Begins an entry.
    init(_ kind: AuditKind, at clock: Timestamp) {
        entryKind = kind.rawValue
        entryClock = clock
        bytes.reserveCapacity(Self.usualCount)
        bytes.append(UInt8(ascii: "{"))
    }

    /// Continues a text.
    init(copying start: ArraySlice<UInt8>, moreBytes capacity: Int) {
        self.init(.intent, at: Timestamp(seconds: 0))
        bytes.reserveCapacity(capacity)
        bytes.removeAll(keepingCapacity: true)
        bytes += start
    }

    /// The usual size of an intent, in bytes.
    private static let usualCount = 960

    /// Adds the member `clock`.
    mutating func clock() { integer("clock", entryClock.seconds) }

    /// Adds the member `kind`.
    mutating func kind() { text("kind", entryKind) }

    /// Keeps the place of the member `time`.
    mutating func time() { timePlace = bytes.count }

    /// Ends the entry.
    mutating func end() { bytes.append(UInt8(ascii: "}")) }

    // MARK: Members

    mutating func text(_ name: String, _ text: String) {
        self.name(name)
        JSONText.appendQuoted(text, to: &bytes)
    }

    /// Adds a text, or `null`.
    mutating func textOrNull(_ name: String, _ text: String?) {
        guard let text else { return null(name) }
        self.text(name, text)
    }

    mutating func integer(_ name: String, _ number: Int64) {
        self.name(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    mutating func flag(_ name: String, _ flag: Bool) {
        self.name(name)
        put(flag)
    }

    mutating func null(_ name: String) {
        self.name(name)
        bytes.append(contentsOf: "null".utf8)
    }

    mutating func hex(_ name: String, _ value: [UInt8]) {
        self.name(name)
        put(hex: value)
    }

    /// Adds a value that another module writes.
    mutating func json(_ name: String, _ value: JSON) {
        self.name(name)
        value.append(to: &bytes)
    }

    mutating func texts(_ name: String, _ texts: some Sequence<String>) {
        list(name, texts) { writer, text in writer.put(text) }
    }

    mutating func hexes(_ name: String, _ values: [[UInt8]]) {
        list(name, values) { writer, value in writer.put(hex: value) }
    }

    mutating func list<Items: Sequence>(
        _ name: String, _ items: Items, _ put: (inout EntryWriter, Items.Element) -> Void
    ) {
        self.name(name)
        self.put(items, put)
    }

    mutating func object(_ name: String, _ put: (inout EntryWriter) -> Void) {
        self.name(name)
        self.put(put)
    }

    // MARK: Values

    /// Puts a text.
    mutating func put(_ text: String) { JSONText.appendQuoted(text, to: &bytes) }

    /// Puts bytes in hexadecimal.
    mutating func put(hex value: [UInt8]) {
        bytes.append(UInt8(ascii: "\""))
        Hex.append(value.span, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Puts a truth value.
    mutating func put(_ flag: Bool) {
        bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    }

    /// Puts a list.
    mutating func put<Items: Sequence>(
        _ items: Items, _ put: (inout EntryWriter, Items.Element) -> Void
    ) {
        bytes.append(UInt8(ascii: "["))
        for item in items {
            separate(after: "[")
            put(&self, item)
        }
        bytes.append(UInt8(ascii: "]"))
    }

    /// Puts an object.
    mutating func put(_ members: (inout EntryWriter) -> Void) {
        bytes.append(UInt8(ascii: "{"))
        members(&self)
        bytes.append(UInt8(ascii: "}"))
    }

    /// Puts one byte of punctuation.
    mutating func punctuate(_ mark: Unicode.Scalar) { bytes.append(UInt8(ascii: mark)) }

    /// Puts a comma, unless the container was just opened.
    ///
    /// A text ends in a quote, so the last byte tells both apart.
    private mutating func separate(after opening: Unicode.Scalar) {
        if bytes.last != UInt8(ascii: opening) { bytes.append(UInt8(ascii: ",")) }
    }

    private mutating func name(_ name: String) {
        separate(after: "{")
        bytes.append(UInt8(ascii: "\""))
        bytes.append(contentsOf: name.utf8)
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }
}
