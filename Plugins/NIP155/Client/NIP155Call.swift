// SPDX-License-Identifier: Apache-2.0

/// Something a signer is asked for; a peer is a public key in hex, on the wire in lower case.
public enum NIP155Call: Hashable, Sendable {
    /// The shape in which a signed event comes back (`returnType`).
    public enum Returning: String, Hashable, Sendable {
        /// A bare signature; of use only where the event has `created_at` and `tags`.
        case signature
        /// The whole signed event.
        case event
    }

    /// The account's public key; the permissions are a wish and bind nobody.
    case publicKey(permissions: [NIP155Permission] = [])
    /// A signature over an event, which is strict JSON with at least `kind` and `content`.
    case signEvent(json: String, returning: Returning)
    /// A text to encrypt by NIP-04; it may be empty.
    case nip04Encrypt(plaintext: String, peer: String)
    /// A NIP-04 ciphertext, `<Base64>?iv=<Base64>`.
    case nip04Decrypt(ciphertext: String, peer: String)
    /// A text of 1 to 65535 bytes to encrypt by NIP-44.
    case nip44Encrypt(plaintext: String, peer: String)
    /// A NIP-44 ciphertext of version 2, in Base64.
    case nip44Decrypt(ciphertext: String, peer: String)
    /// A zap request (kind 9734) or receipt (kind 9735) whose private part is to be read.
    case decryptZapEvent(json: String)

    /// What stands in `type` and in the place of the URL.
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

/// One entry of `permissions` or `granted_permissions` (NIP-155, sections 6.1 and 9).
public struct NIP155Permission: Hashable, Sendable {
    /// Any method but `get_public_key`.
    public let type: NIP155Method
    /// The only kind of event, for `sign_event` alone; nil for every kind.
    public let kind: UInt16?

    /// Makes a permission; one that cannot be is refused when the request is made.
    public init(_ type: NIP155Method, kind: UInt16? = nil) {
        self.type = type
        self.kind = kind
    }

    /// Whether this is the same permission or more than the other.
    func covers(_ other: NIP155Permission) -> Bool {
        type == other.type && (kind == nil || kind == other.kind)
    }
}

/// How the payload of a request travels, and by it the result (NIP-155, section 8).
public enum NIP155Compression: Hashable, Sendable {
    /// Plain, or gzip where the URL would be longer than the client's `plainURLBytesMax`.
    case automatic
    /// Plain, however long.
    case none
    /// Gzip; `get_public_key` has nothing to compress and stays plain.
    case gzip
}
