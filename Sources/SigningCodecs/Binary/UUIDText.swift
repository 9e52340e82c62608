// SPDX-License-Identifier: Apache-2.0

/// UUIDs as text (RFC 9562).
public enum UUIDText {
    /// The bytes of a UUID.
    public static let byteCount = 16

    private static let groupEnds = [4, 6, 8, 10]

    /// The version 4 UUID of 16 random bytes, in lower case.
    public static func version4(_ random: [UInt8]) -> String {
        precondition(random.count == byteCount, "A UUID has 16 bytes.")
        var bytes = random
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        var text: [UInt8] = []
        let digits = [UInt8](Hex.encode(bytes.span).utf8)
        for index in 0..<byteCount {
            if groupEnds.contains(index) { text.append(UInt8(ascii: "-")) }
            text += digits[2 * index...2 * index + 1]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether two texts are the same UUID; real peers also send upper case.
    public static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8) || one.lowercased() == other.lowercased()
    }
}
