// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// The methods of NIP-155, section 6, as they stand in `type`.
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
    /// What `returnType` may be, the default first; empty where it is passed over.
    var returnTypes: [String] {
        switch self {
        case .getPublicKey: []
        case .signEvent: ["signature", "event"]
        case .nip04Encrypt, .nip44Encrypt: ["ciphertext"]
        case .nip04Decrypt, .nip44Decrypt: ["plaintext"]
        case .decryptZapEvent: ["event"]
        }
    }

    /// The parameter that holds the payload, and may lie in a drop box instead.
    var payload: Parameters.Name? {
        switch self {
        case .getPublicKey: nil
        case .signEvent, .decryptZapEvent: .event
        case .nip04Encrypt, .nip44Encrypt: .plaintext
        case .nip04Decrypt, .nip44Decrypt: .encryptedText
        }
    }

    /// What every use of it does, where its payload adds nothing.
    var effects: [Effect] {
        switch self {
        case .getPublicKey: [.revealsKey]
        case .signEvent: [.publishes]
        case .nip04Encrypt, .nip44Encrypt: [.encrypts]
        case .nip04Decrypt, .nip44Decrypt, .decryptZapEvent: [.decrypts]
        }
    }

    /// The flags every use of it raises.
    var dangers: [Danger] {
        switch self {
        case .getPublicKey, .signEvent, .nip44Encrypt: []
        case .nip04Encrypt: [.legacyEncryption]
        case .nip04Decrypt: [.decrypt, .legacyEncryption]
        case .nip44Decrypt, .decryptZapEvent: [.decrypt]
        }
    }
}
