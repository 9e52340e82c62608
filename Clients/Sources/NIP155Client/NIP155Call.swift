// SPDX-License-Identifier: Apache-2.0

public import NIP155Messages

/// A request to a signer; a peer is a public key in hex, which is sent in lower case.
public enum NIP155Call: Hashable, Sendable {
    /// The form of a returned signed event (`returnType`).
    public enum Returning: String, Hashable, Sendable {
        /// A bare signature; only useful if the event has `created_at` and `tags`.
        case signature
        /// The whole signed event.
        case event
    }

    /// Asks for the account's public key; the permissions are wishes that the signer may ignore.
    case publicKey(permissions: [NIP155Permission] = [])
    /// Asks for a signature of an event, which is strict JSON with at least `kind` and `content`.
    case signEvent(json: String, returning: Returning)
    /// Asks to encrypt a text with NIP-04; it may be empty.
    case nip04Encrypt(plaintext: String, peer: String)
    /// Asks to decrypt a NIP-04 ciphertext, `<Base64>?iv=<Base64>`.
    case nip04Decrypt(ciphertext: String, peer: String)
    /// Asks to encrypt a text of 1 to 65535 bytes with NIP-44.
    case nip44Encrypt(plaintext: String, peer: String)
    /// Asks to decrypt a NIP-44 ciphertext of version 2, in Base64.
    case nip44Decrypt(ciphertext: String, peer: String)
    /// Asks for the private part of a zap request (kind 9734) or receipt (kind 9735).
    case decryptZapEvent(json: String)

    /// The method in `type` and in the URL.
    public var method: NIP155Method {
        switch self {
        case .publicKey: .getPublicKey
        case .signEvent: .signEvent
        case .nip04Encrypt: .nip04Encrypt
        case .nip04Decrypt: .nip04Decrypt
        case .nip44Encrypt: .nip44Encrypt
        case .nip44Decrypt: .nip44Decrypt
        case .decryptZapEvent: .decryptZapEvent
        }
    }
}

/// The encoding of the payload of a request, and of its result (NIP-155, section 8).
public enum NIP155Compression: Hashable, Sendable {
    /// Plain; gzip if the URL would be longer than the client's `plainURLBytesMax`.
    case automatic
    /// Plain for any length.
    case none
    /// Gzip; `get_public_key` has no payload to compress and stays plain.
    case gzip
}
