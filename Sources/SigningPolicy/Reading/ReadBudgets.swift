// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// The most budgets in one file.
    static let budgetCountMax = 1_000
    /// The most budgets that one rule draws on.
    static let drawnCountMax = 8
    private static let budgetKeys = ["limit", "by", "tz", "final", "escalate", "unit", "rate"]

    /// Reads `[budget.NAME]` tables.
    mutating func readBudgets(_ node: TOMLNode) {
        guard case .table(let tables) = node.value else {
            report.error(.budget, "budgets are written as [budget.NAME]", at: node.keyPosition)
            return
        }
        guard version > 1 else {
            report.error(
                .budget, "budgets need version = 2; see \"countersign policy fmt --upgrade\"",
                at: node.keyPosition)
            return
        }
        guard tables.count <= Self.budgetCountMax else {
            report.error(
                .tooMuch,
                "there are \(tables.count) budgets; at most \(Self.budgetCountMax) are allowed",
                at: node.keyPosition)
            return
        }
        for table in tables { budgets[table.key] = readBudget(table) }
    }

    private mutating func readBudget(_ node: TOMLNode) -> PolicyBudget? {
        // A budget with an error is known, so that rules that name it are not reported as well.
        budgetNames.insert(node.key)
        guard case .table(let members) = node.value else {
            report.error(.budget, "budgets are written as [budget.NAME]", at: node.keyPosition)
            return nil
        }
        guard !node.key.isEmpty, node.key.utf8.count <= Self.ruleIDMax,
            node.key.utf8.allSatisfy(Self.isNameByte)
        else {
            report.error(
                .budget,
                "the budget name \(quoted(node.key)) is invalid: a name is 1 to \(Self.ruleIDMax) "
                    + "of a-z, 0-9 and -", at: node.keyPosition)
            return nil
        }
        for member in members where !Self.budgetKeys.contains(member.key) {
            let message =
                member.key == "budget"
                ? "a budget cannot draw on a budget: let the rules draw on both"
                : "unknown key \(quoted(member.key)) in a budget"
            report.error(
                .unknownKey, message, at: member.keyPosition,
                suggestion: Suggestion.closest(to: member.key, among: Self.budgetKeys))
        }
        let parts = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
        guard let limit = parts["limit"] else {
            report.error(
                .missingKey, "the budget \"\(node.key)\" has no limit", at: node.keyPosition)
            return nil
        }
        let terms = readTerms(parts["unit"], parts["rate"])
        let zone = parts["tz"].flatMap { readZone($0) }
        let by = parts["by"].flatMap { readScopeFields($0, .shared) }
        let limits = readLimits(
            limit,
            LimitContext(
                scope: .shared, zone: zone, conditions: [], acknowledged: [],
                budget: BudgetTerms(unit: terms.unit, rates: terms.rates, by: by ?? [])))
        // After another error these two would only be its consequences.
        if let unit = terms.unit, !report.hasErrors, limits.allSatisfy(\.rates.isEmpty) {
            report.error(
                .budget, "no limit of the budget is in \(unit.symbol)", at: node.keyPosition)
        }
        for asset in terms.rates.keys.sorted().compactMap(pricedAsset)
        where !report.hasErrors && !limits.contains(where: { $0.tokenRates[asset.id] != nil }) {
            report.error(
                .budget,
                "the rate of \"\(asset.rateName)\" counts only in a limit of \"outflow\", beside a "
                    + "rate of the coin of \(asset.protocolName)", at: node.keyPosition)
        }
        if let tz = parts["tz"], !limits.contains(where: { $0.isByCalendar }) {
            report.error(.notHere, "tz needs a calendar limit", at: tz.keyPosition)
        }
        let (onExceed, demand) = readOnExceed(parts, of: node.key)
        return PolicyBudget(
            name: node.key, position: node.keyPosition, limits: limits, onExceed: onExceed,
            demand: demand, unit: terms.unit,
            rates: terms.rates.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
    }

    /// Reads `final = true` or `escalate`.
    private mutating func readOnExceed(
        _ parts: [String: TOMLNode], of name: String
    ) -> (RuleEffect?, ApproverDemand?) {
        var onExceed: RuleEffect?
        if let node = parts["final"], readFlag(node) ?? false { onExceed = .deny }
        guard let node = parts["escalate"] else { return (onExceed, nil) }
        if onExceed == .deny {
            report.error(
                .budget, "a final budget does not escalate: it denies", at: node.keyPosition)
        }
        switch node.value {
        case .bool(let asks): return (asks ? .ask : nil, nil)
        case .table(let members) where members.map(\.key) == ["approvers"]:
            return (.ask, readDemand(members[0], of: "budget \(name)"))
        default:
            report.error(
                .budget,
                "escalate is true, or { approvers = { min = 2, of = [\"alice\", \"bob\"] } }",
                at: node.position)
            return (nil, nil)
        }
    }
}

