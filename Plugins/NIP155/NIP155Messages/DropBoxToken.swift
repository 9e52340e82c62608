// SPDX-License-Identifier: Apache-2.0

/// The name of a drop box (NIP-155, section 8.2).
public enum DropBoxToken {
    private static let byteCounts = 16...128

    /// Returns true for a text that can name a drop box: 16 to 128 of `A-Za-z0-9_-`.
    public static func isToken(_ text: String) -> Bool {
        byteCounts.contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte)
                    || (0x61...0x7A).contains(byte) || byte == UInt8(ascii: "_")
                    || byte == UInt8(ascii: "-")
            }
    }

    /// Returns the value of `result_ref` if the result is in the drop box.
    public static func reference(to token: String) -> String { "pb:\(token)" }
}
