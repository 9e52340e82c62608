// SPDX-License-Identifier: Apache-2.0

package import Nostr

/// The methods of NIP-155, section 6, by their names in `type`.
public enum NIP155Method: String, Hashable, Sendable, CaseIterable {
    case getPublicKey = "get_public_key"
    case signEvent = "sign_event"
    case nip04Encrypt = "nip04_encrypt"
    case nip04Decrypt = "nip04_decrypt"
    case nip44Encrypt = "nip44_encrypt"
    case nip44Decrypt = "nip44_decrypt"
    case decryptZapEvent = "decrypt_zap_event"
}

extension NIP155Method {
    package init(_ method: NostrMethod) {
        self =
            switch method {
            case .getPublicKey: .getPublicKey
            case .signEvent: .signEvent
            case .nip04Encrypt: .nip04Encrypt
            case .nip04Decrypt: .nip04Decrypt
            case .nip44Encrypt: .nip44Encrypt
            case .nip44Decrypt: .nip44Decrypt
            case .decryptZapEvent: .decryptZapEvent
            }
    }

    /// The use of the key, by its name in rules.
    package var task: NostrMethod {
        switch self {
        case .getPublicKey: .getPublicKey
        case .signEvent: .signEvent
        case .nip04Encrypt: .nip04Encrypt
        case .nip04Decrypt: .nip04Decrypt
        case .nip44Encrypt: .nip44Encrypt
        case .nip44Decrypt: .nip44Decrypt
        case .decryptZapEvent: .decryptZapEvent
        }
    }

    /// The allowed values of `returnType`, the default first; empty if it is ignored.
    package var returnTypes: [String] {
        switch self {
        case .getPublicKey: []
        case .signEvent: ["signature", "event"]
        case .nip04Encrypt, .nip44Encrypt: ["ciphertext"]
        case .nip04Decrypt, .nip44Decrypt: ["plaintext"]
        case .decryptZapEvent: ["event"]
        }
    }

    /// The parameter with the payload, which may be in a drop box instead.
    package var payload: RequestParameter? {
        switch self {
        case .getPublicKey: nil
        case .signEvent, .decryptZapEvent: .event
        case .nip04Encrypt, .nip44Encrypt: .plaintext
        case .nip04Decrypt, .nip44Decrypt: .encryptedText
        }
    }
}
