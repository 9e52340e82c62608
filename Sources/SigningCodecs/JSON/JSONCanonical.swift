// SPDX-License-Identifier: Apache-2.0

extension JSON {
    /// The largest integer that every reader of JSON numbers keeps exactly.
    private static let exactIntegerMax: Int64 = 1 << 53 - 1

    /// Writes the canonical form (RFC 8785): members sorted by the UTF-16 units of their names.
    ///
    /// Nil if a number is not an integer of at most 53 bits, because other numbers need
    /// floating-point rules.
    public func canonical() -> [UInt8]? { sorted()?.write() }

    private func sorted() -> JSON? {
        switch self {
        case .null, .bool, .string: return self
        case .integer(let value): return value.magnitude <= Self.exactIntegerMax ? self : nil
        case .number: return nil
        case .array(let elements):
            let sorted = elements.compactMap { $0.sorted() }
            return sorted.count == elements.count ? .array(sorted) : nil
        case .object(let object):
            var members: [JSONObject.Member] = []
            for member in object.members {
                guard let value = member.value.sorted() else { return nil }
                members.append(.init(name: member.name, value: value))
            }
            members.sort { $0.name.utf16.lexicographicallyPrecedes($1.name.utf16) }
            return .object(JSONObject(members))
        }
    }
}
