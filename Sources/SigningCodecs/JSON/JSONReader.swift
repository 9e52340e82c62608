// SPDX-License-Identifier: Apache-2.0

/// One pass over the bytes of a JSON text; numbers and strings are in `JSONScalars.swift`.
///
/// Each step takes the bytes as an argument, because a stored span would tie the reader to their
/// lifetime.
struct JSONReader {
    private let limits: JSONLimits
    private var valuesLeft: Int
    var index = 0

    init(limits: JSONLimits) {
        self.limits = limits
        valuesLeft = limits.valuesMax
    }

    mutating func document(_ bytes: Span<UInt8>) throws(CodecError) -> JSON {
        let value = try value(bytes, depth: 0)
        skipSpace(bytes)
        guard index == bytes.count else { throw .trailing(at: index) }
        return value
    }

    private mutating func value(_ bytes: Span<UInt8>, depth: Int) throws(CodecError) -> JSON {
        let byte = try nextSymbol(bytes)
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw .tooLong(limit: limits.valuesMax) }
        switch byte {
        case UInt8(ascii: "{"): return .object(try object(bytes, depth: depth + 1))
        case UInt8(ascii: "["): return .array(try array(bytes, depth: depth + 1))
        case JSONText.quote: return .string(try text(bytes))
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try number(bytes)
        case UInt8(ascii: "t"): try literal("true", bytes); return .bool(true)
        case UInt8(ascii: "f"): try literal("false", bytes); return .bool(false)
        case UInt8(ascii: "n"): try literal("null", bytes); return .null
        default: throw .malformed("expected a JSON value", at: index)
        }
    }

    private mutating func array(_ bytes: Span<UInt8>, depth: Int) throws(CodecError) -> [JSON] {
        guard depth <= limits.depthMax else { throw .tooDeep(limit: limits.depthMax) }
        index += 1
        var elements: [JSON] = []
        if try nextSymbol(bytes) == UInt8(ascii: "]") {
            index += 1
            return elements
        }
        repeat {
            elements.append(try value(bytes, depth: depth))
        } while try continues(bytes, until: UInt8(ascii: "]"))
        return elements
    }

    private mutating func object(
        _ bytes: Span<UInt8>, depth: Int
    ) throws(CodecError) -> JSONObject {
        guard depth <= limits.depthMax else { throw .tooDeep(limit: limits.depthMax) }
        index += 1
        var object = JSONObject()
        var names = SeenNames()
        if try nextSymbol(bytes) == UInt8(ascii: "}") {
            index += 1
            return object
        }
        repeat {
            guard try nextSymbol(bytes) == JSONText.quote else {
                throw .malformed("expected a member name", at: index)
            }
            let name = try text(bytes)
            guard names.insert(name) else { throw .duplicateKey(name) }
            guard try nextSymbol(bytes) == UInt8(ascii: ":") else {
                throw .malformed("expected a colon", at: index)
            }
            index += 1
            object.members.append(.init(name: name, value: try value(bytes, depth: depth)))
        } while try continues(bytes, until: UInt8(ascii: "}"))
        return object
    }

    /// Reads a comma (true) or the end of the container (false).
    private mutating func continues(
        _ bytes: Span<UInt8>, until end: UInt8
    ) throws(CodecError) -> Bool {
        let byte = try nextSymbol(bytes)
        guard byte == end || byte == UInt8(ascii: ",") else {
            throw .malformed("expected a comma or the end", at: index)
        }
        index += 1
        return byte != end
    }

    private mutating func literal(_ word: String, _ bytes: Span<UInt8>) throws(CodecError) {
        for byte in word.utf8 {
            guard index < bytes.count else { throw .truncated }
            guard bytes[index] == byte else { throw .malformed("expected a JSON value", at: index) }
            index += 1
        }
    }

    /// Returns the next byte that is not white space, without consuming it.
    private mutating func nextSymbol(_ bytes: Span<UInt8>) throws(CodecError) -> UInt8 {
        skipSpace(bytes)
        guard index < bytes.count else { throw .truncated }
        return bytes[index]
    }

    private mutating func skipSpace(_ bytes: Span<UInt8>) {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0a, 0x0d, 0x09: index += 1
            default: return
            }
        }
    }
}
