// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

/// The members of a map in a transaction, read by name and type.
///
/// A field with the value zero must be left out: every reader throws if it is present. Elements of
/// lists may be zero.
package struct TransactionFields {
    private let members: [MessagePackMember]
    /// The prefix of a name in an error, such as `apar.`.
    private let place: String

    /// Reads one canonical map.
    package init(canonical bytes: Span<UInt8>) throws(AlgorandRefusal) {
        members = try Self.members(canonical: bytes)
        place = ""
    }

    /// Returns the members of one canonical map without checking them.
    package static func members(
        canonical bytes: Span<UInt8>
    ) throws(AlgorandRefusal) -> [MessagePackMember] {
        let value: MessagePack
        do throws(CodecError) {
            value = try MessagePack.decodeCanonical(bytes)
        } catch {
            throw .invalid("not canonical MessagePack: \(error.text)")
        }
        guard case .map(let members) = value else { throw .invalid("not a map") }
        return members
    }

    /// Takes a nested map; throws for unknown names.
    private init(
        _ value: MessagePack, at place: String, names: [String]
    ) throws(AlgorandRefusal) {
        guard case .map(let members) = value else { throw .invalid("\(place) is not a map") }
        for member in members where !names.contains(member.name) {
            throw .invalid("\(place) has an unknown field")
        }
        self.members = members
        self.place = place + "."
    }

    package var count: Int { members.count }

    package func has(_ name: String) -> Bool { self[name] != nil }

    /// Throws for names that the transaction type does not have.
    package func check(type: TransactionType) throws(AlgorandRefusal) {
        let own = type.fields
        for member in members
        where !TransactionType.headerFields.contains(member.name) && !own.contains(member.name) {
            let owner = TransactionType.allCases.first { $0.fields.contains(member.name) }
            guard let owner else { throw .invalid("a transaction has an unknown field") }
            throw .invalid("a field of type \(owner) is in a transaction of type \(type)")
        }
    }

    /// Returns the members of a map without checking them; nil if absent.
    package func map(_ name: String) throws(AlgorandRefusal) -> [MessagePackMember]? {
        guard let value = self[name] else { return nil }
        guard case .map(let members) = value else { throw .invalid("\(place)\(name) is not a map") }
        return members
    }

    /// Returns an integer; 0 if absent.
    package func integer(_ name: String, max: UInt64 = .max) throws(AlgorandRefusal) -> UInt64 {
        guard let value = self[name] else { return 0 }
        guard case .unsigned(let integer) = value else {
            throw .invalid("\(place)\(name) is not an integer")
        }
        guard integer != 0 else { throw zero(name) }
        guard integer <= max else { throw .invalid("\(place)\(name) is larger than \(max)") }
        return integer
    }

    /// Returns a flag; false if absent.
    package func flag(_ name: String) throws(AlgorandRefusal) -> Bool {
        guard let value = self[name] else { return false }
        guard case .bool(let flag) = value else {
            throw .invalid("\(place)\(name) is not true or false")
        }
        guard flag else { throw zero(name) }
        return flag
    }

    /// Returns a text; nil if absent.
    package func text(_ name: String) throws(AlgorandRefusal) -> String? {
        guard let text = try assetText(name) else { return nil }
        guard let string = text.string else {
            throw .invalid("\(place)\(name) is not UTF-8")
        }
        return string
    }

    /// Returns a text whose bytes nodes do not check; nil if absent.
    package func assetText(_ name: String) throws(AlgorandRefusal) -> AssetText? {
        switch self[name] {
        case nil: return nil
        case .text(let text)?:
            guard !text.isEmpty else { throw zero(name) }
            return .text(text)
        case .textBytes(let bytes)?: return .bytes(bytes)
        case _?: throw .invalid("\(place)\(name) is not text")
        }
    }

    /// Returns bytes of a fixed count, such as an address; nil if absent.
    package func bytes(_ name: String, count: Int) throws(AlgorandRefusal) -> [UInt8]? {
        guard let value = self[name] else { return nil }
        let bytes = try Self.bytes(value, at: place + name, count: count)
        guard bytes.contains(where: { $0 != 0 }) else { throw zero(name) }
        return bytes
    }

    /// Returns at most `countMax` bytes; an empty list if absent.
    package func bytes(_ name: String, countMax: Int) throws(AlgorandRefusal) -> [UInt8] {
        guard let value = self[name] else { return [] }
        guard case .binary(let bytes) = value else {
            throw .invalid("\(place)\(name) is not a byte string")
        }
        guard bytes.count <= countMax else {
            throw .invalid("\(place)\(name) is longer than \(countMax) bytes")
        }
        guard !bytes.isEmpty else { throw zero(name) }
        return bytes
    }

    /// Returns a map with at most these names; nil if absent.
    package func fields(_ name: String, names: [String]) throws(AlgorandRefusal)
        -> TransactionFields?
    {
        guard let value = self[name] else { return nil }
        let fields = try TransactionFields(value, at: place + name, names: names)
        guard fields.count > 0 else { throw zero(name) }
        return fields
    }

    /// Returns a list of integers; empty if absent.
    package func integers(_ name: String) throws(AlgorandRefusal) -> [UInt64] {
        var integers: [UInt64] = []
        for element in try list(name) {
            guard case .unsigned(let integer) = element else {
                throw .invalid("\(place)\(name) has an entry that is not an integer")
            }
            integers.append(integer)
        }
        return integers
    }

    /// Returns a list of byte strings, each of `count` bytes if given; empty if absent.
    package func byteStrings(_ name: String, count: Int? = nil) throws(AlgorandRefusal) -> [[UInt8]]
    {
        var strings: [[UInt8]] = []
        for (index, element) in try list(name).enumerated() {
            strings.append(try Self.bytes(element, at: "\(place)\(name)[\(index)]", count: count))
        }
        return strings
    }

    /// Returns a list of maps with at most these names; empty if absent.
    package func maps(_ name: String, names: [String]) throws(AlgorandRefusal)
        -> [TransactionFields]
    {
        var maps: [TransactionFields] = []
        for (index, element) in try list(name).enumerated() {
            maps.append(
                try TransactionFields(element, at: "\(place)\(name)[\(index)]", names: names))
        }
        return maps
    }

    private func list(_ name: String) throws(AlgorandRefusal) -> [MessagePack] {
        guard let value = self[name] else { return [] }
        guard case .array(let elements) = value else {
            throw .invalid("\(place)\(name) is not a list")
        }
        guard !elements.isEmpty else { throw zero(name) }
        return elements
    }

    private static func bytes(
        _ value: MessagePack, at place: String, count: Int?
    ) throws(AlgorandRefusal) -> [UInt8] {
        guard case .binary(let bytes) = value else {
            throw .invalid("\(place) is not a byte string")
        }
        guard count == nil || bytes.count == count else {
            throw .invalid("\(place) has \(bytes.count) bytes instead of \(count ?? 0)")
        }
        return bytes
    }

    private subscript(name: String) -> MessagePack? {
        // Comparing the lengths first is cheaper.
        let count = name.utf8.count
        return members.first { $0.name.utf8.count == count && $0.name == name }?.value
    }

    private func zero(_ name: String) -> AlgorandRefusal {
        .invalid("\(place)\(name) is zero and must be left out")
    }
}
