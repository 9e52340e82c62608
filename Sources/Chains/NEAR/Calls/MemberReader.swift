// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The error of arguments that do not have exactly the expected members and types.
struct ShapeError: Error {}

/// Reads the members of an object strictly: each of its type, and no others.
///
/// Each member is read once. A member with the value null counts as absent if it is optional.
struct MemberReader {
    private let object: JSONObject
    private var readCount = 0

    init(_ object: JSONObject) { self.object = object }

    init(_ json: JSON) throws(ShapeError) {
        guard let object = json.object else { throw ShapeError() }
        self.init(object)
    }

    /// Returns an optional member of any type.
    mutating func value(_ name: String) -> JSON? {
        guard let value = object[name] else { return nil }
        readCount += 1
        // A bare nil in an expression of both would be the JSON null.
        return value.isNull ? Optional.none : value
    }

    /// Returns a member that must be there and must not be null.
    mutating func required(_ name: String) throws(ShapeError) -> JSON {
        guard let value = value(name) else { throw ShapeError() }
        return value
    }

    mutating func textIfAny(_ name: String) throws(ShapeError) -> String? {
        guard let value = value(name) else { return nil }
        guard let text = value.text else { throw ShapeError() }
        return text
    }

    mutating func text(_ name: String) throws(ShapeError) -> String {
        guard let text = try textIfAny(name) else { throw ShapeError() }
        return text
    }

    mutating func accountIfAny(_ name: String) throws(ShapeError) -> String? {
        guard let text = try textIfAny(name) else { return nil }
        guard NEARAccountID.isValid(text) else { throw ShapeError() }
        return text
    }

    mutating func account(_ name: String) throws(ShapeError) -> String {
        guard let account = try accountIfAny(name) else { throw ShapeError() }
        return account
    }

    mutating func amountIfAny(_ name: String) throws(ShapeError) -> UInt128? {
        guard let value = value(name) else { return nil }
        return try Self.amount(value)
    }

    mutating func amount(_ name: String) throws(ShapeError) -> UInt128 {
        try Self.amount(required(name))
    }

    mutating func flagIfAny(_ name: String) throws(ShapeError) -> Bool? {
        guard let value = value(name) else { return nil }
        guard let flag = value.flag else { throw ShapeError() }
        return flag
    }

    /// Returns a whole number of 64 bits, written without quotes.
    mutating func numberIfAny(_ name: String) throws(ShapeError) -> UInt64? {
        guard let value = value(name) else { return nil }
        return try Self.number(value)
    }

    mutating func number(_ name: String) throws(ShapeError) -> UInt64 {
        try Self.number(required(name))
    }

    /// Reads an amount of gas, which moves nothing; it may have quotes.
    mutating func skipGas(_ name: String) throws(ShapeError) {
        guard let value = value(name) else { return }
        if value.text == nil { _ = try Self.number(value) } else { _ = try Self.amount(value) }
    }

    mutating func list(_ name: String) throws(ShapeError) -> [JSON] {
        guard let list = try required(name).list else { throw ShapeError() }
        return list
    }

    mutating func texts(_ name: String) throws(ShapeError) -> [String] {
        let list = try list(name)
        let texts = list.compactMap(\.text)
        guard texts.count == list.count else { throw ShapeError() }
        return texts
    }

    mutating func object(_ name: String) throws(ShapeError) -> JSONObject {
        guard let object = try required(name).object else { throw ShapeError() }
        return object
    }

    /// Throws if the object has members that were not read.
    func finish() throws(ShapeError) {
        guard readCount == object.members.count else { throw ShapeError() }
    }

    /// Returns an amount, which NEAR writes in quotes and in decimal digits.
    static func amount(_ json: JSON) throws(ShapeError) -> UInt128 {
        guard let text = json.text, let amount = UInt128(text), String(amount) == text else {
            throw ShapeError()
        }
        return amount
    }

    static func number(_ json: JSON) throws(ShapeError) -> UInt64 {
        switch json {
        case .integer(let value):
            guard let number = UInt64(exactly: value) else { throw ShapeError() }
            return number
        case .number(let text):
            guard let number = UInt64(text), String(number) == text else { throw ShapeError() }
            return number
        default: throw ShapeError()
        }
    }
}
