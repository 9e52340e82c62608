// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension RandomPolicies {
    /// Sometimes a condition on all operations, or on one of them.
    mutating func batches(_ pool: [[String]]) -> [String] {
        guard Int.random(in: 0..<6, using: &generator) == 0 else { return [] }
        let conditions = conditions(pool, countMax: 2)
        return conditions.isEmpty
            ? [] : ["\(pick(["all", "any"])) = { \(conditions.joined(separator: ", ")) }"]
    }

    /// The `unless` of a rule: usually none, a table of conditions, or several with hours.
    mutating func exceptions(_ pool: [[String]]) -> [String] {
        switch Int.random(in: 0..<12, using: &generator) {
        case 0...3: return conditions(pool, countMax: 1).map { "unless.\($0)" }
        case 4, 5:
            let tables = (0..<pick([1, 2, 3])).compactMap { _ -> String? in
                var parts = conditions(pool, countMax: 1)
                if Bool.random(using: &generator) {
                    parts += pick(Self.schedules).split(separator: "\n").map(String.init)
                    parts.append("tz = \"\(pick(Self.zones))\"")
                }
                return parts.isEmpty ? nil : "{ \(parts.joined(separator: ", ")) }"
            }
            return tables.isEmpty ? [] : ["unless = [\(tables.joined(separator: ", "))]"]
        default: return []
        }
    }
}
