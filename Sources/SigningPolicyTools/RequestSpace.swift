// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// Values of the fields of one method that together cover every outcome of some rules.
struct RequestSpace {
    let spaces: [FieldSpace]

    init(
        _ rules: [PolicyRule], protocolID: ProtocolID, method: String, own: [String],
        time: Timestamp, _ vocabulary: PolicyVocabulary
    ) {
        var conditions: [String: [Condition]] = [:]
        var fields: [String: PolicyField] = [:]
        for condition in rules.flatMap(\.allConditions) {
            conditions[condition.field.name, default: []].append(condition)
            fields[condition.field.name] = condition.field
        }
        for limit in rules.flatMap(\.limits) {
            for field in limit.scope { fields[field.name] = field }
            if case .sum(let field) = limit.measure { fields[field.name] = field }
        }
        for fact in [EngineFact.protocolID, .operation] { fields[fact.rawValue] = nil }
        spaces = fields.values.sorted { $0.name < $1.name }.map { field in
            vocabulary.mayHave(field.name, protocolID, method)
                ? FieldSpace(
                    field, conditions: conditions[field.name] ?? [], own: own,
                    bounds: rules.flatMap { $0.bounds(of: field) })
                // No request of the method has the field.
                : FieldSpace(field, values: [nil])
        }
    }
}

extension PolicyRule {
    /// The most maxima of a table that are tried.
    private static let triedMaximaMax = 16

    /// The maxima that the rule's limits set for a field, and one more than each.
    fileprivate func bounds(of field: PolicyField) -> [FactValue] {
        limits.flatMap { limit -> [FactValue] in
            guard case .sum(field) = limit.measure else { return [] }
            let maxima = Set(limit.table?.maxima.values.map(\.self) ?? [limit.maximum]).sorted()
            return maxima.prefix(Self.triedMaximaMax).flatMap { maximum -> [FactValue] in
                let (next, hasOverflown) = maximum.addingReportingOverflow(1)
                return [maximum, hasOverflown ? maximum : next].map { .integer($0) }
            }
        }
    }
}
