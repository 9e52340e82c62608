// SPDX-License-Identifier: Apache-2.0

extension CBOR {
    /// Returns the value as JSON; undefined members are left out.
    ///
    /// Byte strings, undefined elsewhere and floats that are not finite have no JSON form.
    public func json() throws(CodecError) -> JSON {
        switch self {
        case .unsigned(let value):
            return Int64(exactly: value).map { .integer($0) } ?? .number(String(value))
        case .negative(let value): return .integer(value)
        case .text(let text): return .string(text)
        case .bool(let value): return .bool(value)
        case .null: return .null
        case .float(let value): return try Self.json(value)
        case .bytes: throw .malformed("byte string, which JSON cannot have", at: 0)
        case .undefined: throw .malformed("undefined, which JSON cannot have", at: 0)
        case .array(let elements):
            var list: [JSON] = []
            list.reserveCapacity(elements.count)
            for element in elements { list.append(try element.json()) }
            return .array(list)
        case .map(let members):
            var object = JSONObject()
            object.members.reserveCapacity(members.count)
            for member in members where member.value != .undefined {
                object.members.append(.init(name: member.name, value: try member.value.json()))
            }
            return .object(object)
        }
    }

    private static func json(_ value: Double) throws(CodecError) -> JSON {
        guard value.isFinite else { throw .malformed("float that JSON cannot have", at: 0) }
        if let integer = exactInteger(value) { return .integer(integer) }
        return .number(value.description)
    }

    /// Converts a JSON value; a number that is not a 64-bit integer becomes the nearest float.
    public init(_ json: JSON) {
        switch json {
        case .null: self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = value < 0 ? .negative(value) : .unsigned(UInt64(value))
        case .number(let text):
            // The text is a valid number, so the fallback is never taken.
            self = UInt64(text).map { .unsigned($0) } ?? .float(Double(text) ?? .nan)
        case .string(let text): self = .text(text)
        case .array(let elements): self = .array(elements.map { CBOR($0) })
        case .object(let object):
            self = .map(object.members.map { CBORMember(name: $0.name, value: CBOR($0.value)) })
        }
    }
}
