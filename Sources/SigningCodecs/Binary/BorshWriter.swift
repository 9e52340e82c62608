// SPDX-License-Identifier: Apache-2.0

/// Writes Borsh: little-endian integers, lengths of four bytes, no tags for fields.
public struct BorshWriter: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    /// Makes an empty writer, with room for as many bytes as are expected.
    public init(expecting count: Int = 0) { bytes.reserveCapacity(count) }

    /// Writes one byte.
    public mutating func u8(_ value: UInt8) { bytes.append(value) }

    /// Writes two bytes.
    public mutating func u16(_ value: UInt16) { appendLittleEndian(value) }

    /// Writes four bytes.
    public mutating func u32(_ value: UInt32) { appendLittleEndian(value) }

    /// Writes eight bytes.
    public mutating func u64(_ value: UInt64) { appendLittleEndian(value) }

    /// Writes sixteen bytes.
    public mutating func u128(_ value: UInt128) { appendLittleEndian(value) }

    /// Writes bytes unchanged, such as a fixed array or an encoded part.
    public mutating func append(_ raw: [UInt8]) { bytes.append(contentsOf: raw) }

    /// Writes a length and bytes.
    public mutating func byteString(_ value: [UInt8]) {
        u32(UInt32(value.count))
        append(value)
    }

    /// Writes a length in bytes and UTF-8.
    public mutating func string(_ value: String) {
        u32(UInt32(value.utf8.count))
        bytes.append(contentsOf: value.utf8)
    }

    /// Writes the tag 1 and the text, or the tag 0.
    public mutating func option(_ value: String?) {
        u8(value == nil ? 0 : 1)
        if let value { string(value) }
    }

    private mutating func appendLittleEndian<Integer: FixedWidthInteger>(_ value: Integer) {
        for shift in stride(from: 0, to: Integer.bitWidth, by: 8) {
            bytes.append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }
}
