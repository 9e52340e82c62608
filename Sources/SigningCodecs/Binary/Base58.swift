// SPDX-License-Identifier: Apache-2.0

/// Base58 with the Bitcoin alphabet and no checksum, as in NEAR keys.
///
/// The work grows with the square of the length, so keep the limit near the field's length.
public enum Base58 {
    /// The longest output in bytes, by default.
    public static let countMax = 128

    /// Writes a number in base 58; each leading zero byte becomes a "1".
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var text = [UInt8](repeating: 0, count: textCountMax(count: bytes.count))
        var span = text.mutableSpan
        let count = encode(bytes, into: &span)
        text.removeLast(text.count - count)
        return text.asciiText
    }

    /// Returns an upper bound of the text length for this number of bytes.
    public static func textCountMax(count: Int) -> Int { count * 7 / 5 + 1 }

    /// Writes a secret into lent memory of `textCountMax` and returns the length of its text.
    ///
    /// The digits are written there only.
    public static func encode(
        _ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) -> Int {
        precondition(
            output.count >= textCountMax(count: bytes.count), "there is no room for the digits")
        let zeros = leading(0, in: bytes)
        // The digits are in output[0..<count], the lowest first, until they are reversed.
        var count = 0
        var index = zeros
        while index < bytes.count {
            // Seven bytes per pass: 57 << 56 and the carry still fit 64 bits.
            let end = min(index + 7, bytes.count)
            let shift = UInt64(8 * (end - index))
            var carry: UInt64 = 0
            while index < end {
                carry = carry << 8 | UInt64(bytes[index])
                index += 1
            }
            for place in 0..<count {
                carry += UInt64(output[place]) << shift
                output[place] = UInt8(carry % 58)
                carry /= 58
            }
            while carry > 0 {
                output[count] = UInt8(carry % 58)
                carry /= 58
                count += 1
            }
        }
        for place in count..<(count + zeros) { output[place] = 0 }
        count += zeros
        reverse(&output, count: count)
        let symbols = SymbolTable.base58.digits
        for place in 0..<count { output[place] = symbols[Int(output[place])] }
        return count
    }

    /// Reads a text form of at most `countMax` bytes.
    public static func decode(
        _ text: String, countMax: Int = Self.countMax
    ) throws(CodecError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: min(countMax, text.utf8.count))
        var span = output.mutableSpan
        let count = try decode(text.utf8.span, into: &span)
        output.removeLast(output.count - count)
        return output
    }

    /// Reads a secret into lent memory and returns its length.
    ///
    /// The bytes are written there only. After an error `output` is unspecified. A value that is
    /// too long for `output` is refused as soon as it overflows, which bounds the work.
    public static func decode(
        _ text: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(CodecError) -> Int {
        let zeros = leading(UInt8(ascii: "1"), in: text)
        var count = 0
        var index = zeros
        // The number is in output[0..<count], lowest byte first, until it is reversed.
        while index < text.count {
            var (carry, factor) = try chunk(of: text, at: &index)
            for place in 0..<count {
                carry += UInt64(output[place]) * factor
                output[place] = UInt8(truncatingIfNeeded: carry)
                carry >>= 8
            }
            while carry > 0 {
                guard count < output.count else { throw .tooLong(limit: output.count) }
                output[count] = UInt8(truncatingIfNeeded: carry)
                count += 1
                carry >>= 8
            }
        }
        guard zeros <= output.count - count else { throw .tooLong(limit: output.count) }
        for place in count..<(count + zeros) { output[place] = 0 }
        reverse(&output, count: count + zeros)
        return count + zeros
    }

    /// Returns the value of up to nine digits and the power of 58 that they span.
    ///
    /// 255 * 58^9 plus a carry below 58^9 still fits 64 bits.
    private static func chunk(
        of text: Span<UInt8>, at index: inout Int
    ) throws(CodecError) -> (value: UInt64, factor: UInt64) {
        let values = SymbolTable.base58.values
        var value: UInt64 = 0
        var factor: UInt64 = 1
        let end = min(index + 9, text.count)
        while index < end {
            let digit = values[Int(text[index])]
            guard digit < 58 else { throw .malformed("not a base58 digit", at: index) }
            value = value * 58 + UInt64(digit)
            factor *= 58
            index += 1
        }
        return (value, factor)
    }

    private static func leading(_ byte: UInt8, in bytes: Span<UInt8>) -> Int {
        var count = 0
        while count < bytes.count, bytes[count] == byte { count += 1 }
        return count
    }

    private static func reverse(_ bytes: inout MutableSpan<UInt8>, count: Int) {
        var low = 0
        var high = count - 1
        while low < high {
            (bytes[low], bytes[high]) = (bytes[high], bytes[low])
            low += 1
            high -= 1
        }
    }
}
