// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The most values of a table of maxima.
    static let tableEntriesMax = 10_000

    private static let tableExample =
        "amount = { \"ADDRESS\" = \"5 ALGO\" }, of = \"amount\", by = [\"receiver\"]"

    /// Reads `amount = { "ADDRESS" = "5 ALGO" }`: a maximum for each value of the field in `by`.
    mutating func readTable(
        _ node: TOMLNode, _ entries: [TOMLNode], of declared: PolicyVocabulary.Declaration,
        by fields: [PolicyField], _ context: LimitContext
    ) -> ReadMaximum? {
        guard version > 1 else {
            report.error(
                .limit, "a table of maxima needs version = 2", at: node.keyPosition)
            return nil
        }
        guard !entries.isEmpty, entries.count <= Self.tableEntriesMax else {
            report.error(
                entries.isEmpty ? .limit : .tooMuch,
                entries.isEmpty
                    ? "the table is empty: the rule would never apply"
                    : "the table has \(entries.count) values; at most \(Self.tableEntriesMax) are "
                        + "allowed", at: node.position)
            return nil
        }
        guard let key = readTableKey(node, entries, by: fields, context) else { return nil }
        var maxima: [ExactValue: Int128] = [:]
        var units: Set<String?> = []
        for entry in entries {
            guard let value = readEntryName(entry, key, context.scope),
                let maximum = readEntryMaximum(entry, declared, context.scope)
            else { continue }
            if maxima.updateValue(maximum, forKey: ExactValue(value: value)) != nil {
                report.error(
                    .limit, "\(quoted(entry.key)) is in the table twice", at: entry.keyPosition)
            }
            units.insert(declared.tokensOf == nil ? nil : asset(of: entry)?.name)
        }
        guard maxima.count == entries.count else { return nil }
        guard units.count == 1 else {
            report.error(
                .mixedAssets, "the amounts of a table are all in the unit of one asset",
                at: node.position)
            return nil
        }
        let table = MaximumTable(maxima)
        return ReadMaximum(
            measure: .sum(of: declared.field), maximum: table.highest,
            asset: declared.tokensOf == nil ? nil : asset(of: entries[0]), table: table)
    }

    /// Returns the field whose values a table lists; nil after an error.
    private mutating func readTableKey(
        _ node: TOMLNode, _ entries: [TOMLNode], by fields: [PolicyField], _ context: LimitContext
    ) -> PolicyVocabulary.Declaration? {
        guard fields.count == 1, let field = fields.first,
            case .declared(let key) = vocabulary.lookUp(field.name, in: context.scope)
        else {
            report.error(
                .limit,
                "a table needs by with the one field whose values it lists, such as { "
                    + "\(Self.tableExample), per = \"month\", tz = \"UTC\" }", at: node.keyPosition)
            return nil
        }
        guard field.type.namesEntries else {
            report.error(
                .limit, "a table lists values of fields with text: \"\(field.name)\" has none",
                at: node.keyPosition)
            return nil
        }
        guard let other = context.conditions.first(where: { $0.field == field }) else {
            return key
        }
        let pins = entries.compactMap { asset(of: $0) }.flatMap { asset in
            vocabulary.tokenField(of: asset.protocolName)?
                .pins(of: asset, at: node.position, beside: []) ?? []
        }
        report.error(
            .limit,
            pins.contains { $0.isSame(as: other) }
                ? "\"\(field.name)\" is \(other.wanted(.every)) for these amounts, so a table "
                    + "cannot list its values"
                : "the rule applies only to values of \"\(field.name)\" in the table: remove its "
                    + "condition \"\(field.name)\"", at: node.keyPosition)
        return nil
    }

    /// Reads the name of an entry as a value of the table's field.
    private mutating func readEntryName(
        _ entry: TOMLNode, _ declared: PolicyVocabulary.Declaration,
        _ scope: PolicyVocabulary.Scope
    ) -> FactValue? {
        if case .table = entry.value {
            // For TOML, alice.near is a table "alice" with a member "near".
            report.error(
                .limit,
                "\(quoted(entry.key)) has no amount; put a name with dots in quotes, such as "
                    + "\"alice.near\" = \"5 NEAR\"", at: entry.keyPosition)
            return nil
        }
        let name = TOMLNode(
            key: "", keyPosition: entry.keyPosition, position: entry.keyPosition,
            value: .text(entry.key))
        guard name.setReference == nil else {
            report.error(
                .limit, "a table lists single values, not the set \(quoted(entry.key))",
                at: entry.keyPosition)
            return nil
        }
        guard let value = readValue(name, declared, scope) else { return nil }
        guard CompiledLimit.text(of: value).utf8.count <= CompiledLimit.scopeValueMax else {
            report.error(.limit, "the value is too long to be counted", at: entry.keyPosition)
            return nil
        }
        return value
    }

    private mutating func readEntryMaximum(
        _ entry: TOMLNode, _ declared: PolicyVocabulary.Declaration,
        _ scope: PolicyVocabulary.Scope
    ) -> Int128? {
        guard let maximum = readValue(entry, declared.ofParts, scope)?.number else { return nil }
        guard maximum >= 1 else {
            report.error(
                .limit, "the amount of \(quoted(entry.key)) must be above 0", at: entry.position)
            return nil
        }
        return maximum
    }

    /// Adds the condition by which the rule is about the values of its table only.
    ///
    /// A rule has one table at most, so that one condition says which values it is about.
    mutating func tabled(
        _ conditions: [Condition], by limits: [PolicyLimit], at node: TOMLNode?
    ) -> [Condition] {
        guard let node else { return conditions }
        let added = limits.compactMap { $0.tableCondition(at: node.keyPosition) }
        if added.count > 1 {
            report.error(.limit, "a rule has one table of maxima at most", at: node.position)
        }
        return conditions + added.prefix(1)
    }
}

extension FactType {
    /// Whether values of the type can be the names of a table's entries.
    fileprivate var namesEntries: Bool {
        switch self {
        case .text, .account: true
        case .bool, .integer, .amount, .bytes, .time, .duration: false
        }
    }
}
