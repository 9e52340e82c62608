// SPDX-License-Identifier: Apache-2.0

/// RFC 4648 Base32 in upper case without padding, as in Algorand addresses.
public enum Base32 {
    /// The longest output in bytes, by default.
    public static let countMax = 4096

    /// Writes upper-case digits without padding.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        let digits = SymbolTable.base32.digits
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var bits: UInt32 = 0
        var bitCount = 0
        for index in bytes.indices {
            bits = bits << 8 | UInt32(bytes[index])
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                text.append(digits[Int(bits >> bitCount) & 31])
            }
        }
        if bitCount > 0 { text.append(digits[Int(bits << (5 - bitCount)) & 31]) }
        return text.asciiText
    }

    /// Reads the one text form of some bytes; leftover bits must be zero.
    public static func decode(
        _ text: String, countMax: Int = Self.countMax
    ) throws(CodecError) -> [UInt8] {
        let text = text.utf8.span
        let values = SymbolTable.base32.values
        guard text.count * 5 / 8 <= countMax else { throw .tooLong(limit: countMax) }
        var output: [UInt8] = []
        output.reserveCapacity(text.count * 5 / 8)
        var bits: UInt32 = 0
        var bitCount = 0
        for index in text.indices {
            let value = values[Int(text[index])]
            guard value < 32 else { throw .malformed("not a base32 digit", at: index) }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                output.append(UInt8(truncatingIfNeeded: bits >> bitCount))
            }
        }
        // A complete unused digit cannot end any byte string.
        guard bitCount < 5 else { throw .truncated }
        guard bits & (1 << bitCount - 1) == 0 else {
            throw .notCanonical("trailing bits are not zero", at: text.count - 1)
        }
        return output
    }
}
