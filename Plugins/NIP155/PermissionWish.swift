// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// One entry of `permissions`: something a client would like to do later.
struct PermissionWish: Hashable, Sendable {
    static let bytesMax = 8 << 10
    static let countMax = 32

    let method: NIP155Method
    /// The only kind of event; nil for all.
    let kind: EventKind?

    /// Reads the `permissions` of `get_public_key`.
    ///
    /// Methods nobody knows are left out, `get_public_key` itself too. No other restriction is
    /// taken from the wire: a grant is bounded by what the signer knows of itself.
    static func list(_ text: String) throws(WireFault) -> [PermissionWish] {
        guard text.utf8.count <= bytesMax else {
            throw .invalid("permissions are longer than \(bytesMax) bytes")
        }
        guard let entries = (try? JSON.parse(text.utf8.span))?.list else {
            throw .invalid("permissions must be a JSON array")
        }
        guard entries.count <= countMax else {
            throw .invalid("permissions have more than \(countMax) entries")
        }
        var wishes: [PermissionWish] = []
        for entry in entries {
            if let wish = try wish(entry), !wishes.contains(wish) { wishes.append(wish) }
        }
        return wishes
    }

    private static func wish(_ entry: JSON) throws(WireFault) -> PermissionWish? {
        guard let type = entry["type"]?.text else {
            throw .invalid("every permission must be an object with a type")
        }
        // What nobody knows, or needs, is dropped with all it says.
        guard let method = NIP155Method(rawValue: type), method != .getPublicKey else { return nil }
        var kind: EventKind?
        if let value = entry["kind"] {
            guard method == .signEvent else {
                throw .invalid("only a permission for sign_event may have a kind")
            }
            kind = try NostrEvent.kind(value)
        }
        return PermissionWish(method: method, kind: kind)
    }

    /// The wish as the hub sees it; every kind of event is too wide to be granted ahead.
    var wish: Wish {
        let isEveryKind = method == .signEvent && kind == nil
        return Wish(
            method: method.rawValue,
            facts: kind.map { [Fact("kind", .integer(Int128($0.number)))] } ?? [],
            effects: kind?.effects ?? method.effects,
            dangers: kind?.dangers ?? method.dangers,
            title: isEveryKind
                ? "sign_event: every kind of event"
                : kind.map { "sign_event: \($0.label)" } ?? method.rawValue,
            isGrantable: !isEveryKind)
    }

    /// The entry as `granted_permissions` lists it.
    var json: JSON {
        var members = [JSONObject.Member(name: "type", value: .string(method.rawValue))]
        if let kind {
            members.append(JSONObject.Member(name: "kind", value: .integer(Int64(kind.number))))
        }
        return .object(JSONObject(members))
    }
}
