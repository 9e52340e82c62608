// SPDX-License-Identifier: Apache-2.0

/// RFC 4648 Base64 without white space.
public enum Base64 {
    /// The digits for 62 and 63 in written text.
    public enum Alphabet: Hashable, Sendable {
        /// "+" and "/".
        case standard
        /// "-" and "_".
        case url
    }

    /// The accepted digits for 62 and 63.
    public enum Accepted: Hashable, Sendable {
        /// "+" and "/".
        case standard
        /// "-" and "_".
        case url
        /// One of the two alphabets, never both in one text.
        case either
    }

    /// The rule for "=" up to a multiple of four digits.
    public enum Padding: Hashable, Sendable {
        case required, forbidden, optional
    }

    /// The longest output in bytes, by default.
    public static let countMax = 1 << 20

    /// Writes the one text form of the bytes.
    public static func encode(
        _ bytes: Span<UInt8>, alphabet: Alphabet = .standard, padding: Bool = true
    ) -> String {
        let table: SymbolTable = alphabet == .standard ? .base64 : .base64URL
        let digits = table.digits
        let rest = bytes.count % 3
        let paddingCount = padding && rest > 0 ? 3 - rest : 0
        let digitCount = bytes.count / 3 * 4 + (rest > 0 ? rest + 1 : 0)
        var text = [UInt8](repeating: UInt8(ascii: "="), count: digitCount + paddingCount)
        var output = text.mutableSpan
        var place = 0
        for index in stride(from: 0, to: bytes.count - rest, by: 3) {
            let bits = Int(bytes[index]) << 16 | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2])
            output[place] = digits[bits >> 18]
            output[place + 1] = digits[bits >> 12 & 63]
            output[place + 2] = digits[bits >> 6 & 63]
            output[place + 3] = digits[bits & 63]
            place += 4
        }
        if rest > 0 {
            let first = Int(bytes[bytes.count - rest])
            let bits = first << 16 | (rest > 1 ? Int(bytes[bytes.count - 1]) << 8 : 0)
            output[place] = digits[bits >> 18]
            output[place + 1] = digits[bits >> 12 & 63]
            if rest > 1 { output[place + 2] = digits[bits >> 6 & 63] }
        }
        return text.asciiText
    }

    /// Reads a text form of at most `countMax` bytes; leftover bits must be zero.
    public static func decode(
        _ text: String, alphabet: Accepted = .standard, padding: Padding = .required,
        countMax: Int = Self.countMax
    ) throws(CodecError) -> [UInt8] {
        let text = text.utf8.span
        let count = try digitCount(of: text, padding: padding) * 3 / 4
        guard count <= countMax else { throw .tooLong(limit: countMax) }
        var output = [UInt8](repeating: 0, count: count)
        var span = output.mutableSpan
        _ = try decode(text, into: &span, alphabet: alphabet, padding: padding)
        return output
    }

    /// Reads a secret into lent memory and returns its length.
    ///
    /// The bytes are written there only. After an error `output` is unspecified.
    public static func decode(
        _ text: Span<UInt8>, into output: inout MutableSpan<UInt8>,
        alphabet: Accepted = .standard, padding: Padding = .required
    ) throws(CodecError) -> Int {
        let digitCount = try digitCount(of: text, padding: padding)
        let count = digitCount * 3 / 4
        guard count <= output.count else { throw .tooLong(limit: output.count) }
        let table: SymbolTable = usesURL(text, alphabet) ? .base64URL : .base64
        let values = table.values
        var written = 0
        let wholeCount = digitCount - digitCount % 4
        for index in stride(from: 0, to: wholeCount, by: 4) {
            let bits = try value(of: text, from: index, to: index + 4, values)
            output[written] = UInt8(truncatingIfNeeded: bits >> 16)
            output[written + 1] = UInt8(truncatingIfNeeded: bits >> 8)
            output[written + 2] = UInt8(truncatingIfNeeded: bits)
            written += 3
        }
        let bits = try value(of: text, from: wholeCount, to: digitCount, values)
        var bitCount = (digitCount - wholeCount) * 6
        while bitCount >= 8 {
            bitCount -= 8
            output[written] = UInt8(truncatingIfNeeded: bits >> bitCount)
            written += 1
        }
        guard bits & (1 << bitCount - 1) == 0 else {
            throw .notCanonical("trailing bits are not zero", at: digitCount - 1)
        }
        return count
    }

    /// Returns the values of at most four digits, the first one highest.
    private static func value(
        of text: Span<UInt8>, from start: Int, to end: Int, _ values: [UInt8]
    ) throws(CodecError) -> UInt32 {
        var bits: UInt32 = 0
        for index in start..<end {
            let value = values[Int(text[index])]
            guard value < 64 else { throw .malformed("not a base64 digit", at: index) }
            bits = bits << 6 | UInt32(value)
        }
        return bits
    }

    /// Returns the number of digits before the padding; checks both lengths.
    private static func digitCount(
        of text: Span<UInt8>, padding: Padding
    ) throws(CodecError) -> Int {
        var count = text.count
        while count > 0, text.count - count < 2, text[count - 1] == UInt8(ascii: "=") { count -= 1 }
        guard count % 4 != 1 else { throw .truncated }
        let isPadded = count < text.count
        if isPadded, padding == .forbidden { throw .malformed("unexpected padding", at: count) }
        if isPadded || padding == .required {
            guard text.count % 4 == 0 else { throw .malformed("wrong padding", at: count) }
        }
        return count
    }

    private static func usesURL(_ text: Span<UInt8>, _ alphabet: Accepted) -> Bool {
        switch alphabet {
        case .standard: return false
        case .url: return true
        case .either:
            for index in text.indices
            where text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "_") {
                return true
            }
            return false
        }
    }
}
