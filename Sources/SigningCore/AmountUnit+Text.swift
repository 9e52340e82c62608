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
}
