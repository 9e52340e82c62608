// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

/// The understood options of a server for a ceremony (WebAuthn, 5.4 and 5.5).
///
/// Unknown options are shown and change nothing.
struct ServerOptions {
    /// The challenge in the original text.
    let challengeText: String
    let challenge: [UInt8]
    /// The relying party id of the passkey.
    let host: String
    /// The name of the server; nil if it sends no name.
    let name: String?
    /// The name of the user according to the server; nil if it sends no name.
    let userName: String?

    private static let nameBytesMax = 256
    /// ECDSA over P-256 with SHA-256, as a COSE number.
    private static let algorithm: Int64 = -7

    init(_ wire: LiquidCeremonyWire) throws(LiquidRefusal) {
        guard wire.ceremony != .introduce else {
            // The server has not been asked for options yet.
            (challengeText, challenge, name, userName) = ("", [], nil, nil)
            host = wire.origin.host.text
            return
        }
        let options = wire.options
        guard let text = options["challenge"]?.text,
            let challenge = try? Base64.decode(text, alphabet: .url, padding: .forbidden)
        else { throw LiquidRefusal(.options, "the challenge is not base64url") }
        challengeText = text
        self.challenge = challenge
        let isNew = wire.ceremony == .register
        let party = isNew ? options["rp"] : nil
        let id = isNew ? party?["id"] : options["rpId"]
        let own = wire.origin.host
        let host = id?.text ?? own.text
        guard id.map({ $0.text != nil }) ?? true, own.passkeyHosts.contains(host) else {
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
            throw LiquidRefusal(
                .options, "\(what) must be a string of at most \(nameBytesMax) bytes")
        }
        return text
    }

    /// Returns true if a list contains a credential; nil if the list is missing or empty.
    static func lists(
        _ credential: [UInt8], in list: JSON?
    ) -> Bool? {
        guard let list = list?.list, !list.isEmpty else { return nil }
        let text = Base64.encode(credential.span, alphabet: .url, padding: false)
        return list.contains { $0["id"]?.text == text }
    }
}
