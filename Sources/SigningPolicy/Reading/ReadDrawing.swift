// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// Reads `budget = "daily"` of a rule.
    mutating func readDrawing(
        _ node: TOMLNode, _ context: LimitContext, effect: RuleEffect?
    ) -> [PolicyBudget] {
        guard version > 1 else {
            report.error(.budget, "budgets need version = 2", at: node.keyPosition)
            return []
        }
        if effect == .deny {
            report.error(
                .notHere, "\"budget\" is for rules that allow or ask", at: node.keyPosition)
        }
        let items = node.items
        guard !items.isEmpty, items.count <= Self.drawnCountMax else {
            report.error(
                .budget, "budget takes 1 to \(Self.drawnCountMax) names of budgets",
                at: node.position)
            return []
        }
        var drawn: [PolicyBudget] = []
        for item in items {
            guard case .text(let name) = item.value, budgetNames.contains(name) else {
                reportUnknownName(item, of: "budget", among: budgetNames.sorted(), .any)
                continue
            }
            usedBudgets.insert(name)
            guard let budget = budgets[name] else { continue }
            guard !drawn.contains(where: { $0.name == name }) else {
                report.error(.budget, "the rule names \(quoted(name)) twice", at: item.position)
                continue
            }
            for limit in budget.limits {
                check(limit, of: name, at: item.position, context)
                checkAssets(of: limit, in: name, at: item.position, context)
            }
            drawn.append(budget)
        }
        return drawn.sorted { $0.name < $1.name }
    }

    /// Refuses a rule whose requests a budget's limit cannot count.
    private mutating func check(
        _ limit: PolicyLimit, of name: String, at position: SourcePosition,
        _ context: LimitContext
    ) {
        for field in limit.fields where EngineFact(rawValue: field.name) == nil {
            if case .broken = context.scope { return }
            guard case .protocols(let protocols) = context.scope else {
                report.error(
                    .needsProtocol,
                    "the budget \"\(name)\" counts \"\(field.name)\": add the protocol of the rule",
                    at: position)
                return
            }
            let other = protocols.first { protocolName in
                guard limit.rates[protocolName] == nil || field.name != limit.summed?.name
                else { return false }
                return vocabulary.field(named: field.name, of: protocolName) != field
            }
            // After an error in the budget this would only be its consequence.
            guard let other, !report.hasErrors else { continue }
            let unit = limit.summed == field ? field.unitSymbol.map { " in \($0)" } ?? "" : ""
            report.error(
                .budget,
                "the budget \"\(name)\" counts \"\(field.name)\"\(unit), which requests of "
                    + "\(other) do not have", at: position)
            return
        }
        guard let field = openField(of: limit, context) else { return }
        report.error(
            .openBudget,
            "the budget \"\(name)\" bounds nothing here: a client can use any number of values of "
                + "\"\(field.name)\", and each has its own counter; list its values in the rule",
            at: position)
    }

    mutating func checkNames(of rules: [PolicyRule]) {
        for rule in rules where !rule.ownLimits.isEmpty && budgetNames.contains(rule.id) {
            report.error(
                .budget,
                "a budget has the name of the rule \"\(rule.id)\", which has limits of its own: "
                    + "they would share counters", at: rule.position)
        }
        for budget in budgets.values where !usedBudgets.contains(budget.name) {
            report.warn(
                .unusedBudget, "no rule draws on the budget \"\(budget.name)\"",
                at: budget.position)
        }
    }
}

extension PolicyLimit {
    /// The fields that the limit needs.
    var fields: [PolicyField] { scope + [summed].compactMap { $0 } }
}

extension PolicyField {
    fileprivate var unitSymbol: String? {
        if case .amount(let unit) = type { unit.symbol } else { nil }
    }
}

extension PolicyVocabulary {
    /// The coins of the chains, sorted by symbol.
    var assets: [AmountUnit] {
        let units = schemas.compactMap { schema -> AmountUnit? in
            guard case .amount(let unit) = schema.field(named: PolicyField.outflowName)?.type
            else { return nil }
            return unit
        }
        return Set(units).sorted { $0.symbol < $1.symbol }
    }

    /// The field of this name in each protocol in which it is a single amount or integer.
    func countable(_ name: String) -> [(protocolName: String, field: PolicyField)] {
        if let fact = EngineFact(rawValue: name) {
            guard case .integer = fact.field.type else { return [] }
            return [("", fact.field)]
        }
        return protocols.compactMap { protocolName in
            guard let field = field(named: name, of: protocolName), !field.isList else {
                return nil
            }
            switch field.type {
            case .integer, .amount: return (protocolName, field)
            case .bool, .text, .account, .bytes, .time, .duration: return nil
            }
        }
    }
}
