// SPDX-License-Identifier: Apache-2.0

extension JSONReader {
    // MARK: Numbers

    /// Reads the number that begins at `index` with a digit or a minus.
    mutating func number(_ bytes: Span<UInt8>) throws(CodecError) -> JSON {
        let start = index
        let isNegative = bytes[index] == UInt8(ascii: "-")
        if isNegative { index += 1 }
        let digitStart = index
        // The value overflows beyond 19 digits, but is not used in that case.
        var magnitude: UInt64 = 0
        while let digit = digit(bytes) {
            magnitude = magnitude &* 10 &+ UInt64(digit)
            index += 1
        }
        let digitCount = index - digitStart
        if digitCount == 0 { throw index < bytes.count ? malformedNumber : .truncated }
        guard digitCount == 1 || bytes[digitStart] != UInt8(ascii: "0") else {
            throw .malformed("number with a leading zero", at: digitStart)
        }
        let integerEnd = index
        try skipFraction(bytes)
        try skipExponent(bytes)
        if index == integerEnd, digitCount <= Self.exactDigitsMax,
            let value = Self.integer(magnitude, isNegative: isNegative)
        {
            return .integer(value)
        }
        return .number(try UTF8Text.decode(bytes.extracting(start..<index), at: start))
    }

    /// Every number of this many decimal digits fits a `UInt64`.
    private static let exactDigitsMax = 19

    private static func integer(_ magnitude: UInt64, isNegative: Bool) -> Int64? {
        guard isNegative else { return Int64(exactly: magnitude) }
        // `-0` is not the integer 0, which would be written differently.
        guard magnitude > 0, magnitude <= Int64.min.magnitude else { return nil }
        return Int64(truncatingIfNeeded: 0 &- magnitude)
    }

    private var malformedNumber: CodecError { .malformed("malformed number", at: index) }

    private func digit(_ bytes: Span<UInt8>) -> UInt8? {
        guard index < bytes.count else { return nil }
        let value = bytes[index] &- UInt8(ascii: "0")
        return value < 10 ? value : nil
    }

    private mutating func skipDigits(_ bytes: Span<UInt8>) throws(CodecError) {
        guard index < bytes.count else { throw .truncated }
        guard digit(bytes) != nil else { throw malformedNumber }
        while digit(bytes) != nil { index += 1 }
    }

    private mutating func skipFraction(_ bytes: Span<UInt8>) throws(CodecError) {
        guard index < bytes.count, bytes[index] == UInt8(ascii: ".") else { return }
        index += 1
        try skipDigits(bytes)
    }

    private mutating func skipExponent(_ bytes: Span<UInt8>) throws(CodecError) {
        guard index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") else { return }
        index += 1
        if index < bytes.count,
            bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-")
        {
            index += 1
        }
        try skipDigits(bytes)
    }

    // MARK: Strings

    /// Reads the string whose opening quote is at `index`.
    mutating func text(_ bytes: Span<UInt8>) throws(CodecError) -> String {
        let start = index + 1
        index = try endOfPlainText(bytes, from: start)
        if bytes[index] == JSONText.quote {
            let end = index
            index += 1
            return try UTF8Text.decode(bytes.extracting(start..<end), at: start)
        }
        return try escapedText(bytes, from: start)
    }

    /// Returns the index of the next quote or backslash.
    private func endOfPlainText(
        _ bytes: Span<UInt8>, from start: Int
    ) throws(CodecError) -> Int {
        var index = start
        while index < bytes.count {
            let byte = bytes[index]
            if byte == JSONText.quote || byte == JSONText.backslash { return index }
            guard byte >= 0x20 else {
                throw .malformed("control character in a string", at: index)
            }
            index += 1
        }
        throw .truncated
    }

    /// Continues from the first backslash, which is at `index`.
    private mutating func escapedText(
        _ bytes: Span<UInt8>, from start: Int
    ) throws(CodecError) -> String {
        var unescaped: [UInt8] = []
        var plainStart = start
        while true {
            unescaped.appendBytes(of: bytes.extracting(plainStart..<index))
            guard bytes[index] == JSONText.backslash else { break }
            index += 1
            try appendEscape(bytes, to: &unescaped)
            plainStart = index
            index = try endOfPlainText(bytes, from: index)
        }
        index += 1
        return try UTF8Text.decode(unescaped.span, at: start)
    }

    /// Reads an escape after its backslash.
    private mutating func appendEscape(
        _ bytes: Span<UInt8>, to output: inout [UInt8]
    ) throws(CodecError) {
        guard index < bytes.count else { throw .truncated }
        let byte = bytes[index]
        index += 1
        switch byte {
        case JSONText.quote, JSONText.backslash, UInt8(ascii: "/"): output.append(byte)
        case UInt8(ascii: "b"): output.append(0x08)
        case UInt8(ascii: "f"): output.append(0x0c)
        case UInt8(ascii: "n"): output.append(0x0a)
        case UInt8(ascii: "r"): output.append(0x0d)
        case UInt8(ascii: "t"): output.append(0x09)
        case UInt8(ascii: "u"): output.append(contentsOf: try scalar(bytes).utf8)
        default: throw .malformed("unknown escape", at: index - 1)
        }
    }

    /// Reads the digits after `\u`, and a second escape if the first is a high surrogate.
    private mutating func scalar(_ bytes: Span<UInt8>) throws(CodecError) -> Unicode.Scalar {
        let start = index
        let first = try codeUnit(bytes)
        if let scalar = Unicode.Scalar(first) { return scalar }
        guard first < 0xdc00 else { throw .malformed("lone surrogate", at: start) }
        for byte in [JSONText.backslash, UInt8(ascii: "u")] {
            guard index < bytes.count else { throw .truncated }
            guard bytes[index] == byte else { throw .malformed("lone surrogate", at: start) }
            index += 1
        }
        let second = try codeUnit(bytes)
        guard 0xdc00...0xdfff ~= second,
            let scalar = Unicode.Scalar(0x1_0000 + (first - 0xd800) << 10 + (second - 0xdc00))
        else { throw .malformed("lone surrogate", at: start) }
        return scalar
    }

    private mutating func codeUnit(_ bytes: Span<UInt8>) throws(CodecError) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard index < bytes.count else { throw .truncated }
            let digit = SymbolTable.hex.values[Int(bytes[index])]
            guard digit < 16 else { throw .malformed("not a hex digit", at: index) }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }
}
