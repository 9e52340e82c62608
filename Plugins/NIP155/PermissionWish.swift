// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// Something a client would like to do later; shown to the person and granted by nobody.
struct PermissionWish: Hashable, Sendable {
    static let bytesMax = 8 << 10
    static let countMax = 32

    let method: String
    /// The only kind of event; nil for all.
    let kind: EventKind?

    /// Reads the `permissions` of `get_public_key`.
    ///
    /// Methods nobody knows are left out, and so is every other restriction: a wish that is
    /// not granted needs none.
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
            if let wish = try wish(entry) { wishes.append(wish) }
        }
        return wishes
    }

    private static func wish(_ entry: JSON) throws(WireFault) -> PermissionWish? {
        guard let method = entry["type"]?.text else {
            throw .invalid("every permission must be an object with a type")
        }
        // What nobody knows, or needs, is dropped with all it says.
        guard knownMethods.contains(method) else { return nil }
        var kind: EventKind?
        if let value = entry["kind"] {
            guard method == "sign_event" else {
                throw .invalid("only a permission for sign_event may have a kind")
            }
            kind = try NostrEvent.kind(value)
        }
        return PermissionWish(method: method, kind: kind)
    }

    /// All of NIP-155 but `get_public_key`, which needs no lasting permission.
    private static let knownMethods: Set = [
        "sign_event", "nip04_encrypt", "nip04_decrypt", "nip44_encrypt", "nip44_decrypt",
        "decrypt_zap_event",
    ]

    /// The wish in words.
    var text: String {
        switch method {
        case "sign_event": kind.map { "sign_event: \($0.label)" } ?? "sign_event: every kind"
        default: method
        }
    }
}
