// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// Amounts in decimal notation, as whole numbers of the smallest unit.
enum DecimalAmount {
    /// The option that states the decimals of a token.
    static let option = Option(name: "--decimals", value: "N")

    /// Returns the smallest units of `1.5`; nil if it is not an amount, is finer than the smallest
    /// unit, or has more than 128 bits.
    static func units(_ text: String, decimals: Int) -> UInt128? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && isDigits($0) })
        else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard fraction.utf8.count <= decimals else { return nil }
        let padding = String(repeating: "0", count: decimals - fraction.utf8.count)
        return UInt128(parts[0] + fraction + padding)
    }

    /// Returns the smallest units of a token amount above zero.
    ///
    /// The decimals are those that the owner states, as what a contract or a node says of them
    /// would decide how much is sent.
    static func units(
        ofToken text: String, _ arguments: Arguments, decimalsMax: Int, unitsMax: UInt128 = .max
    ) throws -> UInt128 {
        let decimals = try arguments.count(option.name, default: 0, min: 0, max: decimalsMax)
        guard let units = units(text, decimals: decimals), (1...unitsMax).contains(units) else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(text))\" is not an amount of tokens",
                hint: arguments.has(option.name)
                    ? "write 1.5, with at most \(decimals) digits after the point"
                    : "write a whole number of the smallest unit, or give --decimals N")
        }
        return units
    }

    private static func isDigits(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
