// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// The maxima of a limit that has a separate one for each value of the field in `by`.
package struct MaximumTable: Hashable, Sendable {
    /// The maximum of each value, in smallest units; there is at least one.
    package private(set) var maxima: [ExactValue: Int128]

    package init(_ maxima: [ExactValue: Int128]) { self.maxima = maxima }

    /// The highest maximum.
    package var highest: Int128 { maxima.values.max() ?? 0 }

    /// The sum of all maxima; nil above the largest number.
    package var total: Int128? {
        var sum: Int128 = 0
        for maximum in maxima.values {
            let (next, hasOverflown) = sum.addingReportingOverflow(maximum)
            if hasOverflown { return nil }
            sum = next
        }
        return sum
    }

    /// The values with their maxima, in the order of their bytes.
    package var entries: [(value: FactValue, maximum: Int128)] {
        maxima.map { (text: CompiledLimit.text(of: $0.key.value), entry: $0) }
            .sorted { $0.text.utf8.lexicographicallyPrecedes($1.text.utf8) }
            .map { ($0.entry.key.value, $0.entry.value) }
    }

    /// The table with another maximum for each value.
    package func changing(_ change: (Int128) -> Int128) -> MaximumTable {
        MaximumTable(maxima.mapValues(change))
    }
}

extension PolicyLimit {
    /// The most that operations may use whose `by` field has this value; nil if the limit has a
    /// table without the value.
    package func maximum(for value: FactValue?) -> Int128? {
        guard let table else { return maximum }
        return value.flatMap { table.maxima[ExactValue(value: $0)] }
    }

    /// The limit with a maximum, or with each maximum of its table, that is higher by one.
    package var raisedByOne: PolicyLimit {
        var copy = self
        copy.maximum += 1
        copy.table = table?.changing { $0 + 1 }
        return copy
    }

    /// The condition by which a rule is about the values of the table only; nil without a table.
    func tableCondition(at position: SourcePosition) -> Condition? {
        guard let table, let field = scope.first else { return nil }
        return Condition(
            field: field, position: position,
            matchers: [.isIn(ValueList(table.entries.map(\.value)))])
    }
}

extension PolicyRule {
    /// The limit with a table; nil if the rule has none.
    package var tabledLimit: PolicyLimit? { ownLimits.first { $0.table != nil } }

    /// Whether the condition says no more than the rule's table.
    package func isOfTable(_ condition: Condition) -> Bool {
        condition.field == tabledLimit?.scope.first
    }
}
