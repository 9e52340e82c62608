// SPDX-License-Identifier: Apache-2.0
package import SigningCore
import SigningPolicy

/// Writes rules in the notation of policy files.
package enum RuleText {
    /// The rule that is equivalent to a grant.
    package static func rule(for grant: Grant, keyName: String, schema: FactSchema) -> String {
        let scope = grant.scope
        var lines = [
            "[[rule]]", "id = \"grant-\(grant.idText)\"",
            "effect = \"\(grant.answer == .yes ? "allow" : "deny")\"",
            "protocol = \(quoted(scope.protocolID.name))",
            "operation = \(quoted(scope.method))", "key = \(value(keyName))",
            "client = \(value(scope.client))",
        ]
        lines += conditions(of: scope.proof)
        lines += conditions(of: grant, schema)
        if !grant.dangers.isEmpty {
            let names = grant.dangers.map { quoted($0.name) }.joined(separator: ", ")
            lines.append("acknowledge = [\(names)]")
        }
        // A grant may have totals over assets, which rules do not have: the rule allows one use
        // instead.
        let usesMax = grant.totals.isEmpty ? grant.usesMax : 1
        if let usesMax, let per = grant.per, grant.totals.isEmpty {
            let span = per == .hour ? "1h" : "\(per.seconds / 86_400)d"
            lines.append("limit = [{ count = \(usesMax), per = \"\(span)\" }]")
        } else if let usesMax {
            lines.append("limit = [{ uses = \(usesMax) }]")
        }
        if let expires = grant.expires { lines.append("expires = \(expires.utcText)") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// The conditions on the client's proof.
    static func conditions(of proof: Client.Proof) -> [String] {
        ["\"client.proof\" = \(quoted(proof.word))"]
            + (proof.profile.map { ["\"client.profile\" = \(quoted($0))"] } ?? [])
    }

    /// The conditions on the request's values; values that the person did not see must be absent.
    private static func conditions(of grant: Grant, _ schema: FactSchema) -> [String] {
        let known = grant.scope.facts + grant.bounds
        var lines = known.compactMap { fact -> String? in
            guard let field = schema.field(named: fact.name) else { return nil }
            let isBound = grant.bounds.contains(fact)
            let wanted =
                isBound
                ? "{ max = \(literal(fact.value, field.type)) }" : condition(fact.value, field)
            return "\(quoted(fact.name)) = \(wanted)"
        }
        for field in schema.fields where !field.name.hasSuffix(".*") {
            let isBounding =
                grant.scope.isBroad
                ? field.boundsWishes
                : grant.answer == .no ? field.boundsRefusals : field.varies != .free
            if isBounding, !known.contains(where: { $0.name == field.name }) {
                lines.append("\(quoted(field.name)) = { exists = false }")
            }
        }
        return lines
    }

    /// A matcher for exactly this value.
    private static func condition(_ value: FactValue?, _ field: FactField) -> String {
        guard let value else { return "{ exists = false }" }
        guard case .list(let elements) = value else { return literal(value, field.type) }
        guard !elements.isEmpty else { return "{ count = { max = 0 } }" }
        let list = elements.map { literal($0, field.type) }.joined(separator: ", ")
        return "{ in = [\(list)], count = { min = \(elements.count), max = \(elements.count) } }"
    }

    /// A value in the notation of its type.
    static func literal(_ value: FactValue, _ type: FactType) -> String {
        switch (value, type) {
        case (.integer(let number), .amount(let unit)): quoted(unit.text(of: number))
        case (.integer(let number), _): String(number)
        case (.bool(let bool), _): bool ? "true" : "false"
        case (.text(let text), _): self.value(text)
        case (.bytes(let bytes), _): quoted(hex(bytes))
        case (.time(let time), _): time.utcText
        case (.list, _): "[]"
        }
    }

    /// A text to compare with, with a leading `@` escaped, as `@` would name a set.
    static func value(_ text: String) -> String {
        quoted(text.utf8.first == UInt8(ascii: "@") ? "@" + text : text)
    }

    /// A basic string of TOML.
    static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            default:
                let isVisible = VisibleText.escaped(String(scalar)) == String(scalar)
                result += isVisible ? String(scalar) : "\\U" + padded(scalar.value)
            }
        }
        return result + "\""
    }

    private static func padded(_ number: UInt32) -> String {
        let digits = String(number, radix: 16, uppercase: true)
        return String(repeating: "0", count: 8 - digits.utf8.count) + digits
    }

    private static func hex(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
