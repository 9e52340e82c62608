// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

/// What a server wants for a ceremony, as far as it is understood; a server may say more, which is
/// shown and changes nothing (WebAuthn, 5.4 and 5.5).
struct ServerOptions {
    /// As the server wrote it.
    let challengeText: String
    let challenge: [UInt8]
    /// Whom the passkey is for.
    let host: String
    /// What the server calls itself; nil where it says nothing.
    let name: String?
    /// What the server calls the user; nil where it says nothing.
    let userName: String?

    private static let nameBytesMax = 256
    /// ECDSA over P-256 with SHA-256, in COSE's numbers.
    private static let algorithm: Int64 = -7

    init(_ wire: LiquidCeremonyWire) throws(LiquidRefusal) {
        guard wire.ceremony != .introduce else {
            // The server was not asked for any yet.
            (challengeText, challenge, name, userName) = ("", [], nil, nil)
            host = wire.origin.host.text
            return
        }
        let options = wire.options
        guard let text = options["challenge"]?.text,
            let challenge = try? Base64.decode(text, alphabet: .url, padding: .forbidden)
        else { throw LiquidRefusal(.options, "the challenge is no base64url") }
        challengeText = text
        self.challenge = challenge
        let isNew = wire.ceremony == .register
        let party = isNew ? options["rp"] : nil
        let id = isNew ? party?["id"] : options["rpId"]
        let own = wire.origin.host
        let host = id?.text ?? own.text
        guard id.map({ $0.text != nil }) ?? true, PasskeyData.hosts(of: own).contains(host) else {
            throw LiquidRefusal(.options, "the server asks for a passkey of another host")
        }
        self.host = host
        name = try Self.name(party?["name"], "rp.name")
        userName =
            try isNew
            ? Self.name(options["user"]?["displayName"], "user.displayName") : nil
        if isNew {
            let kinds = options["pubKeyCredParams"]?.list ?? []
            guard
                kinds.isEmpty
                    || kinds.contains(where: { $0["alg"]?.integerValue == Self.algorithm })
            else { throw LiquidRefusal(.options, "the server takes no passkey of P-256 (ES256)") }
        }
    }

    private static func name(
        _ value: JSON?, _ what: String
    ) throws(LiquidRefusal) -> String? {
        guard let value else { return nil }
        guard let text = value.text, text.utf8.count <= nameBytesMax else {
            throw LiquidRefusal(.options, "\(what) is no text of at most \(nameBytesMax) bytes")
        }
        return text
    }

    /// Whether a list of credentials names one; nil where there is no list.
    static func lists(
        _ credential: [UInt8], in list: JSON?
    ) -> Bool? {
        guard let list = list?.list, !list.isEmpty else { return nil }
        let text = Base64.encode(credential.span, alphabet: .url, padding: false)
        return list.contains { $0["id"]?.text == text }
    }
}
