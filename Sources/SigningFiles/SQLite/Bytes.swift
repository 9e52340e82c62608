// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    /// Appends an integer, most significant byte first.
    @inlinable
    package mutating func append(bigEndian value: some FixedWidthInteger & UnsignedInteger) {
        for shift in stride(from: value.bitWidth - 8, through: 0, by: -8) {
            append(UInt8(truncatingIfNeeded: value >> shift))
        }
    }

    /// Appends bytes after their length, so that different lists of fields have different
    /// encodings.
    @inlinable
    package mutating func append(lengthPrefixed bytes: some Collection<UInt8>) {
        append(bigEndian: UInt64(bytes.count))
        append(contentsOf: bytes)
    }
}
