// SPDX-License-Identifier: Apache-2.0
package import SigningCore

/// A policy file, read and checked against the adapters' vocabularies.
public struct PolicyDocument: Sendable {
    /// The only version of the format.
    package static let version = 1

    /// What is said where no rule covers a request; never `allow`.
    package var fallback: RuleEffect
    /// The public keys, 32 bytes each, of those that rules may ask, by name.
    package let approvers: [String: [UInt8]]
    /// What several people have to say yes to beside requests.
    package let governance: Governance
    /// The named lists, sorted by name.
    package let sets: [PolicySet]
    /// The rules, sorted by id: their order in the file never matters.
    package var rules: [PolicyRule]
    /// What the file claims about itself, in its order.
    package let tests: [PolicyTest]
    /// The keys its tests are about.
    package let testAccounts: [TestAccount]

    /// The ids of all rules, sorted.
    public var ruleIDs: [String] { rules.map(\.id) }
}

/// What a rule says when it matches.
package enum RuleEffect: String, CaseIterable, Comparable, Sendable {
    case allow, ask, deny

    /// By strength.
    package static func < (left: Self, right: Self) -> Bool { left.strength < right.strength }

    private var strength: Int {
        switch self {
        case .allow: 0
        case .ask: 1
        case .deny: 2
        }
    }
}

/// A named list, as it stands in the file.
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
    /// All must hold; in the order of the file.
    package var conditions: [Condition]
    /// The rule does not apply where all of these hold; nil without `unless`.
    package var exception: [Condition]?
    /// The dangers an allow rule covers, sorted by name.
    package var acknowledged: [Danger]
    /// All apply.
    package var limits: [PolicyLimit]
    /// What is said where a limit has no room.
    package var onExceed: RuleEffect
    package var expires: Timestamp?
    /// When it is in force; nil for always.
    package var schedule: Schedule?
    /// What several people have to meet; nil where any person may decide.
    package var demand: ApproverDemand?

    /// Whether an allow rule covers a flag: it acknowledges it, or names the client one by one,
    /// and so knows it already.
    package func covers(_ danger: Danger) -> Bool {
        acknowledged.contains(danger) || (danger == .newClient && namesClients)
    }

    /// Whether its clients are named one by one.
    var namesClients: Bool {
        conditions.contains { $0.field.name == EngineFact.client.rawValue && $0.listsValues }
    }

    /// Whether the rule is out of force; an expired rule never matches.
    package func isExpired(at time: Timestamp) -> Bool {
        expires.map { $0 <= time } ?? false
    }
}

/// A bound on what a rule allows.
package struct PolicyLimit: Hashable, Sendable {
    /// What is added up.
    package enum Measure: Hashable, Sendable {
        /// Operations.
        case operations
        /// The values of a field, in its smallest unit.
        case sum(of: PolicyField)
    }

    /// The span of time that counts.
    package enum Window: Hashable, Sendable {
        case sliding(seconds: Int64)
        case calendar(CalendarUnit, Zone)
        case ever
    }

    package let measure: Measure
    package let window: Window
    package var maximum: Int128
    /// The fields whose every value has a count of its own, sorted by name.
    package let scope: [PolicyField]
}

/// What one field has to be like.
package final class Condition: Sendable {
    package let field: PolicyField
    /// Where the field's name stands.
    package let position: SourcePosition
    /// All must hold.
    package let matchers: [Matcher]

    package init(field: PolicyField, position: SourcePosition, matchers: [Matcher]) {
        self.field = field
        self.position = position
        self.matchers = matchers
    }
}

/// A field with the type of its values.
package struct PolicyField: Hashable, Sendable {
    package let name: String
    package let type: FactType
    package let isList: Bool

    package init(name: String, type: FactType, isList: Bool) {
        self.name = name
        self.type = type
        self.isList = isList
    }

    /// Whether a single value has the type that the schema promises.
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
    /// The value, or every element, is one of these.
    case isIn(ValueList)
    /// Neither the value nor any element is one of these.
    case notIn(ValueList)
    /// At least this; times in seconds since 1970.
    case atLeast(Int128)
    /// At most this.
    case atMost(Int128)
    /// Begins with one of these.
    case hasPrefix([FactValue])
    /// Ends with one of these.
    case hasSuffix([FactValue])
    /// Matches one of these whole, written `glob`.
    case glob([TextPattern])
    /// Matches one of these whole, written `regex`.
    case regex([TextPattern])
    /// Some element is one of these.
    case has(ValueList)
    /// The text holds one of these; written `has` as well.
    case contains([FactValue])
    /// The field is there, or is not.
    case exists(Bool)
    /// The number of elements.
    case count(ClosedRange<Int>)
}

/// A claim of the file about itself: what becomes of one request.
package struct PolicyTest: Sendable {
    package let name: String
    package let position: SourcePosition
    /// The file that holds the request's frame, relative to the policy's folder.
    package let request: String
    /// Nil for the present.
    package let time: Timestamp?
    package let verdict: RuleEffect
    /// The rule that decides; nil where it does not matter.
    package let rule: String?
    /// Who asks and judges: `client`, `proof`, `profile`, `top_origin` and `hub`, as far as they
    /// are there.
    package let who: [String: String]
    package let channel: String
    /// The wire, as `--adapter` names it.
    package let adapter: String?
    /// How often it is asked; the verdict is that of the last time.
    package let count: Int
    /// Whether nothing was ever done for its client.
    package let hasNewClient: Bool
}

/// A key that the tests of a file are about, in place of those of the home.
package struct TestAccount: Sendable {
    package let name: String
    package let position: SourcePosition
    package let protocolName: String
    /// 32 bytes.
    package let publicKey: [UInt8]
    /// The account where it does not follow from the key, as a NEAR account id.
    package let address: String?
    package let tags: [String]
}
