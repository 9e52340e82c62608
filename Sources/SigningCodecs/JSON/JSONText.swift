// SPDX-License-Identifier: Apache-2.0

/// JSON strings in the form of `JSON.stringify` and NIP-01.
public enum JSONText {
    /// Appends a text in quotes.
    ///
    /// The quote and the backslash are escaped by a backslash. Control characters below 0x20 are
    /// written as `\n \r \t \b \f` or `\u00xx` in lower case. Everything else is unchanged.
    public static func appendQuoted(_ text: String, to output: inout [UInt8]) {
        let bytes = text.utf8.span
        output.append(quote)
        var start = 0
        for index in bytes.indices {
            let byte = bytes[index]
            guard byte < 0x20 || byte == quote || byte == backslash else { continue }
            output.appendBytes(of: bytes.extracting(start..<index))
            appendEscape(of: byte, to: &output)
            start = index + 1
        }
        output.appendBytes(of: bytes.extracting(start..<bytes.count))
        output.append(quote)
    }

    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")

    /// Appends `\u` and four hexadecimal digits.
    static func appendEscape(of unit: UInt16, to output: inout [UInt8]) {
        let digits = SymbolTable.hexLower.digits
        output.append(contentsOf: "\\u".utf8)
        for shift in stride(from: 12, through: 0, by: -4) {
            output.append(digits[Int(unit >> UInt16(shift)) & 15])
        }
    }

    private static func appendEscape(of byte: UInt8, to output: inout [UInt8]) {
        output.append(backslash)
        switch byte {
        case quote, backslash: output.append(byte)
        case 0x08: output.append(UInt8(ascii: "b"))
        case 0x09: output.append(UInt8(ascii: "t"))
        case 0x0a: output.append(UInt8(ascii: "n"))
        case 0x0c: output.append(UInt8(ascii: "f"))
        case 0x0d: output.append(UInt8(ascii: "r"))
        default:
            let digits = SymbolTable.hexLower.digits
            output.append(contentsOf: "u00".utf8)
            output.append(digits[Int(byte >> 4)])
            output.append(digits[Int(byte & 15)])
        }
    }
}
