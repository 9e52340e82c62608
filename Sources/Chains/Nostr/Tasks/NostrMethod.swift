// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// What a Nostr key can be asked for, by the names that rules and most wires have for it.
package enum NostrMethod: String, Hashable, Sendable, CaseIterable {
    case getPublicKey = "get_public_key"
    case signEvent = "sign_event"
    case nip04Encrypt = "nip04_encrypt"
    case nip04Decrypt = "nip04_decrypt"
    case nip44Encrypt = "nip44_encrypt"
    case nip44Decrypt = "nip44_decrypt"
    case decryptZapEvent = "decrypt_zap_event"

    /// Whether it is about a text between the account and another key.
    package var namesPeer: Bool {
        switch self {
        case .nip04Encrypt, .nip04Decrypt, .nip44Encrypt, .nip44Decrypt: true
        case .getPublicKey, .signEvent, .decryptZapEvent: false
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

/// What a client asks a signer far away for that concerns their connection alone.
package enum NostrSessionMethod: String, Hashable, Sendable, CaseIterable {
    case connect
    case ping
    case switchRelays = "switch_relays"
    case logout
}
