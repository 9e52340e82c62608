// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
import SigningCore
import SigningDigests

/// The data that this WebAuthn authenticator writes (Level 2, 6.1 and 5.8.1).
///
/// The signature counter stays 0. The approval of a person counts as user verification.
package enum PasskeyData {
    /// The ceremony that the client data name.
    package enum Ceremony: String {
        case create = "webauthn.create"
        case get = "webauthn.get"
    }

    /// The flags "user present" and "user verified".
    private static let flags: UInt8 = 0x05
    /// The flags above and "attested credential data included".
    private static let attestedFlags: UInt8 = 0x45
    private static let hashCount = 32
    private static let counter: [UInt8] = [0, 0, 0, 0]
    /// The AAGUID: all zeros, because a model number would identify one installation.
    private static let authenticator = [UInt8](repeating: 0, count: 16)
    /// The lengths of challenges that are answered, in bytes.
    package static let challengeBytes = 16...64
    private static let clientDataBytesMax = 2_048

    /// Returns the client data of a browser; `challenge` is base64url as the server wrote it.
    package static func clientData(
        _ ceremony: Ceremony, challenge: String, origin: String
    ) -> [UInt8] {
        let data: JSON = [
            "type": .string(ceremony.rawValue), "challenge": .string(challenge),
            "origin": .string(origin), "crossOrigin": false,
        ]
        return data.write()
    }

    /// Returns the authenticator data of a login with a passkey.
    package static func assertion(host: String) -> [UInt8] {
        Digest.sha256(host.utf8.span) + [flags] + counter
    }

    /// Returns the authenticator data of the creation of a passkey.
    package static func attestation(
        host: String, credential: [UInt8], publicKey: [UInt8]
    ) -> [UInt8] {
        let count = UInt16(credential.count)
        return Digest.sha256(host.utf8.span) + [attestedFlags] + counter + authenticator
            + [UInt8(count >> 8), UInt8(count & 0xFF)] + credential + coseKey(publicKey)
    }

    /// Returns the COSE key for ES256 (RFC 9053) of a public key x and y, in shortest form.
    package static func coseKey(_ publicKey: [UInt8]) -> [UInt8] {
        [0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20] + publicKey.prefix(32)
            + [0x22, 0x58, 0x20] + publicKey.dropFirst(32)
    }

    /// Returns the attestation object of the format "none" around authenticator data.
    package static func attestationObject(_ data: [UInt8]) -> [UInt8] {
        CBOR.map([
            .init(name: "fmt", value: .text("none")), .init(name: "attStmt", value: .map([])),
            .init(name: "authData", value: .bytes(data)),
        ]).encode()
    }

    /// Returns a signature r and s in DER, each as the shortest positive integer.
    package static func der(_ signature: [UInt8]) -> [UInt8] {
        let half = signature.count / 2
        let integers = [signature.prefix(half), signature.dropFirst(half)].flatMap { number in
            var bytes = Array(number.drop { $0 == 0 })
            if bytes.first.map({ $0 >= 0x80 }) ?? true { bytes.insert(0, at: 0) }
            return [0x02, UInt8(bytes.count)] + bytes
        }
        return [0x30, UInt8(integers.count)] + integers
    }

    /// True if the data have the form of a login of this authenticator for a host of the origin.
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
        return origin.host.passkeyHosts.contains { assertion(host: $0) == data }
    }
}
