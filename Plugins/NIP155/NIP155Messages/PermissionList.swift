// SPDX-License-Identifier: Apache-2.0

package import Nostr
package import SigningCodecs

/// The `permissions` of `get_public_key`, and the format of `granted_permissions`.
extension NostrPermission {
    static let bytesMax = 8 << 10
    static let countMax = 32

    /// Parses the list.
    ///
    /// Unknown methods and `get_public_key` are left out. Only the kind is accepted as a limit: the
    /// hub sets all other limits of a grant.
    package static func list(_ text: String) throws(NIP155Refusal) -> [NostrPermission] {
        guard text.utf8.count <= bytesMax else {
            throw .invalid("permissions are longer than \(bytesMax) bytes")
        }
        guard let entries = (try? JSON.parse(text.utf8.span))?.list else {
            throw .invalid("permissions must be a JSON array")
        }
        guard entries.count <= countMax else {
            throw .invalid("permissions have more than \(countMax) entries")
        }
        var wishes: [NostrPermission] = []
        for entry in entries {
            if let wish = try wish(entry), !wishes.contains(wish) { wishes.append(wish) }
        }
        return wishes
    }

    private static func wish(_ entry: JSON) throws(NIP155Refusal) -> NostrPermission? {
        guard let type = entry["type"]?.text else {
            throw .invalid("every permission must be an object with a type")
        }
        // Unknown and unneeded methods are dropped with their other members.
        guard let method = NostrMethod(rawValue: type), method != .getPublicKey else { return nil }
        var kind: EventKind?
        if let value = entry["kind"] {
            guard method == .signEvent else {
                throw .invalid("only a permission for sign_event may have a kind")
            }
            kind = try NIP155Refusal.converting(NostrEvent.kind(value))
        }
        return NostrPermission(method, kind: kind)
    }

    /// The entry in the format of `granted_permissions`.
    package var json: JSON {
        var members = [JSONObject.Member(name: "type", value: .string(method.rawValue))]
        if let kind {
            members.append(JSONObject.Member(name: "kind", value: .integer(Int64(kind.number))))
        }
        return .object(JSONObject(members))
    }
}
