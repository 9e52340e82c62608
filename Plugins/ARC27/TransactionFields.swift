// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The members of a transaction map, read by name and type.
///
/// A field with the value zero must be left out: every reader refuses it where it is written.
struct TransactionFields {
    private let members: [MessagePackMember]

    /// Takes one canonical map.
    init(canonical bytes: Span<UInt8>) throws(ARC27Failure) {
        let value: MessagePack
        do throws(CodecError) {
            value = try MessagePack.decodeCanonical(bytes)
        } catch {
            throw .invalid("not canonical MessagePack: \(error.text)")
        }
        guard case .map(let members) = value else { throw .invalid("not a map") }
        self.members = members
    }

    func has(_ name: String) -> Bool { self[name] != nil }

    /// Refuses names that the type does not have.
    func check(type: TransactionType) throws(ARC27Failure) {
        let own = type.fields
        for member in members
        where !TransactionType.headerFields.contains(member.name) && !own.contains(member.name) {
            let owner = TransactionType.allCases.first { $0.fields.contains(member.name) }
            guard let owner else { throw .invalid("a field is not known in a transaction") }
            throw .invalid("a field of type \(owner) stands in a transaction of type \(type)")
        }
    }

    /// An integer; absent means 0.
    func integer(_ name: String) throws(ARC27Failure) -> UInt64 {
        guard let value = self[name] else { return 0 }
        guard case .unsigned(let integer) = value else { throw .invalid("\(name) is no integer") }
        guard integer != 0 else { throw Self.zero(name) }
        return integer
    }

    /// A text; absent means nil.
    func text(_ name: String) throws(ARC27Failure) -> String? {
        guard let value = self[name] else { return nil }
        guard case .text(let text) = value else { throw .invalid("\(name) is no text") }
        guard !text.isEmpty else { throw Self.zero(name) }
        return text
    }

    /// Bytes of a fixed count, such as an address; absent means nil.
    func bytes(_ name: String, count: Int) throws(ARC27Failure) -> [UInt8]? {
        guard let bytes = try binary(name) else { return nil }
        guard bytes.count == count else {
            throw .invalid("\(name) has \(bytes.count) bytes instead of \(count)")
        }
        guard bytes.contains(where: { $0 != 0 }) else { throw Self.zero(name) }
        return bytes
    }

    /// Bytes of any count up to a limit; absent means none.
    func bytes(_ name: String, countMax: Int) throws(ARC27Failure) -> [UInt8] {
        guard let bytes = try binary(name) else { return [] }
        guard bytes.count <= countMax else {
            throw .invalid("\(name) is longer than \(countMax) bytes")
        }
        guard !bytes.isEmpty else { throw Self.zero(name) }
        return bytes
    }

    private func binary(_ name: String) throws(ARC27Failure) -> [UInt8]? {
        guard let value = self[name] else { return nil }
        guard case .binary(let bytes) = value else { throw .invalid("\(name) is no byte string") }
        return bytes
    }

    private subscript(name: String) -> MessagePack? {
        members.first { $0.name == name }?.value
    }

    private static func zero(_ name: String) -> ARC27Failure {
        .invalid("\(name) is zero and must be left out")
    }
}
