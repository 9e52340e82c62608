// SPDX-License-Identifier: Apache-2.0

/// Amounts of NEAR in decimal notation.
public enum NEARAmount {
    /// Returns `1.5` for an amount in yoctoNEAR, exactly.
    public static func formatNEAR(_ yocto: UInt128) -> String {
        let digits = String(yocto)
        let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
        let whole = padded.dropLast(decimals)
        var fraction = padded.suffix(decimals)
        while fraction.last == "0" { fraction.removeLast() }
        return fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
    }

    /// Returns the yoctoNEAR of `1.5`; nil if the text is not an amount or finer than a yoctoNEAR.
    public static func toYoctoNEAR(_ text: String) -> UInt128? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), parts.allSatisfy({ !$0.isEmpty && isDigits($0) }),
            parts.count == 1 || parts[1].utf8.count <= decimals
        else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        let padding = String(repeating: "0", count: decimals - fraction.utf8.count)
        return UInt128(parts[0] + fraction + padding)
    }

    private static let decimals = 24

    private static func isDigits(_ text: Substring) -> Bool {
        text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }
}
