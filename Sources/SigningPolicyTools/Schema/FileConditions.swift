// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
import SigningCore
import SigningPolicy

/// The JSON Schemas of the fields that a rule may name, written in quotes or as nested tables.
struct FileConditions {
    /// The declarations of each name, and the text for people.
    private var fields: [String: (declared: [DeclaredField], note: String)] = [:]
    private(set) var definitions: [String: JSON] = [:]

    init(_ schemas: [FactSchema]) {
        for fact in EngineFact.allCases {
            var declared = DeclaredField(fact.field.type, isList: fact.field.isList)
            declared.isAlwaysThere = fact.isAlwaysThere
            declared.closed = Self.names(of: fact, schemas).map { (fact.rawValue, $0) }
            add(fact.rawValue, declared, fact.note)
        }
        for field in schemas.flatMap(\.fields) {
            var declared = DeclaredField(field.type, isList: field.isList)
            declared.isOfTokens = field.asset != nil
            declared.isSearched = field.name.hasSuffix(".contains")
            add(field.name, declared, field.note)
            guard field.isCounterparty else { continue }
            var first = DeclaredField(.duration, isList: false)
            first.isFirstUse = true
            add(
                FirstUseField.prefix + field.name, first,
                "How long ago the key first signed for this \(field.name); 0 if it never did.")
        }
        // The last part of the name is a coin or an [asset.NAME].
        var total = DeclaredField(
            .amount(AmountUnit(symbol: "NAME", decimals: 0, smallest: "NAME")), isList: false)
        total.isOfTokens = true
        add(RequestTotal.prefix + "*", total, "What leaves by the whole request in one asset.")
        for name in allPaths { definitions["field.\(name)"] = definition(of: name) }
        for name in fields.keys where name.hasSuffix(".*") {
            definitions["family.\(name.dropLast(2))"] = family(name)
        }
        definitions["protocol"] = PolicyFileSchema.oneOrMore(
            PolicyFileSchema.names(Set(schemas.map(\.protocolID.name)).sorted()))
    }

    private mutating func add(_ name: String, _ declared: DeclaredField, _ note: String) {
        definitions["type.\(declared.key)"] = declared.conditions
        definitions["value.\(declared.valueKey)"] = declared.value
        var (known, text) = fields[name] ?? ([], note)
        if !known.contains(where: { $0.key == declared.key }) { known.append(declared) }
        if text.isEmpty { text = note }
        fields[name] = (known, text)
    }

    /// The names of the closed lists, as the reader of policy files knows them.
    private static func names(of fact: EngineFact, _ schemas: [FactSchema]) -> [String]? {
        switch fact {
        case .operation: Set(schemas.flatMap(\.methods)).sorted()
        case .danger:
            Set((Danger.common + schemas.flatMap(\.dangers)).map(\.name)).sorted()
        case .effects: Effect.allCases.map(\.rawValue)
        case .decoded: [Decoding.full, .partial, .opaque].map(\.rawValue)
        case .clientProof: Client.Proof.words
        default: nil
        }
    }

    /// The conditions on one field, with the fields below its name.
    private func definition(of path: String) -> JSON {
        let (declared, note) = fields[path] ?? ([], "")
        let below = members(below: path + ".")
        let families = patterns(below: path + ".")
        var forms: [JSON] = declared.map { ["$ref": .string("#/definitions/type.\($0.key)")] }
        if !below.isEmpty || !families.isEmpty {
            let matchers = declared.reduce(into: [:]) {
                $0.merge($1.matchers) { first, _ in first }
            }
            forms = declared.flatMap(\.plain)
            forms.append([
                "type": "object", "minProperties": 1, "additionalProperties": false,
                "properties": PolicyFileSchema.sorted(
                    matchers.merging(below) { first, _ in first }),
                "patternProperties": PolicyFileSchema.sorted(families),
            ])
        }
        let schema: JSON = ["anyOf": .array(forms)]
        return note.isEmpty ? schema : PolicyFileSchema.described(note, schema)
    }

    /// The conditions on a field of a family, whose name may have further dots.
    private func family(_ name: String) -> JSON {
        let (declared, note) = fields[name] ?? ([], "")
        let forms: [JSON] = declared.map { ["$ref": .string("#/definitions/type.\($0.key)")] }
        let longer: JSON = [
            "type": "object", "minProperties": 1,
            "additionalProperties": ["$ref": .string("#/definitions/family.\(name.dropLast(2))")],
        ]
        return PolicyFileSchema.described(note, ["anyOf": .array(forms + [longer])])
    }

    /// The names of fields and of tables above them, such as `content` for `content.bytes`.
    private var allPaths: Set<String> {
        var paths: Set<String> = []
        for name in fields.keys where name != EngineFact.protocolID.rawValue {
            var path = ""
            for part in name.split(separator: ".") where part != "*" {
                path += path.isEmpty ? String(part) : ".\(part)"
                paths.insert(path)
            }
        }
        return paths
    }

    /// The members of a rule or of its exception.
    var properties: [String: JSON] {
        members(below: "").merging(["protocol": ["$ref": "#/definitions/protocol"]]) { $1 }
    }

    /// The families by the pattern of a name in quotes, such as `^tag[.].+$`.
    var families: [String: JSON] { patterns(below: "") }

    /// The members of a table, for each way to write the rest of a name.
    private func members(below prefix: String) -> [String: JSON] {
        var members: [String: JSON] = [:]
        for path in allPaths where path.hasPrefix(prefix) && path.count > prefix.count {
            members[String(path.dropFirst(prefix.count))] = [
                "$ref": .string("#/definitions/field.\(path)")
            ]
        }
        return members
    }

    private func patterns(below prefix: String) -> [String: JSON] {
        var patterns: [String: JSON] = [:]
        for name in fields.keys where name.hasSuffix(".*") && name.hasPrefix(prefix) {
            let rest = name.dropFirst(prefix.count).dropLast(2)
            let stem = rest.replacing(".", with: "[.]")
            let pattern = rest.isEmpty ? "^.+$" : "^\(stem)[.].+$"
            patterns[pattern] = ["$ref": .string("#/definitions/family.\(name.dropLast(2))")]
        }
        return patterns
    }
}
