// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The most patterns in one file.
    private static let patternCountMax = 1_000
    /// The largest value of `count`.
    private static let countMax = 1_000_000

    /// Reads one entry of a matcher table.
    mutating func readMatcher(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration, _ scope: PolicyVocabulary.Scope
    ) -> Matcher? {
        // A text to search is hardly ever equal to the text to find, so "not_in" would hold for the
        // requests that it should stop.
        if declared.field.name.hasSuffix(".contains"), ["in", "not_in"].contains(node.key) {
            report.error(
                .wrongMatcher,
                "\"\(declared.field.name)\" is searched: write { has = ... }, or for the "
                    + "opposite { has = ... } in unless",
                at: node.keyPosition)
            return nil
        }
        switch node.key {
        case "in": return readValues(node, declared, scope).map { .isIn($0) }
        case "not_in": return readValues(node, declared, scope).map { .notIn($0) }
        case "min": return readBound(node, declared).map { .atLeast($0) }
        case "max": return readBound(node, declared).map { .atMost($0) }
        case "prefix": return readParts(node, declared).map { .hasPrefix($0) }
        case "suffix": return readParts(node, declared).map { .hasSuffix($0) }
        case "glob":
            return readPatterns(node, declared) { text throws(ValueProblem) in
                try TextPattern(glob: text)
            }.map { .glob($0) }
        case "regex":
            return readPatterns(node, declared) { text throws(ValueProblem) in
                try TextPattern(regex: text)
            }.map { .regex($0) }
        case "has":
            if declared.field.type == .text, !declared.field.isList {
                return readParts(node, declared).map { .contains($0) }
            }
            guard isList(node, declared) else { return nil }
            return readValues(node, declared, scope).map { .has($0) }
        case "count":
            guard isList(node, declared) else { return nil }
            return readCount(node).map { .count($0) }
        default: return readExists(node, declared)
        }
    }

    private mutating func readBound(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration
    ) -> Int128? {
        switch declared.field.type {
        case .integer, .amount, .time, .duration: break
        case .bool, .text, .account, .bytes:
            refuse(node, declared, "is for numbers, amounts and times")
            return nil
        }
        return readValue(node, declared, .any)?.number
    }

    /// Reads the prefixes, suffixes or parts of a text or byte string.
    mutating func readParts(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration
    ) -> [FactValue]? {
        switch declared.field.type {
        case .text, .account, .bytes: break
        case .bool, .integer, .amount, .time, .duration:
            refuse(node, declared, "is for text and bytes")
            return nil
        }
        guard declared.names == nil else {
            refuse(node, declared, "is not for names of a fixed list")
            return nil
        }
        let items = node.items
        if let reference = items.first(where: { $0.setReference != nil }) {
            report.error(
                .wrongValue,
                "\(node.key) does not take a set; write \"@@\" for a text that begins with \"@\"",
                at: reference.position)
            return nil
        }
        let parts = items.compactMap { readValue($0, declared.ofParts, .any) }
        let hasEmpty = parts.contains { $0 == .text("") || $0 == .bytes([]) }
        guard !items.isEmpty, !hasEmpty else {
            report.error(.wrongValue, "\(node.key) must not be empty", at: node.position)
            return nil
        }
        warnOfParts(parts, node, declared)
        return parts.count == items.count ? parts : nil
    }

    /// Warns of parts that cannot occur in any value of the field's form.
    private mutating func warnOfParts(
        _ parts: [FactValue], _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration
    ) {
        guard node.key != "regex", let form = declared.form else { return }
        for case .text(let text) in parts {
            let pieces =
                node.key == "glob" ? text.split { "*?".contains($0) }.map(String.init) : [text]
            guard let odd = pieces.first(where: { !form.canHold($0) }) else { continue }
            report.warn(
                .noSuchPart,
                "no value of \"\(declared.field.name)\" has \(quoted(odd)) in it, so this "
                    + "never matches", at: node.position)
        }
    }

    private mutating func readPatterns(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration,
        _ compile: (String) throws(ValueProblem) -> TextPattern
    ) -> [TextPattern]? {
        guard declared.field.type != .bytes else {
            refuse(node, declared, "is for text")
            return nil
        }
        guard let parts = readParts(node, declared) else { return nil }
        patternCount += parts.count
        guard patternCount <= Self.patternCountMax else {
            report.error(
                .tooMuch, "there are more than \(Self.patternCountMax) patterns",
                at: node.position)
            return nil
        }
        var patterns: [TextPattern] = []
        for part in parts {
            guard case .text(let text) = part else { return nil }
            do throws(ValueProblem) {
                patterns.append(try compile(text))
            } catch {
                report.error(.wrongValue, "\(node.key) \(error.text)", at: node.position)
                return nil
            }
        }
        return patterns
    }

    private mutating func readExists(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration
    ) -> Matcher? {
        guard let wanted = readFlag(node) else { return nil }
        if let fact = EngineFact(rawValue: declared.field.name), fact.isAlwaysThere {
            let hint = declared.field.isList ? ": say { count = { min = 1 } }" : ""
            report.error(
                .wrongMatcher, "every request has \"\(fact.rawValue)\"\(hint)",
                at: node.keyPosition)
            return nil
        }
        return .exists(wanted)
    }

    private mutating func readCount(_ node: TOMLNode) -> ClosedRange<Int>? {
        guard case .table(let members) = node.value, !members.isEmpty else {
            report.error(
                .wrongValue, "count takes a table such as { min = 1, max = 5 }", at: node.position)
            return nil
        }
        var bounds = ["min": 0, "max": Self.countMax]
        for member in members {
            guard bounds[member.key] != nil else {
                report.error(
                    .unknownMatcher, "count takes min and max, not \(quoted(member.key))",
                    at: member.keyPosition,
                    suggestion: Suggestion.closest(to: member.key, among: ["min", "max"]))
                return nil
            }
            guard case .integer(let bound) = member.value, (0...Int64(Self.countMax)) ~= bound
            else {
                report.error(
                    .wrongValue, "\(member.key) of count is 0 to \(Self.countMax)",
                    at: member.position)
                return nil
            }
            bounds[member.key] = Int(bound)
        }
        guard let least = bounds["min"], let most = bounds["max"], least <= most else {
            report.error(.wrongValue, "min is larger than max", at: node.position)
            return nil
        }
        return least...most
    }

    private mutating func isList(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration
    ) -> Bool {
        if !declared.field.isList { refuse(node, declared, "is for fields with several values") }
        return declared.field.isList
    }

    private mutating func refuse(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration, _ why: String
    ) {
        report.error(
            .wrongMatcher, "\(node.key) \(why); \"\(declared.field.name)\" is not",
            at: node.keyPosition)
    }
}
