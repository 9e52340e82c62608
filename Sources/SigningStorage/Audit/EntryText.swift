// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore

/// The text of an entry while it is written: a JSON object without white space.
///
/// Names are added in the order of their bytes, "time" and what is known with it by the end.
struct EntryText: Sendable {
    private var bytes: [UInt8] = []
    private var last = ""

    init() { bytes.reserveCapacity(Self.usualCount) }

    /// What an intent takes, about.
    private static let usualCount = 960

    mutating func add(_ name: String, _ text: String) {
        begin(name)
        JSONText.appendQuoted(text, to: &bytes)
    }

    mutating func add(_ name: String, hex value: [UInt8]) {
        begin(name)
        bytes.append(UInt8(ascii: "\""))
        Hex.append(value.span, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    mutating func add(_ name: String, _ number: Int64) {
        begin(name)
        bytes.append(contentsOf: String(number).utf8)
    }

    mutating func add(_ name: String, _ texts: some Sequence<String>) {
        begin(name)
        var separator = UInt8(ascii: "[")
        for text in texts {
            bytes.append(separator)
            JSONText.appendQuoted(text, to: &bytes)
            separator = UInt8(ascii: ",")
        }
        if separator == UInt8(ascii: "[") { bytes.append(separator) }
        bytes.append(UInt8(ascii: "]"))
    }

    mutating func add(_ name: String, _ value: JSON) {
        begin(name)
        value.append(to: &bytes)
    }

    /// All of it, with the time that it has on record, and what was used of its claims before.
    func ended(at time: Timestamp, used: [Int128] = []) -> [UInt8] {
        var copy = self
        copy.add("time", time.seconds)
        if !used.isEmpty { copy.add("used", used.map { String($0) }) }
        copy.bytes.append(UInt8(ascii: "}"))
        return copy.bytes
    }

    private mutating func begin(_ name: String) {
        assert(last.utf8.lexicographicallyPrecedes(name.utf8), "the names are not in order")
        last = name
        bytes.append(bytes.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
        JSONText.appendQuoted(name, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
    }
}
