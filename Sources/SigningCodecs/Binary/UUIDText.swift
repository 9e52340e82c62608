// SPDX-License-Identifier: Apache-2.0

/// UUIDs as text (RFC 9562).
public enum UUIDText {
    /// The length of a UUID.
    public static let byteCount = 16

    private static let groupEnds = [4, 6, 8, 10]

    /// Makes a version 4 UUID of 16 random bytes, in lower case.
    public static func version4(_ random: [UInt8]) -> String {
        precondition(random.count == byteCount, "the random bytes of a UUID are not 16")
        var bytes = random
        bytes[6] = bytes[6] & 0x0f | 0x40
        bytes[8] = bytes[8] & 0x3f | 0x80
        let digits = SymbolTable.hexLower.digits
        var text = [UInt8](repeating: UInt8(ascii: "-"), count: byteCount * 2 + groupEnds.count)
        var place = 0
        for index in 0..<byteCount {
            if groupEnds.contains(index) { place += 1 }
            text[place] = digits[Int(bytes[index] >> 4)]
            text[place + 1] = digits[Int(bytes[index] & 15)]
            place += 2
        }
        return text.asciiText
    }

    /// Returns whether two texts are the same UUID; some peers send upper case.
    public static func isSame(_ one: String, _ other: String) -> Bool {
        one.utf8.elementsEqual(other.utf8) || one.lowercased() == other.lowercased()
    }
}
