// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// The uses of a Nostr key, by their names in rules and in most wires.
package enum NostrMethod: String, Hashable, Sendable, CaseIterable {
    case getPublicKey = "get_public_key"
    case signEvent = "sign_event"
    case nip04Encrypt = "nip04_encrypt"
    case nip04Decrypt = "nip04_decrypt"
    case nip44Encrypt = "nip44_encrypt"
    case nip44Decrypt = "nip44_decrypt"
    case decryptZapEvent = "decrypt_zap_event"

    /// True if the method processes a text between the account and another key.
    package var namesPeer: Bool {
        switch self {
        case .nip04Encrypt, .nip04Decrypt, .nip44Encrypt, .nip44Decrypt: true
        case .getPublicKey, .signEvent, .decryptZapEvent: false
        }
    }

    /// The effects of every use of the method, for any payload.
    var effects: [Effect] {
        switch self {
        case .getPublicKey: [.revealsKey]
        case .signEvent: [.publishes]
        case .nip04Encrypt, .nip44Encrypt: [.encrypts]
        case .nip04Decrypt, .nip44Decrypt, .decryptZapEvent: [.decrypts]
        }
    }

    /// The dangers of every use of the method, for any payload.
    var dangers: [Danger] {
        switch self {
        case .getPublicKey, .signEvent, .nip44Encrypt: []
        case .nip04Encrypt: [.legacyEncryption]
        case .nip04Decrypt: [.decrypt, .legacyEncryption]
        case .nip44Decrypt, .decryptZapEvent: [.decrypt]
        }
    }
}

/// The methods of a remote signer that only concern its connection with the client.
package enum NostrSessionMethod: String, Hashable, Sendable, CaseIterable {
    case connect
    case ping
    case switchRelays = "switch_relays"
    case logout
}
