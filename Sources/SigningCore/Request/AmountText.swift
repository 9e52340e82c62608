// SPDX-License-Identifier: Apache-2.0

extension AmountUnit {
    /// Returns an exact amount in smallest units as people and policy files write it: `0.25 ALGO`.
    public func text(of amount: Int128) -> String {
        var digits = String(amount.magnitude)
        if digits.utf8.count <= decimals {
            digits = String(repeating: "0", count: decimals + 1 - digits.utf8.count) + digits
        }
        let whole = digits.dropLast(decimals)
        var fraction = digits.suffix(decimals)
        while fraction.last == "0" { fraction.removeLast() }
        let sign = amount < 0 ? "-" : ""
        return "\(sign)\(whole)\(fraction.isEmpty ? "" : ".")\(fraction) \(symbol)"
    }

    /// Returns an amount with at most six decimals; a rounded one is marked as such.
    public func roundedText(of amount: Int128) -> String {
        guard (7...Self.countedDecimalsMax).contains(decimals) else { return text(of: amount) }
        let step = (6..<decimals).reduce(Int128(1)) { one, _ in one * 10 }
        let rest = amount % step
        guard rest != 0 else { return text(of: amount) }
        let up = rest.magnitude >= step.magnitude / 2 ? rest.signum() * step : 0
        let (rounded, hasOverflown) = (amount - rest).addingReportingOverflow(up)
        guard !hasOverflown, rounded != 0 else {
            return hasOverflown ? text(of: amount) : "less than \(text(of: step))"
        }
        return "about \(text(of: rounded))"
    }

    /// The most decimals that an amount can have.
    private static let countedDecimalsMax = 38

    /// Reads a number of this unit exactly, such as `0.25`.
    ///
    /// Nil if it is not a number, is negative or has more decimals than the unit.
    public func amount(ofNumber number: String) -> Int128? {
        let parts = number.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, let whole = parts.first, !whole.isEmpty else { return nil }
        let fraction = parts.count == 2 ? parts[1] : ""
        guard parts.count == 1 || !fraction.isEmpty, fraction.utf8.count <= decimals,
            (whole + fraction).utf8.allSatisfy({ (0x30...0x39).contains($0) })
        else { return nil }
        let zeros = String(repeating: "0", count: decimals - fraction.utf8.count)
        return Int128(whole + fraction + zeros)
    }
}
