// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension NIP155Adapter {
    /// The forms that values of rules are brought to.
    static let forms: [String: FactForm] = [
        "kind": .integer(in: 0...65_535),
        "peer": .publicKey,
        "relay": .relay,
        "scheme": .oneOf(["nip04", "nip44", "private_zap"]),
    ]
}

extension FactForm {
    /// A public key in lower-case hex; `npub1...` is read as well.
    fileprivate static let publicKey = FactForm.text("nostr key") { text throws(FactFormError) in
        if text.hasPrefix("npub1"), let (hrp, bytes) = try? Bech32.decode(text), hrp == "npub",
            bytes.count == 32
        {
            return Hex.encode(bytes.span)
        }
        guard let bytes = try? Hex.decode(text, upperCase: .allowed), bytes.count == 32 else {
            throw FactFormError("takes a public key: 64 hexadecimal digits, or npub1...")
        }
        return Hex.encode(bytes.span)
    }

    /// The host of a relay, and its port where it is not the usual one.
    fileprivate static let relay = FactForm.text("relay") { text throws(FactFormError) in
        let isURL = text.contains("://")
        guard let origin = try? WebOrigin(isURL ? text : "wss://" + text) else {
            throw FactFormError("takes a host such as relay.example or relay.example:8443")
        }
        let bare = isURL && text.hasSuffix("/") ? String(text.dropLast()) : text
        let slashes = bare.utf8.count { $0 == UInt8(ascii: "/") }
        guard slashes == (isURL ? 2 : 0), ["wss", "ws"].contains(origin.scheme) else {
            throw FactFormError("knows a relay by its host", meant: origin.place)
        }
        return origin.place
    }
}
