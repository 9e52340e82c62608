// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// A token that a policy file names, so that amounts can be written as decimals.
package struct PolicyAsset: Hashable, Sendable {
    package let name: String
    package let protocolName: String
    package let network: String
    /// The value of the field that identifies the asset: its id, or its contract.
    package let identity: FactValue
    package let decimals: Int
    /// The id of the asset in the outflows of operations.
    package let id: ExactText

    /// The name in the rates of budgets, such as `USDC@near`.
    var rateName: String { "\(name)@\(protocolName)" }

    /// The unit of its amounts.
    package var unit: AmountUnit {
        AmountUnit(symbol: name, decimals: decimals, smallest: "smallest unit of \(name)")
    }
}

/// The fields of one protocol that say of which token an amount is.
struct TokenField {
    let fields: AssetFields
    let protocolName: String
    let network: PolicyVocabulary.Declaration
    let identity: PolicyVocabulary.Declaration
    /// The field with the ids of tokens that one contract keeps apart; nil if there is none.
    let parts: PolicyField?

    /// The conditions that a rule with these conditions needs to be about one asset only.
    func pins(
        of asset: PolicyAsset, at position: SourcePosition, beside conditions: [Condition]
    ) -> [Condition] {
        var pins: [(PolicyField, Matcher)] = [
            (network.field, .isIn(ValueList([.text(asset.network)]))),
            (identity.field, .isIn(ValueList([asset.identity]))),
        ]
        if let parts, !demandsFungible(conditions) { pins.append((parts, .exists(false))) }
        return pins.map { Condition(field: $0, position: position, matchers: [$1]) }
    }

    /// The only asset that the conditions leave: its identity, and the id of a part if there is
    /// one; nil if there may be several assets.
    ///
    /// `isCountedApart` is true if a limit has a counter for each identity.
    func onlyAsset(of conditions: [Condition], isCountedApart: Bool) -> [ExactValue]? {
        let identity = conditions.first { $0.field == self.identity.field }?.onlyValue
        guard identity != nil || isCountedApart else { return nil }
        let known = isCountedApart ? [] : [identity].compactMap(\.self)
        guard let parts, !demandsFungible(conditions) else { return known }
        guard let condition = conditions.first(where: { $0.field == parts }) else { return nil }
        return condition.demandsAbsence ? known : condition.onlyValue.map { known + [$0] }
    }

    /// True if the conditions list only calls that move the one fungible token of a contract.
    private func demandsFungible(_ conditions: [Condition]) -> Bool {
        conditions.contains { condition in
            let calls = (fields.fungible[condition.field.name] ?? []).map { FactValue.text($0) }
            return condition.lists.contains { $0.allSatisfy { calls.contains($0.value) } }
        }
    }
}

extension Condition {
    /// The values of each list, without lists of this home's accounts.
    fileprivate var lists: [Set<ExactValue>] {
        matchers.compactMap { matcher in
            guard case .isIn(let list) = matcher, !list.includesOwn else { return nil }
            return Set(list.known.map(ExactValue.init))
        }
    }

    /// The only value that the condition lists; nil if it does not list exactly one.
    fileprivate var onlyValue: ExactValue? { lists.first { $0.count == 1 }?.first }

    /// True if the condition holds only for requests without the field.
    fileprivate var demandsAbsence: Bool {
        matchers.contains { if case .exists(false) = $0 { true } else { false } }
    }

    /// Whether the condition demands the same as the other, and no more.
    func isSame(as pin: Condition) -> Bool {
        field == pin.field && matchers.count == 1 && onlyValue == pin.onlyValue
            && demandsAbsence == pin.demandsAbsence
    }
}

extension PolicyVocabulary {
    /// The fields of a protocol that say of which token an amount is; nil if it has no tokens.
    ///
    /// With a name, nil also if the field of this name does not hold amounts of tokens.
    func tokenField(of protocolName: String, named name: String? = nil) -> TokenField? {
        let scope = Scope.protocols([protocolName])
        // Looked up for each condition, so fields are found by name.
        let known = schemas(in: scope).lazy.compactMap { schema in
            name.map { schema.field(named: $0)?.asset }
                ?? schema.fields.lazy.compactMap(\.asset).first
        }.first
        guard let fields = known,
            case .declared(let network) = lookUp(AssetFields.network, in: scope),
            case .declared(let identity) = lookUp(fields.identity, in: scope)
        else { return nil }
        return TokenField(
            fields: fields, protocolName: protocolName, network: network, identity: identity,
            parts: fields.parts.flatMap { field(named: $0, of: protocolName) })
    }

    /// The fields of a scope's one protocol, if the field of this name holds amounts of tokens.
    func tokenField(named name: String, in scope: Scope) -> TokenField? {
        guard case .protocols(let names) = scope, names.count == 1 else { return nil }
        return tokenField(of: names[0], named: name)
    }

    /// The units of the chains' own amounts, such as ALGO and microAlgo.
    var unitNames: [String] {
        schemas.flatMap(\.fields).flatMap { field -> [String] in
            guard case .amount(let unit) = field.type else { return [] }
            return [unit.symbol, unit.smallest]
        }
    }
}
