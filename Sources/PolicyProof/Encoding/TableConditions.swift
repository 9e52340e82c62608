// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

extension PolicyLimit {
    /// The most different maxima of a table that are modelled one by one.
    fileprivate static let modelledMaximaMax = 64

    /// The values to which another limit gives a lower maximum than this one; nil if these are all
    /// values.
    ///
    /// A rule with a table is only about the values in it.
    func values(tightenedBy other: PolicyLimit) -> Set<ExactValue>? {
        guard table != nil || other.table != nil else { return maximum <= other.maximum ? [] : nil }
        let known = (table ?? other.table)?.maxima.keys.map(\.self) ?? []
        return Set(
            known.filter { key in
                guard let own = maximum(for: key.value), let others = other.maximum(for: key.value)
                else { return false }
                return own > others
            })
    }

    /// The condition that a value is one to which the other limit gives less; nil if these are no
    /// values or all.
    func exception(before other: PolicyLimit) -> Condition? {
        guard let values = values(tightenedBy: other), !values.isEmpty, let field = scope.first
        else { return nil }
        return Condition(
            field: field, position: .start,
            matchers: [.isIn(ValueList(values.map(\.value)))])
    }

    /// The values with each maximum of the table; empty without a table, or if there are many.
    fileprivate var groups: [(maximum: Int128, values: [FactValue])] {
        let groups = Dictionary(grouping: table?.maxima ?? [:], by: \.value)
        guard groups.count <= Self.modelledMaximaMax else { return [] }
        return groups.sorted { $0.key < $1.key }.map { ($0.key, $0.value.map(\.key.value)) }
    }
}

extension PolicyRule {
    /// For each maximum of the rule's table: the condition on the values that have it, and the one
    /// on their amount.
    ///
    /// An amount above the maximum of its value never has room.
    var tableBounds: [(value: Condition, amount: Condition)] {
        guard let limit = tabledLimit, let summed = limit.summed, let field = limit.scope.first
        else { return [] }
        return limit.groups.map { group in
            (
                Condition(
                    field: field, position: position,
                    matchers: [.isIn(ValueList(group.values))]),
                Condition(field: summed, position: position, matchers: [.atMost(group.maximum)])
            )
        }
    }

    /// The conditions that tell apart the values that tables of these rules treat differently.
    func tableConditions(beside rules: [PolicyRule]) -> [Condition] {
        guard let limit = tabledLimit else { return [] }
        let related = rules.filter { $0.counterOwner == counterOwner }.flatMap(\.limits).filter {
            $0 != limit && $0.measure == limit.measure && $0.scope == limit.scope
        }
        return tableBounds.flatMap { [$0.value, $0.amount] }
            + related.flatMap {
                [limit.exception(before: $0), $0.exception(before: limit)].compactMap(\.self)
            }
    }
}
