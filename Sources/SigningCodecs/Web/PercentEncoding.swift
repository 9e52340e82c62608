// SPDX-License-Identifier: Apache-2.0

/// RFC 3986 percent encoding of UTF-8; "+" is a plus and never a space.
public enum PercentEncoding {
    /// Keeps unreserved characters and writes every other byte as "%XX".
    public static func encode(_ text: String) -> String {
        // Most results and ids need no encoding.
        guard !text.utf8.allSatisfy(isUnreserved) else { return text }
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count * 3)
        let digits = upperDigits
        for byte in text.utf8 {
            if isUnreserved(byte) {
                output.append(byte)
            } else {
                output.append(percent)
                output.append(digits[Int(byte >> 4)])
                output.append(digits[Int(byte & 15)])
            }
        }
        return output.asciiText
    }

    /// Decodes "%XX" exactly once; every other byte is unchanged.
    public static func decode(_ bytes: Span<UInt8>) throws(CodecError) -> String {
        var index = 0
        while index < bytes.count, bytes[index] != percent { index += 1 }
        guard index < bytes.count else { return try UTF8Text.decode(bytes) }
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count)
        output.appendBytes(of: bytes.extracting(0..<index))
        let values = SymbolTable.hex.values
        while index < bytes.count {
            guard bytes[index] == percent else {
                output.append(bytes[index])
                index += 1
                continue
            }
            guard index + 2 < bytes.count else { throw .truncated }
            let high = values[Int(bytes[index + 1])]
            let low = values[Int(bytes[index + 2])]
            guard high < 16, low < 16 else {
                throw .malformed("percent sign without two hex digits", at: index)
            }
            output.append(high << 4 | low)
            index += 3
        }
        return try UTF8Text.decode(output.span)
    }

    /// Returns whether a character is unreserved in RFC 3986 2.3.
    public static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
            true
        default: false
        }
    }

    private static let percent = UInt8(ascii: "%")
    private static let upperDigits = Array("0123456789ABCDEF".utf8)
}
