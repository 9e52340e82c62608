// SPDX-License-Identifier: Apache-2.0

/// Hexadecimal text, two digits per byte.
public enum Hex {
    /// The rule for digits A to F in upper case.
    public enum UpperCase: Hashable, Sendable {
        case allowed, refused
    }

    /// The longest output in bytes, by default.
    public static let countMax = 1 << 20

    /// Writes lower-case digits.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var text = [UInt8](repeating: 0, count: bytes.count * 2)
        var span = text.mutableSpan
        encode(bytes, into: &span)
        return text.asciiText
    }

    /// Writes a secret as lower-case digits into lent memory with room for two digits per byte.
    public static func encode(_ bytes: Span<UInt8>, into output: inout MutableSpan<UInt8>) {
        precondition(output.count >= 2 * bytes.count, "there is no room for the digits")
        let digits = SymbolTable.hexLower.digits
        for index in bytes.indices {
            output[2 * index] = digits[Int(bytes[index] >> 4)]
            output[2 * index + 1] = digits[Int(bytes[index] & 15)]
        }
    }

    /// Appends lower-case digits.
    package static func append(_ bytes: Span<UInt8>, to output: inout [UInt8]) {
        let digits = SymbolTable.hexLower.digits
        for index in bytes.indices {
            output.append(digits[Int(bytes[index] >> 4)])
            output.append(digits[Int(bytes[index] & 15)])
        }
    }

    /// Reads an even number of digits.
    public static func decode(
        _ text: String, countMax: Int = Self.countMax, upperCase: UpperCase = .refused
    ) throws(CodecError) -> [UInt8] {
        let count = text.utf8.count / 2
        guard count <= countMax else { throw .tooLong(limit: countMax) }
        var output = [UInt8](repeating: 0, count: count)
        var span = output.mutableSpan
        _ = try decode(text.utf8.span, into: &span, upperCase: upperCase)
        return output
    }

    /// Reads a secret into lent memory and returns its length.
    ///
    /// The bytes are written there only. After an error `output` is unspecified.
    public static func decode(
        _ text: Span<UInt8>, into output: inout MutableSpan<UInt8>, upperCase: UpperCase = .refused
    ) throws(CodecError) -> Int {
        let values = upperCase == .allowed ? SymbolTable.hex.values : SymbolTable.hexLower.values
        guard text.count % 2 == 0 else { throw .truncated }
        let count = text.count / 2
        guard count <= output.count else { throw .tooLong(limit: output.count) }
        for index in 0..<count {
            let high = values[Int(text[2 * index])]
            let low = values[Int(text[2 * index + 1])]
            guard high < 16 else { throw .malformed("not a hex digit", at: 2 * index) }
            guard low < 16 else { throw .malformed("not a hex digit", at: 2 * index + 1) }
            output[index] = high << 4 | low
        }
        return count
    }
}
