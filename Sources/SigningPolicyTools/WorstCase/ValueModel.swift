// SPDX-License-Identifier: Apache-2.0
import SigningCore
import SigningPolicy

/// The ways in which value leaves the accounts of one protocol, as its adapters report them.
///
/// A protocol that is not listed may move anything.
struct ValueModel {
    /// A field that adds to the amount that leaves.
    struct Term {
        let field: String
        /// The highest value in requests without one of these dangers.
        var usual: (most: Int128, without: [String])?
    }

    /// The fields that bound the coin together; empty if only `outflow` bounds it.
    var coinTerms: [Term] = []
    /// The only `type` of requests that have a field.
    var types: [String: String] = [:]
    /// The methods that move value only in requests with one of these dangers.
    var guarded: [String: [String]] = [:]
    /// The danger of requests that take the whole balance of the coin.
    var coinEnding: String?
    /// The field with the amount of a token; nil if the protocol has no tokens.
    var tokenAmount: Term?
    /// The field that identifies a token.
    var tokenName = ""
    /// The unit of token amounts, before their id.
    var tokenNoun = ""
    /// The danger of requests that take the whole balance of a token.
    var tokenEnding: String?
    /// The methods of calls whose token amounts are known; nil if requests make no calls.
    var tokenCalls: [String]?
    /// Dangers of requests that order payments in ways that no field bounds.
    var orders: [String] = []
    /// Dangers of requests after which another key controls the account, with the field that says
    /// which.
    var control: [String: String?] = [:]

    static let known: [String: ValueModel] = [
        "algorand": ValueModel(
            coinTerms: [
                Term(field: "amount"),
                // In a group, one transaction may pay the fees of 15 others.
                Term(field: "fee", usual: (25_000, ["high_fee", "key_registration"])),
            ],
            types: [
                "amount": "pay", "asset.amount": "axfer", "app_id": "appl", "on_complete": "appl",
                "participation": "keyreg", "vote.key": "keyreg", "vote.last": "keyreg",
                "asset.action": "acfg", "frozen": "afrz",
            ],
            coinEnding: "close_out", tokenAmount: Term(field: "asset.amount"),
            tokenName: "asset", tokenNoun: "asset", tokenEnding: "asset_close",
            control: ["rekey": "rekey_to"]),
        "near": ValueModel(
            guarded: ["sign_message": ["intents"]], tokenAmount: Term(field: "token.amount"),
            tokenName: "receiver", tokenNoun: "token of",
            tokenCalls: TokenCalls.methods["near"], orders: ["intents", "burns_tokens"],
            control: [
                "full_access_key": nil, "adds_key": nil, "changes_control": nil,
                "deploys_code": nil,
            ]),
        "nostr": ValueModel(orders: ["money"]),
    ]
}

extension PolicyRule {
    /// Whether an allow rule may cover requests of a method: they may have all fields that it
    /// demands.
    func mayCover(
        _ protocolID: ProtocolID, _ method: String, in vocabulary: PolicyVocabulary
    ) -> Bool {
        mayMatch(protocolID, method)
            && conditions.allSatisfy { condition in
                vocabulary.mayHave(condition.field.name, protocolID, method)
                    || !demands(condition.field.name)
            }
    }

    /// Whether the rule may allow a request whose field has this value.
    func admits(_ value: FactValue?, of name: String) -> Bool {
        conditions.filter { $0.field.name == name }.allSatisfy {
            $0.mayHold(withOthers: value)
        }
    }

    /// False if the rule only allows requests without the field.
    func admits(_ name: String) -> Bool {
        !conditions.contains { condition in
            condition.field.name == name
                && condition.matchers.contains {
                    if case .exists(false) = $0 { true } else { false }
                }
        }
    }

    /// True if the rule only allows requests that have the field.
    func demands(_ name: String) -> Bool {
        conditions.contains { $0.field.name == name && !$0.mayHold(for: nil, .every, own: []) }
            || limits.contains { $0.adds(name) }
    }

    /// The values that the rule lists of a field; nil if it lists none or others may match.
    func listed(_ name: String) -> [FactValue]? {
        conditions.filter { $0.field.name == name && !$0.field.isList }.lazy
            .flatMap(\.matchers).compactMap { matcher -> [FactValue]? in
                guard case .isIn(let list) = matcher, !list.includesOwn else { return nil }
                return Set(list.known.map { ExactValue(value: $0) }).map(\.value)
            }.min { $0.count < $1.count }
    }

    /// The highest value of a number that the rule allows; nil if it has no bound.
    func highest(_ name: String) -> Int128? {
        conditions.filter { $0.field.name == name && !$0.field.isList }
            .flatMap(\.matchers).compactMap { matcher -> Int128? in
                switch matcher {
                case .atMost(let number): number
                case .isIn(let list): list.known.compactMap(\.number).max()
                default: nil
                }
            }.min()
    }

    /// True if the rule allows requests with the danger.
    func acknowledges(_ danger: String) -> Bool {
        acknowledged.contains(Danger(danger))
            && conditions.filter { $0.field.name == EngineFact.danger.rawValue }.allSatisfy {
                $0.mayHold(withOthers: .list([.text(danger)]))
            }
    }

    /// True if the value of the field must be an account of the home.
    func admitsOnlyOwn(_ name: String) -> Bool {
        conditions.contains { condition in
            condition.field.name == name
                && condition.matchers.contains { matcher in
                    guard case .isIn(let list) = matcher else { return false }
                    return list.includesOwn && list.known.isEmpty
                }
        }
    }
}

extension Condition {
    /// Whether the condition may hold for a value, or for a list with these and other elements.
    fileprivate func mayHold(withOthers value: FactValue?) -> Bool {
        let tested = matchers.filter { matcher in
            switch matcher {
            // `@own` and patterns may match any value, and others change the count.
            case .isIn(let list), .has(let list): !list.includesOwn
            case .regex, .glob, .count: false
            default: true
            }
        }
        return Condition(field: field, position: position, matchers: tested)
            .mayHold(for: value, .every, own: [])
    }
}

extension PolicyLimit {
    /// True if the limit adds up the values of the field.
    func adds(_ name: String) -> Bool {
        if case .sum(let field) = measure { field.name == name } else { false }
    }
}
