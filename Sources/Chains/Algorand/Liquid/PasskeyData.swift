// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
import SigningCore
import SigningDigests

/// What an authenticator of WebAuthn writes (Level 2, 6.1 and 5.8.1), as this one does: the counter
/// stays 0, and that a person approved stands for user verification.
package enum PasskeyData {
    /// What client data are about.
    package enum Ceremony: String {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    /// User present and verified.
    private static let flags: UInt8 = 0x05
    /// The same with attested data.
    private static let attestedFlags: UInt8 = 0x45
    private static let hashCount = 32
    private static let counter: [UInt8] = [0, 0, 0, 0]
    /// No model: it would tell one installation from others.
    private static let authenticator = [UInt8](repeating: 0, count: 16)
    /// The longest challenge that is answered, in bytes.
    package static let challengeBytes = 16...64
    private static let clientDataBytesMax = 2_048

    /// What the browser would say; `challenge` is base64url as the server wrote it.
    package static func clientData(
        _ ceremony: Ceremony, challenge: String, origin: String
    ) -> [UInt8] {
        let data: JSON = [
            "type": .string(ceremony.rawValue), "challenge": .string(challenge),
            "origin": .string(origin), "crossOrigin": false,
        ]
        return data.write()
    }

    /// What the authenticator says when a passkey logs in.
    package static func assertion(host: String) -> [UInt8] {
        Digest.sha256(host.utf8.span) + [flags] + counter
    }

    /// What it says when it has made a passkey.
    package static func attestation(
        host: String, credential: [UInt8], publicKey: [UInt8]
    ) -> [UInt8] {
        let count = UInt16(credential.count)
        return Digest.sha256(host.utf8.span) + [attestedFlags] + counter + authenticator
            + [UInt8(count >> 8), UInt8(count & 0xFF)] + credential + coseKey(publicKey)
    }

    /// A public key of x and y as COSE writes one for ES256 (RFC 9053), in shortest form.
    package static func coseKey(_ publicKey: [UInt8]) -> [UInt8] {
        [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + publicKey.prefix(32)
            + [0x22, 0x58, 0x20] + publicKey.dropFirst(32)
    }

    /// The object around it, which attests nothing.
    package static func attestationObject(_ data: [UInt8]) -> [UInt8] {
        CBOR.map([
            .init(name: "fmt", value: .text("none")), .init(name: "attStmt", value: .map([])),
            .init(name: "authData", value: .bytes(data)),
        ]).encode()
    }

    /// A signature of r and s as ASN.1 writes it (DER), each a shortest positive integer.
    package static func der(_ signature: [UInt8]) -> [UInt8] {
        let half = signature.count / 2
        let integers = [signature.prefix(half), signature.dropFirst(half)].flatMap { number in
            var bytes = Array(number.drop { $0 == 0 })
            if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
            return [0x02, UInt8(bytes.count)] + bytes
        }
        return [0x30, UInt8(integers.count)] + integers
    }

    /// Whether they are what this authenticator signs to log in, for a host of the origin.
    package static func isAssertion(_ data: [UInt8], _ clientData: [UInt8]) -> Bool {
        guard data.count == hashCount + 5, data[hashCount] == flags,
            Array(data.suffix(4)) == counter, clientData.count <= clientDataBytesMax,
            let json = try? JSON.parse(clientData.span), let challenge = json["challenge"]?.text,
            let bytes = try? Base64.decode(challenge, alphabet: .url, padding: .forbidden),
            challengeBytes.contains(bytes.count),
            let text = json["origin"]?.text, let origin = try? WebOrigin(text),
            origin.isPage, origin.text == text,
            clientData == Self.clientData(.get, challenge: challenge, origin: text)
        else { return false }
        return hosts(of: origin.host).contains { assertion(host: $0) == data }
    }

    /// The hosts that a page there may have passkeys of: its own, and those that it stands under,
    /// up to the one that somebody registered (WebAuthn, 5.1.3).
    package static func hosts(of host: HostName) -> [String] {
        var hosts = [host.text]
        let domain = host.registrableDomain
        var rest = host.text[...]
        while !host.isAddress, rest != domain[...], let dot = rest.firstIndex(of: ".") {
            rest = rest[dot...].dropFirst()
            hosts.append(String(rest))
        }
        return hosts
    }
}
