// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The most limits of one rule.
    static let limitCountMax = 16
    /// The most fields in `by`.
    static let scopeFieldsMax = 4
    private static let limitKeys = ["count", "amount", "uses", "of", "per", "by", "tz"]

    /// The parts of a rule that are needed to read its limits.
    struct LimitContext {
        let scope: PolicyVocabulary.Scope
        /// The rule's `tz`.
        let zone: Zone?
        /// The conditions of the rule.
        var conditions: [Condition]
        let acknowledged: [Danger]
        /// The terms of the budget whose limits are read; nil for the limits of a rule.
        var budget: BudgetTerms?
    }

    /// The quantity and the maximum of a limit.
    struct ReadMaximum {
        let measure: PolicyLimit.Measure
        let maximum: Int128
        /// The prices of assets, by protocol, if the maximum is in a common unit.
        var rates: [String: ExchangeRate] = [:]
        /// The prices of tokens, by id.
        var tokenRates: [ExactText: ExchangeRate] = [:]
        /// The asset in whose unit the maximum is written.
        var asset: PolicyAsset?
        var table: MaximumTable?
    }

    /// Reads `limit = [{ count = 60, per = "1h" }]`.
    mutating func readLimits(_ node: TOMLNode, _ context: LimitContext) -> [PolicyLimit] {
        guard case .array(let items) = node.value, !items.isEmpty else {
            report.error(
                .limit, "limit takes a list such as [{ count = 60, per = \"1h\" }]",
                at: node.position)
            return []
        }
        guard items.count <= Self.limitCountMax else {
            report.error(
                .tooMuch, "limit takes at most \(Self.limitCountMax) limits", at: node.position)
            return []
        }
        var limits: [PolicyLimit] = []
        var places: [SourcePosition] = []
        for item in items {
            guard let limit = readLimit(item, context) else { continue }
            if limits.contains(where: { $0.countsLike(limit) }) {
                report.error(
                    .limit, "another limit counts the same in the same window",
                    at: item.position)
            }
            limits.append(limit)
            places.append(item.position)
            if context.budget == nil { checkAssets(of: limit, at: item.position, context) }
        }
        // The fields of a budget's limits are checked for each rule that draws on it.
        if context.budget == nil { checkFields(of: zip(limits, places), context) }
        return limits
    }

    private mutating func readLimit(_ node: TOMLNode, _ context: LimitContext) -> PolicyLimit? {
        guard case .table(let members) = node.value else {
            report.error(
                .limit, "a limit is a table such as { count = 60, per = \"1h\" }",
                at: node.position)
            return nil
        }
        for member in members where !Self.limitKeys.contains(member.key) {
            report.error(
                .unknownKey, "unknown key \(quoted(member.key)) in a limit",
                at: member.keyPosition,
                suggestion: Suggestion.closest(to: member.key, among: Self.limitKeys))
        }
        let parts = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
        let kinds = ["count", "amount", "uses"].compactMap { parts[$0] }
        guard let kind = kinds.first, kinds.count == 1 else {
            report.error(.missingKey, "a limit has either count, amount or uses", at: node.position)
            return nil
        }
        let scope =
            parts["by"].map { readScopeFields($0, context.scope) } ?? context.budget?.by ?? []
        let bound = readMaximum(kind, parts["of"], by: scope, context)
        let window = readWindow(of: kind, parts, node, context.zone)
        guard let bound, let window, let scope else { return nil }
        return PolicyLimit(
            measure: bound.measure, window: window, maximum: bound.maximum, scope: scope,
            rates: bound.rates, tokenRates: bound.tokenRates, asset: bound.asset,
            table: bound.table)
    }

    private mutating func readMaximum(
        _ node: TOMLNode, _ of: TOMLNode?, by fields: [PolicyField]?, _ context: LimitContext
    ) -> ReadMaximum? {
        let scope = context.scope
        guard node.key == "amount" else {
            if let of {
                report.error(
                    .notHere, "\"of\" is only for limits with \"amount\"", at: of.keyPosition)
            }
            guard case .integer(let count) = node.value, count >= 1 else {
                report.error(
                    .limit, "\(node.key) takes an integer of at least 1", at: node.position)
                return nil
            }
            return ReadMaximum(measure: .operations, maximum: Int128(count))
        }
        guard let of else {
            report.error(
                .missingKey, "the limit lacks the field that it counts, such as of = \"amount\"",
                at: node.position)
            return nil
        }
        if let terms = context.budget {
            if case .table = node.value {
                report.error(
                    .budget, "a table of maxima is for the limits of a rule, not of a budget",
                    at: node.keyPosition)
                return nil
            }
            return readBudgetMaximum(node, of, terms)
        }
        guard let declared = readFieldName(of, scope) else { return nil }
        switch declared.field.type {
        case .integer, .amount: break
        case .bool, .text, .account, .bytes, .time, .duration:
            report.error(.limit, "\"\(declared.field.name)\" is not an amount", at: of.position)
            return nil
        }
        if case .table(let entries) = node.value {
            return fields.flatMap { readTable(node, entries, of: declared, by: $0, context) }
        }
        guard let maximum = readValue(node, declared.ofParts, scope)?.number else { return nil }
        guard maximum >= 1 else {
            report.error(.limit, "the amount must be above 0", at: node.position)
            return nil
        }
        return ReadMaximum(
            measure: .sum(of: declared.field), maximum: maximum,
            asset: declared.tokensOf == nil ? nil : asset(of: node))
    }

    /// Reads the name of a field that has single values.
    private mutating func readFieldName(
        _ node: TOMLNode, _ scope: PolicyVocabulary.Scope
    ) -> PolicyVocabulary.Declaration? {
        guard case .text(let name) = node.value else {
            report.error(
                .wrongValue, "\(node.key.isEmpty ? "by" : node.key) takes the names of fields",
                at: node.position)
            return nil
        }
        if case .broken = scope, EngineFact(rawValue: name) == nil { return nil }
        switch vocabulary.lookUp(name, in: scope) {
        case .declared(let declared) where !declared.field.isList: return declared
        case .declared:
            report.error(
                .limit, "a limit cannot count by \(quoted(name)), which can have several values",
                at: node.position)
        case .needsProtocol(let owners):
            report.error(
                .needsProtocol,
                "\(quoted(name)) is a field of \(owners.joined(separator: " and ")): "
                    + "add the protocol of the rule",
                at: node.position)
        case .differs:
            report.error(
                .needsProtocol, "\(quoted(name)) is not the same in all protocols of this rule",
                at: node.position)
        case .unknown:
            report.error(
                .unknownField, "unknown field \(quoted(name))", at: node.position,
                suggestion: Suggestion.closest(to: name, among: vocabulary.candidates(in: scope)))
        }
        return nil
    }

    mutating func readScopeFields(
        _ node: TOMLNode, _ scope: PolicyVocabulary.Scope
    ) -> [PolicyField]? {
        guard case .array(let items) = node.value, !items.isEmpty,
            items.count <= Self.scopeFieldsMax
        else {
            report.error(
                .limit, "by takes a list of up to \(Self.scopeFieldsMax) fields, such as [\"key\"]",
                at: node.position)
            return nil
        }
        let fields = items.compactMap { readFieldName($0, scope)?.field }
        guard Set(fields).count == fields.count else {
            report.error(.limit, "by names a field twice", at: node.position)
            return nil
        }
        return fields.count == items.count
            ? fields.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } : nil
    }
}

extension PolicyLimit {
    /// Whether two limits of one rule count the same uses in the same window.
    fileprivate func countsLike(_ other: PolicyLimit) -> Bool {
        measure == other.measure && window == other.window && scope == other.scope
    }
}
