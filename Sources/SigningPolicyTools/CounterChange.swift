// SPDX-License-Identifier: Apache-2.0
import SigningPolicy

/// A rule or budget whose limits count otherwise than before, so that what was used is forgotten.
///
/// A counter is named after its rule or budget, what it adds up and the fields of `by`. Edits of
/// anything else, such as maximum, period and rates, keep it.
package struct CounterChange: Sendable {
    /// The id of the rule or the name of the budget.
    package let name: String
    /// The counters that are no longer used, in words.
    package let before: String
    /// The counters that begin at zero, in words.
    package let after: String

    /// The name with its words, such as `daily (outflow in USD -> outflow in EUR)`.
    package var text: String { "\(name) (\(before) -> \(after))" }

    static func all(from old: TOMLPolicy, to new: TOMLPolicy) -> [CounterChange] {
        let (before, after) = (Counter.all(of: old), Counter.all(of: new))
        return Set(before.map(\.owner)).sorted().compactMap { owner in
            let ended = before.subtracting(after).filter { $0.owner == owner }
            let begun = after.subtracting(before).filter { $0.owner == owner }
            guard !ended.isEmpty, !begun.isEmpty else { return nil }
            return CounterChange(name: owner, before: words(ended), after: words(begun))
        }
    }

    private static func words(_ counters: Set<Counter>) -> String {
        counters.map(\.words).sorted().joined(separator: " and ")
    }
}

/// The parts of a counter's name.
private struct Counter: Hashable {
    let owner: String
    /// The name up to the values of `by`.
    let base: String
    let scope: [String]

    static func all(of policy: TOMLPolicy) -> Set<Counter> {
        Set(
            policy.limits.map { _, compiled in
                Counter(
                    owner: String(compiled.base.prefix { $0 != "#" }), base: compiled.base,
                    scope: compiled.limit.scope.map(\.name))
            })
    }

    var words: String {
        let counted = base.dropFirst(owner.count + 1)
        let sum = counted.hasPrefix("sum(") ? String(counted.dropFirst(4).dropLast()) : "count"
        return sum + (scope.isEmpty ? "" : " by \(scope.joined(separator: " and "))")
    }
}
