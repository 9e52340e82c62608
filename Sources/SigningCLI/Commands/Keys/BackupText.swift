// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto

/// The texts of a backup's members, which stay in guarded memory.
enum BackupText {
    /// Reads a member without its escapes; nil if it is absent, no text, or not ASCII.
    ///
    /// Some writers of JSON escape the digits "/", "+" and "=" of Base64.
    static func read(
        _ name: String, _ members: FlatMembers, in text: Span<UInt8>
    ) -> SecretBytes? {
        guard let (place, isEscaped) = try? members.rawText(name, in: text) else { return nil }
        let raw = text.extracting(place)
        guard isEscaped else { return SecretBytes(copying: raw) }
        return try? SecretBytes(countMax: raw.count) { output throws(NotASCII) in
            try unescape(raw, into: &output)
        }
    }

    /// The public text of a member, as errors show it.
    static func shown(
        _ name: String, _ members: FlatMembers, in text: Span<UInt8>
    ) -> String? {
        guard let found = read(name, members, in: text) else { return nil }
        let bytes = found.withSpan { found in found.indices.map { found[$0] } }
        return VisibleText.escaped(String(decoding: bytes, as: UTF8.self), countMax: countMax)
    }

    /// The longest text in an error, in characters.
    private static let countMax = 64

    static func isEqual(_ text: borrowing SecretBytes, _ other: String) -> Bool {
        text.withSpan { ConstantTime.isEqual($0, other.utf8.span) }
    }

    private struct NotASCII: Error {}

    private static func unescape(
        _ raw: Span<UInt8>, into output: inout MutableSpan<UInt8>
    ) throws(NotASCII) -> Int {
        var (index, count) = (0, 0)
        while index < raw.count {
            var byte = raw[index]
            index += 1
            if byte == UInt8(ascii: "\\") {
                guard index < raw.count else { throw NotASCII() }
                byte = raw[index]
                index += 1
                switch byte {
                case UInt8(ascii: "u"):
                    guard index + 4 <= raw.count else { throw NotASCII() }
                    byte = try unit(raw.extracting(index..<index + 4))
                    index += 4
                case UInt8(ascii: "/"), UInt8(ascii: "\\"), UInt8(ascii: "\""): break
                default: throw NotASCII()
                }
            }
            output[count] = byte
            count += 1
        }
        return count
    }

    /// The ASCII character of four hexadecimal digits.
    private static func unit(_ digits: Span<UInt8>) throws(NotASCII) -> UInt8 {
        var value = 0
        for index in digits.indices {
            guard let digit = Character(Unicode.Scalar(digits[index])).hexDigitValue else {
                throw NotASCII()
            }
            value = value << 4 | digit
        }
        guard value < 0x80 else { throw NotASCII() }
        return UInt8(value)
    }
}
