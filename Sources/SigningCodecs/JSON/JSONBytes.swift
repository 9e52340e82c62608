// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// Reads exactly one RFC 8259 value; white space may surround it.
    ///
    /// Beyond the grammar it refuses duplicate names in an object, lone surrogates, a byte order
    /// mark, invalid UTF-8, and inputs over a limit.
    public static func parse(
        _ bytes: Span<UInt8>, limits: JSONLimits = JSONLimits()
    ) throws(CodecError) -> JSON {
        guard bytes.count <= limits.bytesMax else { throw .tooLong(limit: limits.bytesMax) }
        var reader = JSONReader(limits: limits)
        return try reader.document(bytes)
    }

    /// Writes the value without white space, members in their order.
    public func write() -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(Self.writeCapacity)
        append(to: &output)
        return output
    }

    /// Writes the value in printable ASCII, for text from outside that may appear on a terminal.
    public func writeASCII() -> [UInt8] {
        // Only texts can contain non-ASCII bytes.
        var output: [UInt8] = []
        for scalar in String(decoding: write(), as: UTF8.self).unicodeScalars {
            if (0x20..<0x7f).contains(scalar.value) {
                output.append(UInt8(scalar.value))
            } else {
                for unit in String(scalar).utf16 {
                    JSONText.appendEscape(of: unit, to: &output)
                }
            }
        }
        return output
    }

    /// Together with the header of the array's storage, this is a size that glibc caches.
    private static let writeCapacity = 960

    /// Appends the written value.
    package func append(to output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(let value): output.append(contentsOf: (value ? "true" : "false").utf8)
        case .integer(let value): output.append(contentsOf: String(value).utf8)
        case .number(let text): output.append(contentsOf: text.utf8)
        case .string(let text): JSONText.appendQuoted(text, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for index in elements.indices {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                elements[index].append(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let object):
            output.append(UInt8(ascii: "{"))
            for index in object.members.indices {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                JSONText.appendQuoted(object.members[index].name, to: &output)
                output.append(UInt8(ascii: ":"))
                object.members[index].value.append(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}
