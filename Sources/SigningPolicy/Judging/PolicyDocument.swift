// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// A policy file, parsed and checked against the adapters' vocabularies.
public struct PolicyDocument: Sendable {
    /// The versions of the format.
    ///
    /// In version 1, a rule with a used-up limit denies or asks, by `on_exceed`. From version 2 on,
    /// it does not apply. The owner attested the old meaning, by which a rule without `on_exceed`
    /// denies. So the version decides, and the hash covers it.
    package static let versions: ClosedRange<Int64> = 1...2

    /// The version of the format.
    package var version: Int64
    /// The verdict for an operation that no rule covers; never `allow`.
    package var fallback: RuleEffect
    /// The public keys of the approvers, 32 bytes each, by name.
    package let approvers: [String: [UInt8]]
    /// The owner's acts that need the consent of several approvers.
    package let governance: Governance
    /// The named lists, sorted by name.
    package let sets: [PolicySet]
    /// The assets of `[asset.NAME]`, sorted by name.
    package let assets: [PolicyAsset]
    /// The budgets, sorted by name.
    package var budgets: [PolicyBudget]
    /// The rules, sorted by id: their order in the file has no effect.
    package var rules: [PolicyRule]
    /// The assertions of `[[never]]`, sorted by id.
    package let assertions: [PolicyAssertion]
    /// The tests that the file contains, in its order.
    package let tests: [PolicyTest]
    /// The keys that the file's tests use.
    package let testAccounts: [TestAccount]

    /// The ids of all rules, sorted.
    public var ruleIDs: [String] { rules.map(\.id) }

    /// The rules, and the assertions as deny rules.
    package var rulesAndAssertions: [(kind: String, rule: PolicyRule)] {
        rules.map { ("rule", $0) } + assertions.map { ("assertion", $0.rule) }
    }
}

/// The verdict of a rule that matches.
package enum RuleEffect: String, CaseIterable, Comparable, Sendable {
    case allow, ask, deny

    /// Orders effects by strength.
    package static func < (left: Self, right: Self) -> Bool { left.strength < right.strength }

    private var strength: Int {
        switch self {
        case .allow: 0
        case .ask: 1
        case .deny: 2
        }
    }
}

/// A named list, as written in the file.
package struct PolicySet: Sendable {
    package let name: String
    let position: SourcePosition
    let members: [TOMLNode]
}

/// One rule.
package struct PolicyRule: Sendable {
    package let id: String
    package let position: SourcePosition
    package var effect: RuleEffect
    /// The conditions, which all must hold; in the order of the file.
    package var conditions: [Condition]
    /// The conditions on the request's operations together, which all must hold.
    package var batch: [BatchCondition]
    /// The exceptions of `unless`: the rule does not apply if one of them holds.
    package var exceptions: [PolicyException]
    /// The dangers that an allow rule acknowledges, sorted by name.
    package var acknowledged: [Danger]
    /// The rule's own limits, which all apply.
    package var ownLimits: [PolicyLimit]
    /// The budgets that the rule draws on, sorted by name.
    package var budgets: [PolicyBudget]
    /// The verdict if a limit has no room; nil if the rule does not apply then.
    package var onExceed: RuleEffect?
    package var expires: Timestamp?
    /// The seconds for which a request waits that an allow rule covers, so that a person can stop
    /// it; 0 if it is allowed at once.
    package var delay: Int64 = 0
    /// The hours and days at which the rule is in force; nil for always.
    package var schedule: Schedule?
    /// The approvers that an ask rule demands; nil if any person may decide.
    package var demand: ApproverDemand?

    /// The conditions of the rule, on one operation or several, and of its exceptions.
    package var allConditions: [Condition] {
        conditions + batch.flatMap(\.conditions) + exceptions.flatMap(\.conditions)
    }

    /// The conditions that each operation meets which the rule covers: of `any` only those on the
    /// request, which is the same for all operations.
    package var conditionsOfEach: [Condition] {
        conditions
            + batch.flatMap { condition in
                condition.quantifier == .all
                    ? condition.conditions
                    : condition.conditions.filter {
                        EngineFact(rawValue: $0.field.name)?.isOfRequest ?? false
                    }
            }
    }

    /// All limits that apply: those of the rule and those of its budgets.
    package var limits: [PolicyLimit] { ownLimits + budgets.flatMap(\.limits) }

    /// Whether an allow rule covers a danger: it acknowledges the danger, or the danger is that the
    /// client is new and the rule lists its clients.
    package func covers(_ danger: Danger) -> Bool {
        acknowledged.contains(danger) || (danger == .newClient && namesClients)
    }

    /// True if the rule lists its clients one by one.
    var namesClients: Bool {
        conditions.contains { $0.field.name == EngineFact.client.rawValue && $0.listsValues }
    }

    /// Whether the rule is in force at the time of a request, by the record and by the clock.
    package func isInForce(at time: Timestamp, clock: Timestamp) -> Bool {
        guard clock < time else {
            return !isExpired(at: time) && schedule?.isOpen(at: time) ?? true
        }
        // The time is unknown: an allow rule is closed, a deny or ask rule applies.
        return effect == .allow ? !isExpired(at: time) && schedule == nil : !isExpired(at: clock)
    }

    func isInForce(for request: JudgedRequest) -> Bool {
        isInForce(at: request.time, clock: request.clock)
    }

    /// Whether the rule has expired; an expired rule never matches.
    package func isExpired(at time: Timestamp) -> Bool { expires.map { $0 <= time } ?? false }
}

