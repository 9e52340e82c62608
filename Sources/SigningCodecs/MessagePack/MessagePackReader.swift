// SPDX-License-Identifier: Apache-2.0

/// One pass over canonical MessagePack bytes.
///
/// Each step takes the bytes as an argument, because a stored span would tie the reader to their
/// lifetime.
struct MessagePackReader {
    private let limits: CodecLimits
    private var valuesLeft: Int
    private var index = 0

    init(limits: CodecLimits) {
        self.limits = limits
        valuesLeft = limits.valuesMax
    }

    mutating func document(_ bytes: Span<UInt8>) throws(CodecError) -> MessagePack {
        let value = try value(bytes, depth: 0)
        guard index == bytes.count else { throw .trailing(at: index) }
        return value
    }

    mutating func sequence(_ bytes: Span<UInt8>) throws(CodecError) -> [MessagePack] {
        var values: [MessagePack] = []
        while index < bytes.count { values.append(try value(bytes, depth: 0)) }
        return values
    }

    private mutating func value(
        _ bytes: Span<UInt8>, depth: Int
    ) throws(CodecError) -> MessagePack {
        valuesLeft -= 1
        guard valuesLeft >= 0 else { throw .tooLong(limit: limits.valuesMax) }
        let start = index
        let head = try byte(bytes)
        switch head {
        case 0x00...0x7f: return .unsigned(UInt64(head))
        case 0xcc...0xcf:
            return .unsigned(try integer(bytes, width: 1 << Int(head - 0xcc), at: start))
        case 0xc2, 0xc3: return .bool(head == 0xc3)
        case 0xa0...0xbf, 0xd9...0xdb:
            let range = try textRange(bytes, head: head, at: start)
            guard let string = try? text(bytes, range) else {
                return .textBytes([UInt8](copying: bytes.extracting(range)))
            }
            return .text(string)
        case 0xc4...0xc6:
            let range = try binaryRange(bytes, head: head, at: start)
            return .binary([UInt8](copying: bytes.extracting(range)))
        case 0x90...0x9f, 0xdc, 0xdd:
            let count = try containerCount(bytes, head: head, at: start)
            return .array(try array(bytes, count: count, depth: depth + 1))
        case 0x80...0x8f, 0xde, 0xdf:
            let count = try containerCount(bytes, head: head, at: start)
            return .map(try map(bytes, count: count, depth: depth + 1))
        default: throw .notCanonical(Self.refusal(of: head), at: start)
        }
    }

    private static func refusal(of head: UInt8) -> String {
        switch head {
        case 0xc0: "nil value"
        case 0xca, 0xcb: "floating point number"
        case 0xd0...0xd3, 0xe0...0xff: "signed integer"
        case 0xc7...0xc9, 0xd4...0xd8: "extension type"
        default: "unused type byte"
        }
    }

    // MARK: Containers

