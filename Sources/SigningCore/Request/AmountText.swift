// SPDX-License-Identifier: Apache-2.0

extension AmountUnit {
    /// An amount in smallest units as people and policy files write it, exactly: `0.25 ALGO`.
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

    /// Reads a number of this unit, such as `0.25`, exactly; nil where it is none, is negative
    /// or has more decimals than the unit.
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
