// SPDX-License-Identifier: Apache-2.0

/// BIP-173 bech32 (not bech32m) without the limit of 90 characters, as in NIP-19.
public enum Bech32 {
    /// The longest output in bytes, by default.
    public static let countMax = 65_536

    /// Writes a lower-case text; `hrp` is 1 to 83 printable ASCII characters, none upper case.
    public static func encode(hrp: String, _ bytes: Span<UInt8>) -> String {
        var text = [UInt8](repeating: 0, count: textCount(hrp: hrp, count: bytes.count))
        var span = text.mutableSpan
        encode(hrp: hrp, bytes, into: &span)
        return text.asciiText
    }

    /// Returns the length of the text of this number of bytes.
    public static func textCount(hrp: String, count: Int) -> Int {
        hrp.utf8.count + 1 + (count * 8 + 4) / 5 + Checksum.digitCount
    }

    /// Writes a secret into lent memory of exactly the length of the text.
    public static func encode(
        hrp: String, _ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) {
        precondition(isHRP(hrp), "the human-readable part is not lower-case printable ASCII")
        precondition(output.count == textCount(hrp: hrp, count: bytes.count))
        let digits = SymbolTable.bech32.digits
        var checksum = Checksum()
        let prefix = hrp.utf8.span
        checksum.add(hrp: prefix)
        var place = 0
        func append(_ byte: UInt8, _ output: inout MutableSpan<UInt8>) {
            output[place] = byte
            place += 1
        }
        for index in prefix.indices { append(prefix[index], &output) }
        append(separator, &output)
        var bits: UInt32 = 0
        var bitCount = 0
        for index in 0...bytes.count {
            // After the last byte, zero bits fill the last digit.
            let isEnd = index == bytes.count
            bits = isEnd ? bits << 4 : bits << 8 | UInt32(bytes[index])
            bitCount += isEnd ? 4 : 8
            while bitCount >= 5 {
                bitCount -= 5
                let value = UInt8(truncatingIfNeeded: bits >> bitCount) & 31
                checksum.add(value)
                append(digits[Int(value)], &output)
            }
        }
        for value in checksum.digits { append(digits[Int(value)], &output) }
    }

    /// Reads a text with any human-readable part, which is returned in lower case.
    public static func decode(
        _ text: String, countMax: Int = Self.countMax
    ) throws(CodecError) -> (hrp: String, bytes: [UInt8]) {
        let text = text.utf8.span
        let hrpCount = try hrpCount(of: text)
        let count = (text.count - hrpCount - 1 - Checksum.digitCount) * 5 / 8
        guard count <= countMax else { throw .tooLong(limit: countMax) }
        var output = [UInt8](repeating: 0, count: count)
        var span = output.mutableSpan
        _ = try decodeData(of: text, after: hrpCount, into: &span)
        var hrp: [UInt8] = []
        for index in 0..<hrpCount { hrp.append(lowerCase(text[index])) }
        return (hrp.asciiText, output)
    }

    /// Reads a secret with a known human-readable part into lent memory and returns its length.
    ///
    /// The bytes are written there only. After an error `output` is unspecified.
    public static func decode(
        _ text: Span<UInt8>, hrp: String, into output: inout MutableSpan<UInt8>
    ) throws(CodecError) -> Int {
        let hrpCount = try hrpCount(of: text)
        let expected = hrp.utf8.span
        guard hrpCount == expected.count else { throw .malformed("unexpected prefix", at: 0) }
        for index in expected.indices where lowerCase(text[index]) != expected[index] {
            throw .malformed("unexpected prefix", at: index)
        }
        return try decodeData(of: text, after: hrpCount, into: &output)
    }

    private static let separator = UInt8(ascii: "1")
    private static let hrpCountMax = 83

    private static func isHRP(_ text: String) -> Bool {
        (1...hrpCountMax).contains(text.utf8.count)
            && text.utf8.allSatisfy { 33...126 ~= $0 && !(0x41...0x5a ~= $0) }
    }

    private static func lowerCase(_ byte: UInt8) -> UInt8 {
        0x41...0x5a ~= byte ? byte | 0x20 : byte
    }

    /// Returns the length of the human-readable part; checks the case and the room for a checksum.
    private static func hrpCount(of text: Span<UInt8>) throws(CodecError) -> Int {
        var last: Int?
        var hasLower = false
        var hasUpper = false
        for index in text.indices {
            switch text[index] {
            case separator: last = index
            case 0x41...0x5a: hasUpper = true
            case 0x61...0x7a: hasLower = true
            case 33...126: break
            default: throw .malformed("not a bech32 character", at: index)
            }
        }
        if hasLower && hasUpper { throw .malformed("mixed case", at: 0) }
        guard let last else { throw .malformed("no separator \"1\"", at: 0) }
        guard 1...hrpCountMax ~= last else { throw .malformed("wrong prefix length", at: 0) }
        guard text.count - last - 1 >= Checksum.digitCount else { throw .truncated }
        return last
    }

    private static func decodeData(
        of text: Span<UInt8>, after hrpCount: Int, into output: inout MutableSpan<UInt8>
    ) throws(CodecError) -> Int {
        let values = SymbolTable.bech32.values
        let end = text.count - Checksum.digitCount
        var checksum = Checksum()
        checksum.add(hrp: text.extracting(0..<hrpCount))
        var bits: UInt32 = 0
        var bitCount = 0
        var written = 0
        for index in (hrpCount + 1)..<text.count {
            let value = values[Int(lowerCase(text[index]))]
            guard value < 32 else { throw .malformed("not a bech32 digit", at: index) }
            checksum.add(value)
            guard index < end else { continue }
            bits = bits << 5 | UInt32(value)
            bitCount += 5
            guard bitCount >= 8 else { continue }
            guard written < output.count else { throw .tooLong(limit: output.count) }
            bitCount -= 8
            output[written] = UInt8(truncatingIfNeeded: bits >> bitCount)
            written += 1
        }
        guard checksum.isValid else { throw .checksum }
        guard bitCount < 5, bits & (1 << bitCount - 1) == 0 else {
            throw .notCanonical("trailing bits are not zero", at: end - 1)
        }
        return written
    }

    /// The running BCH code of BIP-173.
    private struct Checksum {
        static let digitCount = 6
        private var state: UInt32 = 1

        var isValid: Bool { state == 1 }

        /// The six digits that make the text so far valid.
        var digits: [UInt8] {
            var padded = self
            for _ in 0..<Self.digitCount { padded.add(0) }
            let code = padded.state ^ 1
            return (0..<Self.digitCount).map { UInt8(code >> (25 - 5 * UInt32($0)) & 31) }
        }

        mutating func add(_ value: UInt8) {
            let top = state >> 25
            state = (state & 0x1ff_ffff) << 5 ^ UInt32(value)
            if top & 1 != 0 { state ^= 0x3b6a_57b2 }
            if top & 2 != 0 { state ^= 0x2650_8e6d }
            if top & 4 != 0 { state ^= 0x1ea1_19fa }
            if top & 8 != 0 { state ^= 0x3d42_33dd }
            if top & 16 != 0 { state ^= 0x2a14_62b3 }
        }

        mutating func add(hrp: Span<UInt8>) {
            for index in hrp.indices { add(Bech32.lowerCase(hrp[index]) >> 5) }
            add(0)
            for index in hrp.indices { add(hrp[index] & 31) }
        }
    }
}
