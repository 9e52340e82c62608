// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto

extension ReplayToken {
    /// The recorded form of the token.
    var hash: [UInt8] { Digest.sha256(bytes.span) }
}

extension JSON {
    /// An object with members in the order of the bytes of their names.
    static func sorted(_ fields: [String: JSON]) -> JSON {
        let members = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return .object(JSONObject(members.map { .init(name: $0.key, value: $0.value) }))
    }

    static func hex(_ bytes: [UInt8]) -> JSON { .string(Hex.encode(bytes.span)) }
}
