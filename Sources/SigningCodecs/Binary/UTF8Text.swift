// SPDX-License-Identifier: Apache-2.0

/// Strict UTF-8: nothing is repaired or replaced.
public enum UTF8Text {
    /// Reads bytes that must be valid UTF-8 as a whole.
    public static func decode(_ bytes: Span<UInt8>) throws(CodecError) -> String {
        try decode(bytes, at: 0)
    }

    /// Reads a part of a larger input; errors count from `offset`.
    static func decode(_ bytes: Span<UInt8>, at offset: Int) throws(CodecError) -> String {
        do throws(UTF8.ValidationError) {
            return String(copying: try UTF8Span(validating: bytes))
        } catch {
            throw .malformed("invalid UTF-8", at: offset + error.byteOffsets.lowerBound)
        }
    }

    /// Whether both texts are the same bytes.
    ///
    /// `==` also calls canonically equivalent texts equal, such as the Kelvin sign and "K".
    public static func isSame(_ one: String, _ other: String) -> Bool {
        // What is not even equivalent is most often told apart at once.
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

    /// The text of bytes which an encoder here has made and which are ASCII.
    var asciiText: String { String(decoding: self, as: UTF8.self) }
}
