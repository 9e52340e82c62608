// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// A rule that may let a value leave, with the parts of its bound that hold for every period.
struct ReachingRule {
    let rule: PolicyRule
    /// The reason why no limit bounds the value; nil if there is none.
    let loss: String?
    /// The most that one operation moves; nil without a bound.
    let single: Int128?
    /// The highest values of the fields whose sum bounds the amount of one operation, each nil
    /// without a bound; nil if there are no such fields.
    let terms: [String: Int128?]?

    init(_ rule: PolicyRule, to place: ValuePlace) {
        self.rule = rule
        loss = place.loss(by: rule)
        terms = place.terms(of: rule).map { terms in
            Dictionary(
                uniqueKeysWithValues: terms.map { ($0.field, rule.highest($0, place.schemas)) })
        }
        let parts = terms.flatMap { Int128.total(Array($0.values)) }
        single = .lower(
            .lower(place.outflow.flatMap(rule.highest), place.highestTotal(of: rule)), parts)
    }
}

extension ValuePlace {
    /// The most of the asset that one request of the rule moves, and so each of its operations; nil
    /// without a bound.
    fileprivate func highestTotal(of rule: PolicyRule) -> Int128? {
        rule.conditions.compactMap { condition -> Int128? in
            guard let total = RequestTotal(condition) else { return nil }
            switch asset {
            case .coin(let unit) where total.coin == unit: return rule.highest(condition.field.name)
            case .token(let token?):
                // On other networks the total is 0.
                guard let asset = total.token, isToken(token, asset), network == asset.network
                else { return nil }
                return countsOutflow(rule) ? rule.highest(condition.field.name) : nil
            case .coin, .token, .orders, .everything: return nil
            }
        }.min()
    }

    /// Whether the outflows of operations contain all of the token that leaves by the rule.
    private func countsOutflow(_ rule: PolicyRule) -> Bool { terms(of: rule) != nil }
}

extension PolicyRule {
    /// The highest value of a field: that of the rule, or the usual one.
    fileprivate func highest(_ term: ValueModel.Term, _ schemas: [FactSchema]) -> Int128? {
        guard let usual = term.usual else { return highest(term.field) }
        let isUnusual = usual.without.contains { danger in
            acknowledges(danger)
                || !schemas.contains { $0.dangers.contains(Danger(danger)) }
        }
        return .lower(highest(term.field), isUnusual ? nil : usual.most)
    }
}
