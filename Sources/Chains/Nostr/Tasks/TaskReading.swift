// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension NostrTask {
    /// Parses a task of a method.
    ///
    /// Wires pass its payload and the other party's key as the client wrote them, or nil. `verify`
    /// checks a signature, which private zaps need.
    package init(
        _ method: NostrMethod, payload: String, peer: String?, now: Timestamp,
        limits: NostrLimits, verify: ((SignatureClaim) -> Bool)?
    ) throws(NostrRefusal) {
        switch method {
        case .getPublicKey: self = .publicKey
        case .signEvent: self = .sign(try EventTemplate(payload, now: now, limits: limits))
        case .decryptZapEvent:
            guard let verify else { throw .unsupported }
            self = .openZap(try Zap(payload, limits: limits, verify: verify))
        case .nip04Encrypt:
            self = .encrypt(.nip04, plaintext: payload, peer: try Self.key(peer))
        case .nip44Encrypt:
            guard !payload.isEmpty else { throw .invalid("plaintext is empty") }
            self = .encrypt(.nip44, plaintext: payload, peer: try Self.key(peer))
        case .nip04Decrypt:
            let bytesMax = Self.payloadBytesMax(of: method, limits)
            guard let raw = NIP04Text.payload(of: payload, bytesMax: bytesMax) else {
                throw .undecryptable
            }
            self = .decrypt(.nip04, payload: raw, peer: try Self.key(peer))
        case .nip44Decrypt:
            let raw = try NIP44Text.payload(of: payload, plaintextBytesMax: limits.textBytesMax)
            self = .decrypt(.nip44, payload: raw, peer: try Self.key(peer))
        }
    }

    /// Returns the maximum length of the payload of a method, in bytes; 0 if it has no payload.
    package static func payloadBytesMax(of method: NostrMethod, _ limits: NostrLimits) -> Int {
        switch method {
        case .getPublicKey: 0
        case .signEvent, .decryptZapEvent: limits.eventBytesMax
        case .nip04Encrypt, .nip44Encrypt: limits.textBytesMax
        case .nip04Decrypt: NIP04Text.charactersMax(plaintextBytes: limits.textBytesMax)
        case .nip44Decrypt: NIP44Text.charactersMax(plaintextBytes: limits.textBytesMax)
        }
    }

    private static func key(_ text: String?) throws(NostrRefusal) -> [UInt8] {
        guard let text else { throw .invalid("pubkey is missing") }
        guard let key = PublicKeyText.key(text) else {
            throw .invalid("pubkey must be a public key in hex, or npub")
        }
        return key
    }
}
