// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The keys of a matcher table.
    static let matcherNames = [
        "in", "not_in", "min", "max", "prefix", "suffix", "glob", "regex", "has", "exists", "count",
    ]

    /// Reads the conditions of a rule or of its `unless`; each field may occur once.
    mutating func readConditions(
        _ nodes: [TOMLNode], scope: PolicyVocabulary.Scope
    ) -> [Condition] {
        var names: Set<String> = []
        namedAssets = []
        // For TOML, content.bytes and "content.bytes" are two keys.
        let conditions = readFields(nodes, below: "", scope: scope).filter { condition in
            if names.insert(condition.field.name).inserted { return true }
            report.error(
                .wrongShape, "\"\(condition.field.name)\" is here twice",
                at: condition.position)
            return false
        }
        return namedAssets.reduce(conditions) { pinned($0, to: $1.asset, at: $1.position) }
    }

    /// Reads fields at any depth.
    ///
    /// TOML reads `content.bytes = 5` as a table `content`, so a table whose name is not a field
    /// may contain fields.
    private mutating func readFields(
        _ nodes: [TOMLNode], below prefix: String, scope: PolicyVocabulary.Scope
    ) -> [Condition] {
        var conditions: [Condition] = []
        for node in nodes {
            let name = prefix + node.key
            // Without a known protocol the fields are unknown; the error is reported already.
            if case .broken = scope, EngineFact(rawValue: name) == nil { continue }
            switch lookUp(name, scope) {
            case .declared(let declared):
                conditions += readField(node, declared, scope)
            case .needsProtocol(let owners):
                reportMissingProtocol(node, name, owners)
            case .differs:
                report.error(
                    .needsProtocol, "\(quoted(name)) is not the same in all protocols of this rule",
                    at: node.keyPosition)
            case .unknown where isOfRefusedAsset(name): break
            case .unknown:
                guard case .table(let members) = node.value, hasFields(below: name, in: scope)
                else {
                    reportUnknownField(node, name, scope)
                    continue
                }
                conditions += readFields(members, below: name + ".", scope: scope)
            }
        }
        return conditions
    }

    /// Reads a field's condition and those of the fields below its name.
    private mutating func readField(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration, _ scope: PolicyVocabulary.Scope
    ) -> [Condition] {
        let named = namedAssets.count
        guard case .table(let members) = node.value else {
            guard isBound(node, on: declared.field),
                let matcher = readPlain(node, declared, scope)
            else { return [] }
            return [condition(node, declared, [matcher], named)]
        }
        if members.isEmpty {
            report.error(
                .wrongShape,
                "the table is empty: it needs a matcher, such as in or max", at: node.position)
        }
        let name = declared.field.name
        let matchers = members.filter { Self.matcherNames.contains($0.key) }
        var conditions: [Condition] = []
        for member in members where !Self.matcherNames.contains(member.key) {
            let below = "\(name).\(member.key)"
            if case .unknown = vocabulary.lookUp(below, in: scope),
                !vocabulary.hasFields(below: below, in: scope)
            {
                report.error(
                    .unknownMatcher, "unknown matcher \(quoted(member.key)) for \"\(name)\"",
                    at: member.keyPosition,
                    suggestion: Suggestion.closest(to: member.key, among: Self.matcherNames))
            } else {
                conditions += readFields([member], below: name + ".", scope: scope)
            }
        }
        let read = matchers.compactMap { matcher in
            isBound(matcher, on: declared.field) ? readMatcher(matcher, declared, scope) : nil
        }
        checkBounds(read, node)
        if !read.isEmpty {
            conditions.append(condition(node, declared, read, named))
        }
        return conditions
    }

    private mutating func condition(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration, _ matchers: [Matcher],
        _ named: Int
    ) -> Condition {
        let written = declared.tokensOf == nil ? nil : namedAssets.dropFirst(named).first?.asset
        return Condition(
            field: declared.field, position: node.keyPosition, matchers: matchers,
            asset: written ?? useAsset(ofTotal: declared.field.name))
    }

    /// Reads `field = value` and `field = [values]`.
    private mutating func readPlain(
        _ node: TOMLNode, _ declared: PolicyVocabulary.Declaration, _ scope: PolicyVocabulary.Scope
    ) -> Matcher? {
        guard !declared.field.isList else {
            report.error(
                .wrongMatcher,
                "\"\(declared.field.name)\" can have several values: write "
                    + (declared.field.isSetByOwner ? "{ has = ... }" : "{ in = [...] }"),
                at: node.position)
            return nil
        }
        // A field of this name is a text to search: its plain value is the text to find.
        if declared.field.name.hasSuffix(".contains") {
            return readParts(node, declared).map { .contains($0) }
        }
        return readValues(node, declared, scope).map { .isIn($0) }
    }

    private mutating func checkBounds(_ matchers: [Matcher], _ node: TOMLNode) {
        var least: Int128?
        var most: Int128?
        for matcher in matchers {
            if case .atLeast(let bound) = matcher { least = bound }
            if case .atMost(let bound) = matcher { most = bound }
        }
        if let least, let most, least > most {
            report.error(.wrongValue, "min is larger than max", at: node.position)
        }
    }

    private mutating func reportMissingProtocol(
        _ node: TOMLNode, _ name: String, _ owners: [String]
    ) {
        report.error(
            .needsProtocol,
            "\(quoted(name)) is a field of \(owners.joined(separator: " and ")): "
                + "add the protocol of the rule",
            at: node.keyPosition)
    }

    mutating func reportUnknownField(
        _ node: TOMLNode, _ name: String, _ scope: PolicyVocabulary.Scope
    ) {
        guard !Self.ruleKeys.contains(name) else {
            report.error(
                .notHere, "\(quoted(name)) is not a condition; write it in the rule itself",
                at: node.keyPosition)
            return
        }
        let place: String
        switch scope {
        case .any: place = " in a rule without a protocol"
        case .protocols(let names): place = " for \(names.joined(separator: " and "))"
        case .broken, .shared: place = ""
        }
        let candidates = vocabulary.candidates(in: scope).union(Self.ruleKeys)
            .union(totals.map(\.name) + firstUses(in: scope)).subtracting([name])
        report.error(
            .unknownField, "unknown field \(quoted(name))\(place)", at: node.keyPosition,
            suggestion: Suggestion.closest(to: name, among: candidates))
    }

    /// Reports a word that is not in a closed list.
    mutating func reportUnknownName(
        _ node: TOMLNode, of kind: String, among names: [String], _ scope: PolicyVocabulary.Scope
    ) {
        guard case .text(let name) = node.value else {
            report.error(
                .wrongValue, "\(kind) takes names as text, not \(node.value.name)",
                at: node.position)
            return
        }
        var place = ""
        if case .protocols(let protocols) = scope, kind == "operation" || kind == "danger" {
            place = " for \(protocols.joined(separator: " and "))"
        }
        report.error(
            .unknownName, "unknown \(kind) \(quoted(name))\(place)", at: node.position,
            suggestion: Suggestion.closest(to: name, among: names))
    }
}
