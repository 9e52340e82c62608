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

    private static let decimals = 24
}
