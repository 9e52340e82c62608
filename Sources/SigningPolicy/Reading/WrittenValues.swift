// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension AmountUnit {
    /// The exact number of smallest units in a text such as `"0.25 ALGO"`.
    func amount(of text: String) throws(ValueProblem) -> Int128 {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw ValueProblem(text: "takes an amount such as \"5 \(symbol)\"")
        }
        let unit = String(parts[1])
        guard unit.isExactly(symbol) || unit.isExactly(smallest) else {
            throw ValueProblem(
                text: "is written in \(symbol) or \(smallest), not in "
                    + VisibleText.escaped(unit))
        }
        guard parts[0].utf8.first != UInt8(ascii: "-") else {
            throw ValueProblem(text: "cannot be negative")
        }
        let decimals = unit.isExactly(symbol) ? self.decimals : 0
        let digits = parts[0].split(separator: ".", omittingEmptySubsequences: false)
        guard digits.count <= 2, digits.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(isDigit) })
        else {
            throw ValueProblem(text: "takes a plain decimal such as \"0.25 \(symbol)\"")
        }
        let fraction = digits.count == 2 ? digits[1] : ""
        guard fraction.utf8.count <= decimals else {
            throw ValueProblem(text: "has \(decimals) decimals at most in \(unit)")
        }
        let zeros = String(repeating: "0", count: decimals - fraction.utf8.count)
        // A fact of 2^127 - 1 stands for all larger numbers.
        guard let amount = Int128(digits[0] + fraction + zeros), amount < .max else {
            throw ValueProblem(text: "is too large: at most 2^127 - 2 smallest units")
        }
        return amount
    }
}

extension Int128 {
    /// Reads an integer in quotes: TOML has none above 2^63 - 1, and amounts of tokens are larger.
    ///
    /// A fact of 2^127 - 1 stands for all larger numbers, so a policy cannot name it.
    init(written text: String) throws(ValueProblem) {
        guard !text.hasPrefix("+"), let value = Int128(text), value < .max else {
            throw ValueProblem(text: "takes an integer, in quotes up to 2^127 - 2")
        }
        self = value
    }
}

/// Durations in the notation of policy files.
package enum WrittenDuration {
    private static let units: [(symbol: Character, seconds: Int64)] = [
        ("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1),
    ]

    /// The seconds in a text such as `"90s"`, `"5m"`, `"1h"` or `"7d"`.
    static func seconds(of text: String) -> Int64? {
        guard let unit = units.first(where: { $0.symbol == text.last }) else { return nil }
        let number = text.dropLast()
        // A fact may be in the past: "-5m".
        let digits = number.hasPrefix("-") ? number.dropFirst() : number
        guard !digits.isEmpty, digits.utf8.allSatisfy(isDigit), let count = Int64(number) else {
            return nil
        }
        let (seconds, overflow) = count.multipliedReportingOverflow(by: unit.seconds)
        return overflow ? nil : seconds
    }

    /// The shortest text for a number of seconds.
    package static func text(of seconds: Int64) -> String {
        for unit in units where seconds % unit.seconds == 0 && seconds != 0 {
            return "\(seconds / unit.seconds)\(unit.symbol)"
        }
        return "0s"
    }
}

private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
