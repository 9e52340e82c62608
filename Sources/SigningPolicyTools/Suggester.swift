// SPDX-License-Identifier: Apache-2.0
package import SigningCore
import SigningPolicy

/// Writes the narrowest rules that would have allowed the requests that a person approved.
package struct Suggester {
    /// One operation that a person approved.
    package struct Approved: Sendable {
        package let protocolID: ProtocolID
        package let method: String
        package let client: Client?
        package let keyName: String
        package let dangers: [Danger]
        package let facts: [Fact]
        package let time: Timestamp

        package init(
            protocolID: ProtocolID, method: String, client: Client?, keyName: String,
            dangers: [Danger], facts: [Fact], time: Timestamp
        ) {
            self.protocolID = protocolID
            self.method = method
            self.client = client
            self.keyName = keyName
            self.dangers = dangers
            self.facts = facts
            self.time = time
        }
    }

    /// The most values that are listed in one condition.
    static let valuesMax = 16
    /// The fields whose values divide the operations of one method into groups, one rule for each.
    private static let kinds = ["kind", "type"]

    /// The note on a field whose values are not on record.
    private static let undetermined =
        "not on record: list the values to allow, or the rule does not match requests that have it"

    private let schemas: [FactSchema]
    private let version: Int64

    /// Makes rules for files with `version = version`.
    package init(_ schemas: [FactSchema], version: Int64) {
        self.schemas = schemas
        self.version = version
    }

    /// The rules, each with a comment; requests of clients without a name yield no rule.
    package func rules(for approved: [Approved]) -> [String] {
        var groups: [[String]: [Approved]] = [:]
        for item in approved {
            guard let client = item.client else { continue }
            let kind = item.facts.filter { Self.kinds.contains($0.name) }.map { "\($0.value)" }
            let key =
                [item.protocolID.name, item.method, client.id, client.proof.rawValue, item.keyName]
                + kind + ["\(item.facts.map(\.name).sorted())"]
            groups[key, default: []].append(item)
        }
        return groups.sorted { $0.key.lexicographicallyPrecedes($1.key) }.enumerated()
            .compactMap { number, group in rule(number + 1, for: group.value) }
    }

    private func rule(_ number: Int, for items: [Approved]) -> String? {
        guard let first = items.first, let client = first.client,
            let schema = schemas.first(where: { $0.protocolID == first.protocolID })
        else { return nil }
        let dangers = Set(items.flatMap(\.dangers)).sorted { $0.name < $1.name }
        var lines = ["# approved \(items.count) \(items.count == 1 ? "time" : "times")"]
        if !dangers.isEmpty { lines.append("# dangerous: read this rule twice") }
        lines += [
            "[[rule]]", "id = \"suggested-\(number)\"", "effect = \"allow\"",
            "protocol = \(RuleText.quoted(first.protocolID.name))",
            "operation = \(RuleText.quoted(first.method))",
            "key = \(RuleText.value(first.keyName))", "client = \(RuleText.value(client.id))",
        ]
        lines += RuleText.conditions(of: client.proof)
        for field in schema.fields {
            let values = items.compactMap { item in
                item.facts.first { $0.name == field.name }?.value
            }
            if let condition = Self.condition(values, field, of: items.count) {
                let note = field.isPayload ? " # \(Self.undetermined)" : ""
                lines.append("\(RuleText.quoted(field.name)) = \(condition)\(note)")
            }
        }
        if !dangers.isEmpty {
            let names = dangers.map { RuleText.quoted($0.name) }.joined(separator: ", ")
            lines.append("acknowledge = [\(names)]")
        }
        lines.append("limit = [{ count = \(Self.mostInADay(items.map(\.time))), per = \"1d\" }]")
        // In later versions, a rule whose limit is used up does not apply.
        if version == 1 { lines.append("on_exceed = \"ask\"") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The condition that all values satisfy; nil if no narrow condition is possible.
    private static func condition(
        _ values: [FactValue], _ field: FactField, of count: Int
    ) -> String? {
        guard !field.name.hasSuffix(".*") else { return nil }
        guard values.count == count else {
            return values.isEmpty && field.varies == .fixed ? "{ exists = false }" : nil
        }
        var singles: [FactValue] = []
        for value in values {
            if case .list(let elements) = value {
                singles += elements
            } else {
                singles.append(value)
            }
        }
        let distinct = Set(singles.map(ExactValue.init(value:))).map(\.value)
        switch field.type {
        // Moments and distances to them do not recur.
        case .duration, .time: return nil
        case .integer where field.varies != .fixed, .amount:
            let numbers = distinct.compactMap(\.number)
            guard let least = numbers.min(), let most = numbers.max(), !field.isList else {
                return nil
            }
            let wanted = PolicyField(name: field.name, type: field.type, isList: false)
            let low = RuleText.literal(wanted.value(of: least), field.type)
            let high = RuleText.literal(wanted.value(of: most), field.type)
            return field.type.isAmount ? "{ max = \(high) }" : "{ min = \(low), max = \(high) }"
        default: break
        }
        guard (1...valuesMax).contains(distinct.count) else { return nil }
        let list = distinct.map { RuleText.literal($0, field.type) }.sorted()
            .joined(separator: ", ")
        return field.isList ? "{ in = [\(list)] }" : "[\(list)]"
    }

    /// Whether two times are less than 24 hours apart; safe for any values in a record.
    private static func isWithinADay(from first: Int64, to last: Int64) -> Bool {
        let (span, hasOverflown) = last.subtractingReportingOverflow(first)
        return !hasOverflown && span < 86_400
    }

    /// The most operations within 24 hours.
    private static func mostInADay(_ times: [Timestamp]) -> Int {
        let seconds = times.map(\.seconds).sorted()
        var most = 0
        var start = 0
        for end in seconds.indices {
            while !isWithinADay(from: seconds[start], to: seconds[end]) { start += 1 }
            most = max(most, end - start + 1)
        }
        return most
    }
}

extension FactType {
    fileprivate var isAmount: Bool { if case .amount = self { true } else { false } }
}
