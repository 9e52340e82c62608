// SPDX-License-Identifier: Apache-2.0

/// Reads Borsh fields in order; call `finish()` last.
public struct BorshReader: Sendable {
    private let bytes: [UInt8]
    /// The offset of the next field.
    public private(set) var offset = 0

    /// Makes a reader at the start of the bytes.
    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Reads one byte.
    public mutating func u8() throws(CodecError) -> UInt8 { try littleEndian() }

    /// Reads two bytes.
    public mutating func u16() throws(CodecError) -> UInt16 { try littleEndian() }

    /// Reads four bytes.
    public mutating func u32() throws(CodecError) -> UInt32 { try littleEndian() }

    /// Reads eight bytes.
    public mutating func u64() throws(CodecError) -> UInt64 { try littleEndian() }

    /// Reads sixteen bytes.
    public mutating func u128() throws(CodecError) -> UInt128 { try littleEndian() }

    /// Reads exactly this many bytes.
    public mutating func fixed(_ count: Int) throws(CodecError) -> [UInt8] {
        Array(bytes[try take(count)])
    }

    /// Reads a length, then that many bytes.
    public mutating func byteString(countMax: Int) throws(CodecError) -> [UInt8] {
        try fixed(try length(countMax: countMax))
    }

    /// Reads a length in bytes, then UTF-8 text.
    public mutating func string(countMax: Int) throws(CodecError) -> String {
        let range = try take(try length(countMax: countMax))
        return try UTF8Text.decode(bytes.span.extracting(range), at: range.lowerBound)
    }

    /// Reads the tag of an option; true if its value follows.
    public mutating func option() throws(CodecError) -> Bool {
        switch try u8() {
        case 0: false
        case 1: true
        default: throw .malformed("option tag is not 0 or 1", at: offset - 1)
        }
    }

    /// Checks that no bytes follow.
    public func finish() throws(CodecError) {
        guard offset == bytes.count else { throw .trailing(at: offset) }
    }

    private mutating func take(_ count: Int) throws(CodecError) -> Range<Int> {
        guard count <= bytes.count - offset else { throw .truncated }
        offset += count
        return (offset - count)..<offset
    }

    private mutating func length(countMax: Int) throws(CodecError) -> Int {
        let count = Int(try u32())
        guard count <= countMax else { throw .tooLong(limit: countMax) }
        return count
    }

    private mutating func littleEndian<Integer: FixedWidthInteger>() throws(CodecError) -> Integer {
        var value: Integer = 0
        for place in try take(Integer.bitWidth / 8).reversed() {
            value = value << 8 | Integer(bytes[place])
        }
        return value
    }
}
