// SPDX-License-Identifier: Apache-2.0

/// Strict UTF-8, without repair or replacement.
public enum UTF8Text {
    /// Reads bytes that must be valid UTF-8 as a whole.
    public static func decode(_ bytes: Span<UInt8>) throws(CodecError) -> String {
        try decode(bytes, at: 0)
    }

    /// Reads a part of a larger input; offsets in errors start at `offset`.
    static func decode(_ bytes: Span<UInt8>, at offset: Int) throws(CodecError) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw .malformed("invalid UTF-8", at: offset + error.byteOffsets.lowerBound)
        }
    }

    /// Returns whether both texts have the same bytes.
    ///
    /// `==` also treats canonically equivalent texts as equal, such as the Kelvin sign and "K".
    public static func isSame(_ one: String, _ other: String) -> Bool {
        // The cheap comparisons come first, because most texts differ in them.
        one.utf8.count == other.utf8.count && one == other && one.utf8.elementsEqual(other.utf8)
    }
}

extension [UInt8] {
    /// Copies the lent bytes.
    init(copying bytes: Span<UInt8>) {
        self = []
        appendBytes(of: bytes)
    }

    /// Appends the lent bytes.
    mutating func appendBytes(of bytes: Span<UInt8>) {
        // Unsafe for one memcpy instead of a loop; the buffer does not leave the closure.
        unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
    }

    /// The text of ASCII bytes from an encoder of this module.
    var asciiText: String { String(decoding: self, as: UTF8.self) }
}