    private mutating func array(
        _ bytes: Span<UInt8>, count: Int, depth: Int
    ) throws(CodecError) -> [MessagePack] {
        guard depth <= limits.depthMax else { throw .tooDeep(limit: limits.depthMax) }
        // Each element has at least one byte, so an impossible count is refused before memory is
        // reserved.
        guard count <= bytes.count - index else { throw .truncated }
        guard count <= valuesLeft else { throw .tooLong(limit: limits.valuesMax) }
        var elements: [MessagePack] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try value(bytes, depth: depth)) }
        return elements
    }

    private mutating func map(
        _ bytes: Span<UInt8>, count: Int, depth: Int
    ) throws(CodecError) -> [MessagePackMember] {
        guard depth <= limits.depthMax else { throw .tooDeep(limit: limits.depthMax) }
        guard count <= (bytes.count - index) / 2 else { throw .truncated }
        guard count <= valuesLeft else { throw .tooLong(limit: limits.valuesMax) }
        var members: [MessagePackMember] = []
        members.reserveCapacity(count)
        var previous: Range<Int>?
        for _ in 0..<count {
            let start = index
            let head = try byte(bytes)
            guard 0xa0...0xbf ~= head || 0xd9...0xdb ~= head else {
                throw .notCanonical("map key is not text", at: start)
            }
            let range = try textRange(bytes, head: head, at: start)
            let name = try text(bytes, range)
            if let previous {
                let order = Self.order(of: bytes.extracting(previous), bytes.extracting(range))
                if order == 0 { throw .duplicateKey(name) }
                guard order < 0 else {
                    throw .notCanonical("map keys not in canonical order", at: start)
                }
            }
            previous = range
            members.append(.init(name: name, value: try value(bytes, depth: depth)))
        }
        return members
    }

    /// Returns a negative number if `one` comes before `other` bytewise, zero if they are equal.
    private static func order(of one: Span<UInt8>, _ other: Span<UInt8>) -> Int {
        for index in 0..<min(one.count, other.count) where one[index] != other[index] {
            return Int(one[index]) - Int(other[index])
        }
        return one.count - other.count
    }

    // MARK: Parts

    private mutating func byte(_ bytes: Span<UInt8>) throws(CodecError) -> UInt8 {
        guard index < bytes.count else { throw .truncated }
        index += 1
        return bytes[index - 1]
    }

    private mutating func take(
        _ count: Int, _ bytes: Span<UInt8>
    ) throws(CodecError) -> Range<Int> {
        guard count <= bytes.count - index else { throw .truncated }
        index += count
        return (index - count)..<index
    }

    private mutating func bigEndian(
        _ bytes: Span<UInt8>, width: Int
    ) throws(CodecError) -> UInt64 {
        var value: UInt64 = 0
        for place in try take(width, bytes) { value = value << 8 | UInt64(bytes[place]) }
        return value
    }

    private mutating func integer(
        _ bytes: Span<UInt8>, width: Int, at start: Int
    ) throws(CodecError) -> UInt64 {
        let value = try bigEndian(bytes, width: width)
        // The value must not fit the next smaller form: 7 bits, or half the width.
        let shorterBits = width == 1 ? 7 : width * 4
        guard value >> shorterBits != 0 else {
            throw .notCanonical("integer not in shortest form", at: start)
        }
        return value
    }

    /// Reads a length that is at least `least`, the first one that a shorter form cannot contain.
    private mutating func length(
        _ bytes: Span<UInt8>, width: Int, least: Int, at start: Int
    ) throws(CodecError) -> Int {
        let value = Int(try bigEndian(bytes, width: width))
        guard value >= least else {
            throw .notCanonical("length not in shortest form", at: start)
        }
        return value
    }

    private mutating func textRange(
        _ bytes: Span<UInt8>, head: UInt8, at start: Int
    ) throws(CodecError) -> Range<Int> {
        switch head {
        case 0xd9: try take(try length(bytes, width: 1, least: 32, at: start), bytes)
        case 0xda: try take(try length(bytes, width: 2, least: 0x100, at: start), bytes)
        case 0xdb: try take(try length(bytes, width: 4, least: 0x1_0000, at: start), bytes)
        default: try take(Int(head & 0x1f), bytes)
        }
    }

    private mutating func binaryRange(
        _ bytes: Span<UInt8>, head: UInt8, at start: Int
    ) throws(CodecError) -> Range<Int> {
        switch head {
        case 0xc4: try take(try length(bytes, width: 1, least: 0, at: start), bytes)
        case 0xc5: try take(try length(bytes, width: 2, least: 0x100, at: start), bytes)
        default: try take(try length(bytes, width: 4, least: 0x1_0000, at: start), bytes)
        }
    }

    private func text(_ bytes: Span<UInt8>, _ range: Range<Int>) throws(CodecError) -> String {
        try UTF8Text.decode(bytes.extracting(range), at: range.lowerBound)
    }

    private mutating func containerCount(
        _ bytes: Span<UInt8>, head: UInt8, at start: Int
    ) throws(CodecError) -> Int {
        switch head {
        case 0xdc, 0xde: try length(bytes, width: 2, least: 16, at: start)
        case 0xdd, 0xdf: try length(bytes, width: 4, least: 0x1_0000, at: start)
        default: Int(head & 0x0f)
        }
    }
}
