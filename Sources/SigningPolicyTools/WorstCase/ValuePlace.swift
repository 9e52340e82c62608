// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// A part of the value that a policy guards: one asset, on some networks, under some keys.
struct ValuePlace {
    enum Asset {
        /// The coin of the network.
        case coin(AmountUnit)
        /// A token; nil for tokens that neither rules nor remembered answers name.
        case token(Token?)
        /// Payments that nothing bounds, with their dangers.
        case orders([String])
        /// All that a protocol moves, as nothing is known about it.
        case everything
    }

    /// A token as rules name it, and the end of its asset's id.
    struct Token: Hashable {
        let value: ExactValue
        let id: String
    }

    let vocabulary: PolicyVocabulary
    let protocolID: ProtocolID
    /// The schemas of the protocol's wires.
    let schemas: [FactSchema]
    let model: ValueModel
    let asset: Asset
    /// The network that rules name; nil for all others.
    let network: String?
    /// The networks that rules name; if there are none, the place is on all networks.
    let named: [String]
    /// The key; nil for all keys together.
    var key: WorstCase.Key?

    /// Whether the rule may let this value leave.
    func isReached(by rule: PolicyRule) -> Bool {
        guard methods.contains(where: { moves(by: rule, $0) }),
            named.isEmpty
                || rule.admits(.text(network ?? FieldSpace.otherText), of: "network"),
            key?.isUsable(by: rule) ?? true
        else { return false }
        switch asset {
        case .coin, .everything: return true
        case .orders(let dangers): return dangers.contains(where: rule.acknowledges)
        case .token(let token): return reachesTokens(rule, token)
        }
    }

    /// Whether the rule may allow requests of the method that move value.
    private func moves(by rule: PolicyRule, _ method: String) -> Bool {
        guard rule.mayCover(protocolID, method, in: vocabulary) else { return false }
        return model.guarded[method].map { $0.contains(where: rule.acknowledges) } ?? true
    }

    private func reachesTokens(_ rule: PolicyRule, _ token: Token?) -> Bool {
        guard let term = model.tokenAmount, mayHave(rule, term.field) else { return false }
        guard model.tokenCalls == nil || rule.admits(.list([.text("FunctionCall")]), of: "actions")
        else { return false }
        if let token { return rule.admits(token.value.value, of: model.tokenName) }
        return rule.listed(model.tokenName) == nil
    }

    /// Whether the rule may allow requests with a field, by its conditions on their type and on
    /// fields that requests of other types lack.
    private func mayHave(_ rule: PolicyRule, _ field: String) -> Bool {
        guard let type = model.types[field] else { return true }
        return rule.admits(.text(type), of: "type")
            && !model.types.contains { $0.value != type && rule.demands($0.key) }
    }

    /// The methods of requests that may move the value.
    private var methods: [String] {
        schemas.flatMap { schema in
            switch asset {
            case .coin, .token:
                schema.field(named: PolicyField.outflowName)?.methods ?? schema.methods
            case .orders, .everything: schema.methods
            }
        }
    }

    /// The fields whose sum bounds the amount of one request of the rule; nil if there are none.
    func terms(of rule: PolicyRule) -> [ValueModel.Term]? {
        switch asset {
        case .coin:
            if let ending = model.coinEnding, rule.acknowledges(ending) { return nil }
            return model.coinTerms.isEmpty
                ? nil : model.coinTerms.filter { mayHave(rule, $0.field) }
        case .token:
            let hiding = TokenCalls.hiding(in: protocolID.name)
            guard let term = model.tokenAmount,
                !hiding.contains(where: { rule.acknowledges($0.name) })
            else { return nil }
            if let ending = model.tokenEnding, rule.acknowledges(ending) { return nil }
            if let calls = model.tokenCalls {
                let isKnown = rule.conditions.contains { condition in
                    condition.field.name == "method"
                        && condition.matchers.contains { matcher in
                            guard case .isIn(let list) = matcher else { return false }
                            return list.known.allSatisfy { value in
                                calls.contains { value == .text($0) }
                            }
                        }
                }
                guard isKnown else { return nil }
            }
            return [term]
        case .orders, .everything: return nil
        }
    }

    /// The reason why no limit bounds the value, of any kind; nil if there is none.
    func loss(by rule: PolicyRule) -> String? {
        for (danger, field) in model.control.sorted(by: { $0.key < $1.key })
        where rule.acknowledges(danger) {
            if let field, rule.admitsOnlyOwn(field) || !rule.admits(field) { continue }
            return "it acknowledges \"\(danger)\": others may then control the account"
        }
        switch asset {
        case .coin: return nil
        case .token:
            return rule.acknowledges("opaque") && model.tokenCalls != nil
                ? "it acknowledges \"opaque\": what such calls move is not known" : nil
        case .orders(let dangers):
            let names = dangers.filter(rule.acknowledges).map { "\"\($0)\"" }
            return "it acknowledges \(names.joined(separator: ", ")), and how much such requests "
                + "move is not known"
        case .everything:
            return "how much requests of \(protocolID) move is not known"
        }
    }

    /// The field of the engine that adds up everything that leaves; nil for other assets.
    var outflow: String? { if case .coin = asset { PolicyField.outflowName } else { nil } }
}
