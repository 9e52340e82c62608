// SPDX-License-Identifier: Apache-2.0

/// An upper bound, or the reasons that there is none.
package enum Most: Hashable, Sendable {
    /// At most this number, in smallest units.
    case atMost(Int128)
    /// No bound is known.
    case unbounded([Opening])

    /// A rule that has no bound, and why.
    package struct Opening: Hashable, Sendable {
        /// The id of the rule.
        package let rule: String
        package let reason: String
    }

    static let nothing = Most.atMost(0)

    /// The number; nil without a bound.
    package var number: Int128? { if case .atMost(let number) = self { number } else { nil } }

    /// The sum of two bounds; a sum that is too large is no bound.
    static func + (left: Most, right: Most) -> Most {
        switch (left, right) {
        case (.atMost(let one), .atMost(let other)):
            let (sum, hasOverflown) = one.addingReportingOverflow(other)
            return hasOverflown ? .unbounded([]) : .atMost(sum)
        case (.unbounded(let one), .unbounded(let other)):
            return .unbounded(one + other.filter { !one.contains($0) })
        case (.unbounded, _): return left
        case (_, .unbounded): return right
        }
    }
}

extension Int128 {
    /// The product; nil if it is too large to be a bound.
    func multiplied(by other: Int128) -> Int128? {
        let (product, hasOverflown) = multipliedReportingOverflow(by: other)
        return hasOverflown ? nil : product
    }

    /// The sum; nil if a part has no bound or the sum is too large.
    static func total(_ parts: [Int128?]) -> Int128? {
        parts.reduce(Int128(0)) { sum, part in
            guard let sum, let part else { return nil }
            let (result, hasOverflown) = sum.addingReportingOverflow(part)
            return hasOverflown ? nil : result
        }
    }

    /// The lower one of two bounds, of which nil is none.
    static func lower(_ one: Int128?, _ other: Int128?) -> Int128? {
        guard let one, let other else { return one ?? other }
        return Swift.min(one, other)
    }
}
