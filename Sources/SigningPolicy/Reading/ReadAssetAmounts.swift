// SPDX-License-Identifier: Apache-2.0
import SigningCore

extension PolicyReader {
    /// Whether a value is written with the unit of an asset, such as `"50 DAI"`.
    static func isWithUnit(_ value: TOMLValue) -> Bool {
        if case .text(let text) = value { text.utf8.contains(UInt8(ascii: " ")) } else { false }
    }

    /// The asset that an amount names; nil without one.
    func asset(of node: TOMLNode) -> PolicyAsset? {
        guard case .text(let text) = node.value else { return nil }
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        return parts.count == 2 ? assets[String(parts[1])] : nil
    }

    /// Reads an amount such as `"50 DAI"` of a field that holds amounts of tokens, exactly.
    mutating func readAssetAmount(
        _ node: TOMLNode, _ field: PolicyField, of protocolName: String
    ) -> Int128? {
        guard case .text(let text) = node.value else { return nil }
        let unit = String(text.split(separator: " ").last ?? "")
        usedAssets.insert(unit)
        guard let asset = asset(of: node), asset.protocolName == protocolName else {
            // An error in the asset's table is reported there.
            guard assetPositions[unit] == nil || assets[unit] != nil else { return nil }
            let known = assets.values.filter { $0.protocolName == protocolName }.map(\.name)
            report.error(
                .asset,
                "\"\(field.name)\" takes an integer, or an amount such as \"5 NAME\" with a table "
                    + "[asset.NAME] for \(protocolName)",
                at: node.position, suggestion: Suggestion.closest(to: unit, among: known.sorted()))
            return nil
        }
        do throws(ValueProblem) {
            return try asset.unit.amount(of: text)
        } catch {
            report.error(.wrongValue, "\"\(field.name)\" \(error.text)", at: node.position)
            return nil
        }
    }

    /// Adds the conditions by which conditions hold for one asset only.
    ///
    /// A condition that is there already must demand the same, so that nothing contradicts what
    /// the author wrote.
    mutating func pinned(
        _ conditions: [Condition], to asset: PolicyAsset, at position: SourcePosition
    ) -> [Condition] {
        guard let field = vocabulary.tokenField(of: asset.protocolName) else { return conditions }
        let pins = field.pins(of: asset, at: position, beside: conditions)
        let added = pins.filter { pin in !conditions.contains { $0.field == pin.field } }
        for pin in pins where !(conditions + added).contains(where: { $0.isSame(as: pin) }) {
            report.error(
                .asset,
                "\"\(pin.field.name)\" does not fit amounts in \(asset.name), for which it is "
                    + pin.wanted(.every), at: position)
        }
        let first = conditions.first?.field == EngineFact.protocolID.field ? 1 : 0
        return conditions.prefix(first) + added + conditions.dropFirst(first)
    }

    /// Adds the conditions for the assets in which an allow rule's limits and budgets count.
    ///
    /// An ask rule does not become narrower: what it no longer asks about might be allowed.
    mutating func pinned(
        _ conditions: [Condition], by parts: [String: TOMLNode], _ scope: PolicyVocabulary.Scope,
        _ effect: RuleEffect
    ) -> [Condition] {
        var named: [(asset: PolicyAsset, position: SourcePosition)] = []
        for limit in parts["limit"]?.items ?? [] {
            guard case .table(let members) = limit.value else { continue }
            for member in members where member.key == "amount" {
                for amount in member.amounts {
                    guard let asset = asset(of: amount),
                        !named.contains(where: { $0.asset == asset })
                    else { continue }
                    named.append((asset, member.position))
                }
            }
        }
        for item in parts["budget"]?.items ?? [] {
            guard case .text(let name) = item.value else { continue }
            named += (budgets[name]?.limits ?? []).compactMap(\.asset).map { ($0, item.position) }
        }
        // Other protocols are refused where the limits are read.
        guard case .protocols(let names) = scope else { return conditions }
        return named.filter { [$0.asset.protocolName] == names }.reduce(conditions) {
            let pinned = pinned($0, to: $1.asset, at: $1.position)
            guard effect != .allow, pinned.count > $0.count else { return pinned }
            let pins = pinned.filter { pin in !conditions.contains { $0 === pin } }
                .map { "\"\($0.field.name)\" to be \($0.wanted(.every))" }
            report.error(
                .mixedAssets,
                "a budget in \($1.asset.name) needs \(pins.joined(separator: " and ")) in an "
                    + "\(effect) rule", at: $1.position)
            return $0
        }
    }

    /// Refuses a limit, or a budget with this name, that adds up amounts of different tokens.
    ///
    /// A policy in force that has one keeps its meaning.
    mutating func checkAssets(
        of limit: PolicyLimit, in budget: String? = nil, at position: SourcePosition,
        _ context: LimitContext
    ) {
        guard limit.asset == nil, let summed = limit.summed,
            let field = vocabulary.tokenField(named: summed.name, in: context.scope)
        else { return }
        let only = field.onlyAsset(
            of: context.conditions,
            isCountedApart: limit.scope.contains(field.identity.field))
        if let only, only == (budget.flatMap { budgetAssets[$0] } ?? only) {
            if let budget { budgetAssets[budget] = only }
            return
        }
        let owner = budget.map { "the budget \"\($0)\"" } ?? "the limit"
        let parts = field.parts.map { " and \"\($0.name)\" = { exists = false }" } ?? ""
        let message =
            "\(owner) adds up amounts of different tokens: write it in the unit of an "
            + "[asset.NAME], or with one value of \"\(field.identity.field.name)\"\(parts)"
        if isInForce {
            report.warn(.mixedAssetsInForce, message, at: position)
        } else {
            report.error(.mixedAssets, message, at: position)
        }
    }
}

extension TOMLNode {
    /// The amounts of a table of maxima; any other value is the only amount.
    fileprivate var amounts: [TOMLNode] {
        if case .table(let members) = value { members } else { [self] }
    }
}
