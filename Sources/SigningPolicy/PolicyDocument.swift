// SPDX-License-Identifier: Apache-2.0
import SigningCore

/// A policy file, read and checked against the adapters' vocabularies.
public struct PolicyDocument: Sendable {
    /// The only version of the format.
    static let version = 1

    /// What is said where no rule covers a request; never `allow`.
    let fallback: RuleEffect
    /// The named lists, sorted by name.
    let sets: [PolicySet]
    /// The rules, sorted by id: their order in the file never matters.
    let rules: [PolicyRule]

    /// The ids of all rules, sorted.
    public var ruleIDs: [String] { rules.map(\.id) }
}

/// What a rule says when it matches.
enum RuleEffect: String, CaseIterable, Comparable, Sendable {
    case allow, ask, deny

    /// By strength.
    static func < (left: Self, right: Self) -> Bool { left.strength < right.strength }

    private var strength: Int {
        switch self {
        case .allow: 0
        case .ask: 1
        case .deny: 2
        }
    }
}

/// A named list, as it stands in the file.
struct PolicySet: Sendable {
    let name: String
    let position: SourcePosition
    let members: [TOMLNode]
}

/// One rule.
struct PolicyRule: Sendable {
    let id: String
    let position: SourcePosition
    let effect: RuleEffect
    /// All must hold; in the order of the file.
    let conditions: [Condition]
    /// The rule does not apply where all of these hold; nil without `unless`.
    let exception: [Condition]?
    /// The dangers an allow rule covers, sorted by name.
    let acknowledged: [Danger]
    /// All apply; a counter is known by its window, so that editing a rule refills nothing.
    let limits: [CountLimit]
    /// What is said where a limit has no room.
    let onExceed: RuleEffect
    let expires: Timestamp?

    /// Whether the rule is out of force; an expired rule never matches.
    func isExpired(at time: Timestamp) -> Bool {
        expires.map { $0 <= time } ?? false
    }
}

/// At most so many operations in a sliding window.
struct CountLimit: Hashable, Sendable {
    let count: Int64
    let seconds: Int64
}

/// What one field has to be like.
final class Condition: Sendable {
    let field: PolicyField
    /// Where the field's name stands.
    let position: SourcePosition
    /// All must hold.
    let matchers: [Matcher]

    init(field: PolicyField, position: SourcePosition, matchers: [Matcher]) {
        self.field = field
        self.position = position
        self.matchers = matchers
    }
}

/// A field with the type of its values.
struct PolicyField: Hashable, Sendable {
    let name: String
    let type: FactType
    let isList: Bool

    /// Whether a single value has the type that the schema promises.
    func accepts(_ value: FactValue) -> Bool {
        switch (type, value) {
        case (.bool, .bool), (.integer, .integer), (.amount, .integer), (.duration, .integer),
            (.text, .text), (.account, .text), (.bytes, .bytes), (.time, .time):
            true
        default: false
        }
    }
}

/// One test of a field's value.
enum Matcher: Sendable {
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
    /// Some element is one of these.
    case has(ValueList)
    /// The text holds one of these; written `has` as well.
    case contains([FactValue])
    /// The field is there, or is not.
    case exists(Bool)
    /// The number of elements.
    case count(ClosedRange<Int>)
}
