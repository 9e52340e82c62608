// SPDX-License-Identifier: Apache-2.0

/// The digits of a base-N text form and the value of each.
struct SymbolTable: Sendable {
    /// The entry in `values` for a byte that is not a digit.
    static let invalid: UInt8 = 0xff

    /// The digits by value.
    let digits: [UInt8]
    /// The value of each of the 256 bytes, or `invalid`.
    let values: [UInt8]

    /// Makes a table; each alias has the value of the digit at the same index.
    init(_ digits: String, aliases: String = "") {
        self.digits = Array(digits.utf8)
        var values = [UInt8](repeating: Self.invalid, count: 256)
        for text in [digits, aliases] {
            for (value, digit) in text.utf8.enumerated() {
                values[Int(digit)] = UInt8(value)
            }
        }
        self.values = values
    }

    static let hexLower = SymbolTable("0123456789abcdef")
    static let hex = SymbolTable("0123456789abcdef", aliases: "0123456789ABCDEF")
    static let base32 = SymbolTable("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")
    static let base58 = SymbolTable("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz")
    static let base64 = SymbolTable(base64Common + "+/")
    static let base64URL = SymbolTable(base64Common + "-_")
    static let bech32 = SymbolTable("qpzry9x8gf2tvdw0s3jn54khce6mua7l")

    private static let base64Common =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
}
