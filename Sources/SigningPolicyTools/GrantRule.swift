// SPDX-License-Identifier: Apache-2.0
package import SigningCore
import SigningPolicy

/// The uses and the amounts that are left of a grant.
package struct GrantRemainder: Sendable {
    /// The number of uses that are left; nil for any number.
    package let uses: Int64?
    /// The amounts that are left, in the order of the grant's totals.
    package let totals: [Int128]
    /// True if another grant draws on the same totals.
    package let isShared: Bool
    package let time: Timestamp

    package init(uses: Int64?, totals: [Int128], isShared: Bool, time: Timestamp) {
        self.uses = uses
        self.totals = totals
        self.isShared = isShared
        self.time = time
    }
}

/// The reason that no rule allows as little as a grant.
package struct GrantRuleError: Error, Hashable, Sendable {
    package let text: String
}

/// A grant as a rule of a policy file that allows no more than what is left of it, with a test.
package struct GrantRule {
    private let grant: Grant
    private let keyName: String
    private let schema: FactSchema
    private let left: GrantRemainder
    /// The values of the conditions, by name: those of the grant, or lower maxima.
    private let values: [(field: FactField, name: String, value: FactValue, isBound: Bool)]
    /// The most of the network's coin that the rule lets leave; nil if nothing leaves.
    private let coin: (amount: Int128, unit: AmountUnit)?
    private let usesMax: Int64?
    private let expires: Timestamp?

    /// Reads a grant; throws if a rule would allow more.
    package init(
        _ grant: Grant, keyName: String, schema: FactSchema, left: GrantRemainder
    ) throws(GrantRuleError) {
        self.grant = grant
        self.keyName = keyName
        self.schema = schema
        self.left = left
        if grant.scope.client.utf8.contains(UInt8(ascii: "*")) {
            throw GrantRuleError(text: "a rule cannot name its client: * is for patterns")
        }
        let coinUnit = schema.coin
        let totals = Array(zip(grant.totals, left.totals))
        if !totals.isEmpty, left.isShared {
            throw GrantRuleError(text: "it shares its total with another remembered answer")
        }
        let coins = totals.filter { coinUnit != nil && $0.0.outflow.asset.unit == coinUnit }
        let tokens = totals.filter { coinUnit == nil || $0.0.outflow.asset.unit != coinUnit }
        coin = coins.first.flatMap { total, left in coinUnit.map { (left, $0) } }
        var values: [(field: FactField, name: String, value: FactValue, isBound: Bool)] = []
        for fact in grant.scope.facts + grant.bounds {
            guard let field = schema.field(named: fact.name) else {
                throw GrantRuleError(text: "rules cannot name its field \(fact.name)")
            }
            if case .list(let elements) = fact.value, Set(elements).count > 1 {
                throw GrantRuleError(text: "a rule cannot fix the order of the list \(fact.name)")
            }
            values.append((field, fact.name, fact.value, grant.bounds.contains(fact)))
        }
        // A limit adds up the coin. Of a token, one use takes no more than the value of its field.
        for (_, left) in tokens {
            let places = values.indices.filter { values[$0].field.asset != nil }
            guard tokens.count == 1, places.count == 1, let place = places.first,
                case .integer(let most) = values[place].value, values[place].isBound || most <= left
            else { throw GrantRuleError(text: "a rule cannot hold its total of a token") }
            values[place].value = .integer(min(most, left))
        }
        self.values = values
        usesMax = tokens.isEmpty ? left.uses : min(left.uses ?? 1, 1)
        if left.totals.contains(0) || left.uses == 0 {
            throw GrantRuleError(text: "nothing is left of it")
        }
        // A total for all time becomes a limit over all the time of the rule.
        let needsEnd = coin != nil && grant.per == nil
        expires = grant.expires ?? (needsEnd ? left.time.adding(seconds: Self.yearSeconds) : nil)
    }

    private static let yearSeconds: Int64 = 365 * 86_400

    private var id: String { "grant-\(grant.idText)" }

    /// The rule and its test.
    package var text: String { rule + "\n" + test }

    private var rule: String {
        let scope = grant.scope
        var lines = [
            "[[rule]]", "id = \"\(id)\"",
            "effect = \"\(grant.answer == .yes ? "allow" : "deny")\"",
            "protocol = \(RuleText.quoted(scope.protocolID.name))",
            "operation = \(RuleText.quoted(scope.method))", "key = \(RuleText.value(keyName))",
            "client = \(RuleText.value(scope.client))",
        ]
        lines += RuleText.conditions(of: scope.proof)
        lines += conditions
        if grant.answer == .yes { lines.append("decoded = \"full\"") }
        if !grant.dangers.isEmpty { lines.append("acknowledge = \(dangers)") }
        if !limits.isEmpty { lines.append("limit = [\(limits.joined(separator: ", "))]") }
        if let expires { lines.append("expires = \(expires.utcText)") }
        return lines.joined(separator: "\n") + "\n"
    }

    private var dangers: String {
        "[" + grant.dangers.map { RuleText.quoted($0.name) }.joined(separator: ", ") + "]"
    }

    private var limits: [String] {
        var limits: [String] = []
        let span = grant.per.map { $0 == .hour ? "1h" : "\($0.seconds / 86_400)d" }
        if let usesMax {
            limits.append(
                span.map { "{ count = \(usesMax), per = \"\($0)\" }" }
                    ?? "{ uses = \(usesMax) }")
        }
        if let coin {
            let amount = RuleText.quoted(coin.unit.text(of: coin.amount))
            limits.append(
                "{ amount = \(amount), of = \"outflow\", per = \"\(span ?? lifeSpan)\" }")
        }
        return limits
    }

    /// The days until the rule ends, rounded up.
    private var lifeSpan: String {
        let seconds = max(1, (expires ?? left.time).seconds - left.time.seconds)
        return "\((seconds + 86_399) / 86_400)d"
    }

    /// The conditions on the request's values; values that the person did not see must be absent.
    private var conditions: [String] {
        var lines = values.map { item in
            let literal = RuleText.literal(item.value, item.field.type)
            let wanted = item.isBound ? "{ max = \(literal) }" : Self.equal(item.value, literal)
            return "\(RuleText.quoted(item.name)) = \(wanted)"
        }
        for field in schema.fields where !field.name.hasSuffix(".*") {
            let isBounding =
                grant.scope.isBroad
                ? field.boundsWishes
                : grant.answer == .no ? field.boundsRefusals : field.varies != .free
            // The engine fills the outflow from what operations report, which a limit counts.
            if isBounding, field.name != PolicyField.outflowName,
                !values.contains(where: { $0.name == field.name })
            {
                lines.append("\(RuleText.quoted(field.name)) = { exists = false }")
            }
        }
        return lines
    }

    /// A matcher for exactly this value; a list holds one value several times, or none.
    private static func equal(_ value: FactValue, _ literal: String) -> String {
        guard case .list(let elements) = value else { return literal }
        let count = "count = { min = \(elements.count), max = \(elements.count) }"
        return elements.isEmpty
            ? "{ count = { max = 0 } }" : "{ in = \(literal), \(count) }"
    }

    /// A test with the request that has these values.
    private var test: String {
        let scope = grant.scope
        let facts = values.map {
            "\(RuleText.quoted($0.name)) = \(RuleText.literal($0.value, $0.field.type))"
        }
        var lines = [
            "[[test]]", "name = \"what \(id) \(grant.answer == .yes ? "allows" : "denies")\"",
            "protocol = \(RuleText.quoted(scope.protocolID.name))",
            "operation = \(RuleText.quoted(scope.method))",
            "key = \(RuleText.quoted(keyName))",
            "facts = {\(facts.isEmpty ? "" : " " + facts.joined(separator: ", ") + " ")}",
        ]
        if !grant.dangers.isEmpty { lines.append("dangers = \(dangers)") }
        if let coin {
            lines.append("outflow = \(RuleText.quoted(coin.unit.text(of: coin.amount)))")
        }
        lines += ["client = \(RuleText.quoted(scope.client))"]
        lines += ["proof = \(RuleText.quoted(scope.proof.word))"]
        lines += scope.proof.profile.map { ["profile = \(RuleText.quoted($0))"] } ?? []
        lines += [
            "at = \(left.time.utcText)",
            "expect = \"\(grant.answer == .yes ? "allow" : "deny")\"", "rule = \"\(id)\"",
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}

extension FactSchema {
    /// The unit of the coin that `outflow` counts; nil for a protocol without one.
    fileprivate var coin: AmountUnit? {
        guard case .amount(let unit)? = field(named: PolicyField.outflowName)?.type else {
            return nil
        }
        return unit
    }
}