/// Conditions that all operations of a request, or at least one, must meet together.
package struct BatchCondition: Sendable {
    /// The raw value is the key in files.
    package enum Quantifier: String, CaseIterable, Sendable {
        case all, any
    }

    package let quantifier: Quantifier
    /// The conditions, which hold for one operation together.
    package var conditions: [Condition]
}

/// An exception of a rule: it holds if all conditions do, at the hours and days of the schedule.
package struct PolicyException: Sendable {
    package var conditions: [Condition]
    /// The hours and days at which the exception can hold; nil for always.
    package let schedule: Schedule?
}

/// A limit on the uses that a rule allows.
package struct PolicyLimit: Hashable, Sendable {
    /// The quantity that a limit adds up.
    package enum Measure: Hashable, Sendable {
        /// The number of operations.
        case operations
        /// The sum of a field's values, in its smallest unit.
        case sum(of: PolicyField)
    }

    /// The span of time in which a limit counts.
    package enum Window: Hashable, Sendable {
        case sliding(seconds: Int64)
        case calendar(CalendarUnit, Zone)
        case ever
    }

    package let measure: Measure
    package let window: Window
    /// The most that may be used in a window; of a table, the highest maximum.
    package var maximum: Int128
    /// The fields of `by`, sorted by name; each combination of their values has a separate count.
    package let scope: [PolicyField]
    /// The prices of assets by protocol, for a sum in the common unit of a budget; else empty.
    package var rates: [String: ExchangeRate] = [:]
    /// The prices of tokens by id, for a sum of all that leaves in a common unit; else empty.
    package var tokenRates: [ExactText: ExchangeRate] = [:]
    /// The asset whose unit the file gives the maximum in; nil for other limits.
    ///
    /// The conditions of the rules say that they are about this asset only.
    package var asset: PolicyAsset?
    /// The maxima by the values of the one field in `by`; nil for limits with one maximum.
    package var table: MaximumTable?

    /// The field whose values the limit adds up; nil for counts.
    package var summed: PolicyField? {
        if case .sum(let field) = measure { field } else { nil }
    }

    /// The field whose values the limit adds up, with the unit of the asset; nil for counts.
    package var shownField: PolicyField? { summed.map { asset.map($0.inUnits) ?? $0 } }

    /// The amount in a common unit that the limit counts, such as `outflow in USD`; nil for others.
    package var ratedField: String? {
        summed.flatMap { field in commonUnit.map { "\(field.name) in \($0.symbol)" } }
    }

    /// The common unit of the budget; nil for a limit in another unit.
    var commonUnit: AmountUnit? {
        guard !rates.isEmpty, case .amount(let unit)? = summed?.type else { return nil }
        return unit
    }
}

/// The requirements of a rule on one field.
package final class Condition: Sendable {
    package let field: PolicyField
    /// The position of the field's name.
    package let position: SourcePosition
    /// The matchers, which all must hold.
    package let matchers: [Matcher]
    /// The asset in whose unit the file gives an amount; nil for other conditions.
    package let asset: PolicyAsset?

    package init(
        field: PolicyField, position: SourcePosition, matchers: [Matcher],
        asset: PolicyAsset? = nil
    ) {
        self.field = field
        self.position = position
        self.matchers = matchers
        self.asset = asset
    }

    /// The field with the unit in which its values are shown.
    package var shownField: PolicyField { asset.map(field.inUnits) ?? field }
}

