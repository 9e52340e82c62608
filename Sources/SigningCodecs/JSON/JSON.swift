// SPDX-License-Identifier: Apache-2.0

/// A JSON value that keeps the order of members and never rounds a number.
public enum JSON: Hashable, Sendable {
    /// The literal `null`.
    case null
    /// The literals `true` and `false`.
    case bool(Bool)
    /// A number written as an integer that fits 64 bits.
    case integer(Int64)
    /// Any other number (fraction, exponent, too large, `-0`) in its original text.
    ///
    /// The text must be a valid JSON number.
    case number(String)
    /// A string after unescaping.
    case string(String)
    /// A list of values.
    case array([JSON])
    /// Names and values in source order.
    case object(JSONObject)
}

extension JSON {
    /// The string, if this is one.
    public var text: String? { if case .string(let text) = self { text } else { nil } }

    /// The integer, if this is one.
    public var integerValue: Int64? { if case .integer(let value) = self { value } else { nil } }

    /// The truth value, if this is one.
    public var flag: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The elements, if this is an array.
    public var list: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members, if this is an object.
    public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

    /// True if this is `null`.
    public var isNull: Bool { if case .null = self { true } else { false } }

    /// The value of a member, if this is an object that has it.
    public subscript(name: String) -> JSON? { object?[name] }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByNilLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// Makes a truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Makes `null`.
    public init(nilLiteral: ()) { self = .null }

    /// Makes an array.
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }

    /// Makes an object with the members in the order they are written.
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(JSONObject(elements.map { JSONObject.Member(name: $0.0, value: $0.1) }))
    }
}