extension PolicyReader {
    /// The parts of a budget that its limits use.
    struct BudgetTerms {
        let unit: AmountUnit?
        /// The prices by the symbols of assets.
        let rates: [String: String]
        /// The `by` of limits without their own.
        let by: [PolicyField]
    }

    /// The decimals of a common unit; amounts are rounded up to its smallest unit.
    private static let unitDecimals = 9
    private static let unitLengthMax = 12
    /// The most assets that an error names.
    private static let shownAssetsMax = 8

    /// Reads `unit = "USD"` and `rate = { ALGO = "0.18" }`.
    private mutating func readTerms(
        _ unitNode: TOMLNode?, _ rateNode: TOMLNode?
    ) -> (unit: AmountUnit?, rates: [String: String]) {
        guard let unitNode, let rateNode else {
            if let node = unitNode ?? rateNode {
                report.error(
                    .budget,
                    "unit and rate belong together: unit = \"USD\" and rate = "
                        + "{ ALGO = \"0.18\" }", at: node.keyPosition)
            }
            return (nil, [:])
        }
        guard case .text(let symbol) = unitNode.value, !symbol.isEmpty,
            symbol.utf8.count <= Self.unitLengthMax,
            symbol.utf8.allSatisfy({ (0x41...0x5A).contains($0) || (0x30...0x39).contains($0) }),
            !assetPositions.keys.contains(where: {
                AssetName.shape(of: $0) == AssetName.shape(of: symbol)
            })
        else {
            report.error(
                .budget,
                "unit is 1 to \(Self.unitLengthMax) of A-Z and 0-9, such as \"USD\", not an asset",
                at: unitNode.position)
            return (nil, [:])
        }
        guard case .table(let members) = rateNode.value, !members.isEmpty else {
            report.error(
                .budget, "rate takes a table such as { ALGO = \"0.18\" }", at: rateNode.position)
            return (nil, [:])
        }
        let unit = AmountUnit(
            symbol: symbol, decimals: Self.unitDecimals, smallest: "nano\(symbol)")
        var rates: [String: String] = [:]
        for member in members { rates[member.key] = readRate(member, in: unit) }
        return (unit, rates)
    }

    private mutating func readRate(_ node: TOMLNode, in unit: AmountUnit) -> String? {
        let name = String(node.key.prefix { $0 != "@" })
        usedAssets.insert(name)
        let coin = vocabulary.assets.first { $0.symbol.isExactly(node.key) }
        guard let asset = coin ?? pricedAsset(node.key)?.unit else {
            // An error in the asset's table is reported there.
            guard assetPositions[name] == nil || assets[name] != nil else { return nil }
            let known = vocabulary.assets.map(\.symbol) + assets.values.map(\.rateName).sorted()
            report.error(
                .budget,
                "unknown asset \(quoted(node.key)); known are "
                    + known.prefix(Self.shownAssetsMax).joined(separator: ", "),
                at: node.keyPosition, suggestion: Suggestion.closest(to: node.key, among: known))
            return nil
        }
        guard case .text(let text) = node.value,
            ExchangeRate(text, of: asset, in: unit) != nil
        else {
            report.error(
                .budget,
                "a rate is a decimal above 0 with at most \(ExchangeRate.digitsMax) digits, in "
                    + "quotes, such as \"2.5\"", at: node.position)
            return nil
        }
        return text
    }