/// A field and the type of its values.
package struct PolicyField: Hashable, Sendable {
    package let name: String
    package let type: FactType
    package let isList: Bool

    package init(name: String, type: FactType, isList: Bool) {
        self.name = name
        self.type = type
        self.isList = isList
    }

    /// True if values may be negative: counts, amounts and first uses may not.
    package var isSigned: Bool {
        type == .time || (type == .duration && FirstUseField.base(of: name) == nil)
    }

    /// The field with the unit of an asset, for people.
    package func inUnits(of asset: PolicyAsset) -> PolicyField {
        PolicyField(name: name, type: .amount(asset.unit), isList: isList)
    }

    /// Whether a single value has the type that the schema declares.
    package func accepts(_ value: FactValue) -> Bool {
        switch (type, value) {
        case (.bool, .bool), (.integer, .integer), (.amount, .integer), (.duration, .integer),
            (.text, .text), (.account, .text), (.bytes, .bytes), (.time, .time):
            true
        default: false
        }
    }
}

/// One test of a field's value.
package enum Matcher: Sendable {
    /// The value, or every element, is in the list.
    case isIn(ValueList)
    /// Neither the value nor any element is in the list.
    case notIn(ValueList)
    /// The value is at least this number; times are in seconds since 1970.
    case atLeast(Int128)
    /// The value is at most this number.
    case atMost(Int128)
    /// The value begins with one of these.
    case hasPrefix([FactValue])
    /// The value ends with one of these.
    case hasSuffix([FactValue])
    /// The whole value matches one of these patterns, written `glob`.
    case glob([TextPattern])
    /// The whole value matches one of these patterns, written `regex`.
    case regex([TextPattern])
    /// At least one element is in the list.
    case has(ValueList)
    /// The text contains one of these; also written `has`.
    case contains([FactValue])
    /// The field is present, or is absent.
    case exists(Bool)
    /// The number of elements is in this range.
    case count(ClosedRange<Int>)
}

/// A test in a policy file: the expected verdict on one request.
package struct PolicyTest: Sendable {
    /// The request that is judged.
    package enum Request: Sendable {
        /// The path of the file with its frame, relative to the policy's folder.
        case file(String)
        case described(DescribedRequest)
    }

    package let name: String
    package let position: SourcePosition
    package let request: Request
    /// The time at which the request is judged; nil for the present.
    package let time: Timestamp?
    package let verdict: RuleEffect
    /// The delay of an allowed request that the test expects, in seconds; 0 for none.
    package let delay: Int64
    /// The rule that must decide; nil if any rule may.
    package let rule: String?
    /// The client and the hub of the request: `client`, `proof`, `profile`, `top_origin` and `hub`,
    /// as far as they are given.
    package let client: [String: String]
    package let channel: String
    /// The wire, named as in `--adapter`.
    package let adapter: String?
    /// The number of times that the request is judged; the test checks the last verdict.
    package let count: Int
    /// True if the client has never used an account before.
    package let hasNewClient: Bool
    /// The values that are known in every field of counterparties.
    package let known: [String]
    /// The seconds since their first use; nil for longer than any rule demands.
    package let knownSeconds: Int64?
    /// True if the client is connected to each account.
    package let isConnected: Bool
    /// True if the request was signed before, and so its nonce was used.
    package let isRepeated: Bool
}

/// A request with one operation, by its values in place of its frame.
package struct DescribedRequest: Sendable {
    package let protocolID: ProtocolID
    package let method: String
    /// The name of the key.
    package let key: String
    package let facts: [Fact]
    package let dangers: [Danger]
    /// The amount of the network's coin that leaves, in its smallest unit; nil if it is unknown.
    package let outflow: Int128?
}

/// A key that a file's tests use in place of the keys of the home.
package struct TestAccount: Sendable {
    package let name: String
    package let position: SourcePosition
    package let protocolName: String
    /// The public key, 32 bytes.
    package let publicKey: [UInt8]
    /// The account's address if it does not follow from the key, such as a NEAR account id.
    package let address: String?
    package let tags: [String]
}
