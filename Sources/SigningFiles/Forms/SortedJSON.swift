// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs

extension JSON {
    /// Makes an object whose members are sorted by their names' bytes.
    package static func sorted(_ fields: [String: JSON]) -> JSON {
        let members = fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
        return .object(JSONObject(members.map { .init(name: $0.key, value: $0.value) }))
    }

    /// Makes a string of bytes in hexadecimal form.
    package static func hex(_ bytes: [UInt8]) -> JSON { .string(Hex.encode(bytes.span)) }
}