    /// The asset of a rate such as `USDC@near`; nil for coins and unknown assets.
    private func pricedAsset(_ rate: String) -> PolicyAsset? {
        let asset = assets[String(rate.prefix { $0 != "@" })]
        return asset.flatMap { $0.rateName.isExactly(rate) ? $0 : nil }
    }

    /// The rates of tokens, by id, whose chains' coins have a rate.
    private func tokenRates(
        _ terms: BudgetTerms, _ unit: AmountUnit, _ coins: [String: ExchangeRate]
    ) -> [ExactText: ExchangeRate] {
        let priced = terms.rates.keys.compactMap(pricedAsset).filter {
            coins[$0.protocolName] != nil
        }
        return priced.reduce(into: [:]) { rates, asset in
            let text = terms.rates[asset.rateName] ?? ""
            rates[asset.id] = ExchangeRate(text, of: asset.unit, in: unit)
        }
    }

    /// Reads the amount of a budget's limit.
    ///
    /// An amount in the common unit counts all assets with a rate; another amount counts one asset.
    mutating func readBudgetMaximum(
        _ node: TOMLNode, _ of: TOMLNode, _ terms: BudgetTerms
    ) -> ReadMaximum? {
        guard case .text(let name) = of.value else {
            report.error(.wrongValue, "of takes the name of a field", at: of.position)
            return nil
        }
        let fields = vocabulary.countable(name)
        guard !fields.isEmpty else {
            report.error(
                .unknownField, "no protocol has an amount \(quoted(name))", at: of.position,
                suggestion: Suggestion.closest(
                    to: name, among: vocabulary.candidates(in: .any)))
            return nil
        }
        if let unit = terms.unit, case .text(let text) = node.value,
            let maximum = try? unit.amount(of: text)
        {
            var rates: [String: ExchangeRate] = [:]
            for (protocolName, field) in fields {
                guard case .amount(let asset) = field.type, let text = terms.rates[asset.symbol]
                else { continue }
                rates[protocolName] = ExchangeRate(text, of: asset, in: unit)
            }
            guard !rates.isEmpty || report.hasErrors else {
                report.error(
                    .budget, "\(quoted(name)) is not an amount of an asset with a rate",
                    at: of.position)
                return nil
            }
            let field = PolicyField(name: name, type: .amount(unit), isList: false)
            let ofTokens = name == PolicyField.outflowName ? tokenRates(terms, unit, rates) : [:]
            let read = ReadMaximum(
                measure: .sum(of: field), maximum: maximum, rates: rates, tokenRates: ofTokens)
            return bounded(read, node)
        }
        let owner = fields.first { vocabulary.tokenField(of: $0.protocolName, named: name) != nil }
        if let owner, Self.isWithUnit(node.value) {
            let maximum = readAssetAmount(node, owner.field, of: owner.protocolName)
            let read = maximum.map {
                ReadMaximum(measure: .sum(of: owner.field), maximum: $0, asset: asset(of: node))
            }
            return read.flatMap { bounded($0, node) }
        }
        var problem: ValueProblem?
        for field in Set(fields.map(\.field)).sorted(by: { "\($0.type)" < "\($1.type)" }) {
            do throws(ValueProblem) {
                let value = try FactValue(node.value, as: field.type)
                guard let maximum = value.number else { continue }
                return bounded(ReadMaximum(measure: .sum(of: field), maximum: maximum), node)
            } catch {
                problem = error
            }
        }
        let symbol = terms.unit?.symbol ?? "ALGO"
        let what = fields.count == 1 ? problem?.text : nil
        let example = "takes an amount such as \"5 \(symbol)\""
        report.error(.wrongValue, "\"\(name)\" \(what ?? example)", at: node.position)
        return nil
    }

    private mutating func bounded(_ read: ReadMaximum, _ node: TOMLNode) -> ReadMaximum? {
        guard read.maximum >= 1 else {
            report.error(.limit, "the amount must be above 0", at: node.position)
            return nil
        }
        return read
    }
}
