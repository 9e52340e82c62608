// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import Synchronization

/// The opened secret key of an account, ready for use.
final class KeySlot: Sendable {
    let account: Account
    private let key: any OpenedKey
    private let conversations = Conversations()

    init(_ account: Account, _ key: any OpenedKey) {
        self.account = account
        self.key = key
    }

    /// Performs one task; every signature is verified.
    func perform(_ task: KeyTask) throws(KeyStoreError) -> KeyResult {
        do throws(CryptoError) {
            switch task {
            case .publicKey: return .publicKey(key.publicKey)
            case .sign(let message):
                return .signature(try key.sign(message), message: message)
            case .encrypt(let scheme, let peer, let plaintext):
                return .ciphertext(
                    try encrypting.key.encrypt(plaintext, for: peer, by: scheme, conversations))
            case .decrypt(let scheme, let peer, let payload):
                return .plaintext(
                    try encrypting.key.decrypt(payload, from: peer, by: scheme, conversations))
            }
        } catch {
            // A client must not learn the reason that a payload cannot be decrypted.
            if case .decrypt = task { throw .undecryptable }
            throw .failed
        }
    }

    /// The key, if its algorithm also encrypts.
    private var encrypting: HeldKey<Secp256k1Key> {
        get throws(CryptoError) {
            guard let key = key as? HeldKey<Secp256k1Key> else { throw .invalidSecretKey }
            return key
        }
    }
}

/// A cache of the NIP-44 conversation keys of a secret key, so that each is computed once.
///
/// The cache reveals nothing that the secret key, which is in memory too, would not reveal.
final class Conversations: Sendable {
    /// The maximum number of cached keys; a further one first clears the cache.
    static let countMax = 64

    /// The key of one conversation.
    final class Key: Sendable {
        let secret: SecretBytes

        init(_ secret: consuming SecretBytes) { self.secret = secret }
    }

    private let keys = Mutex<[[UInt8]: Key]>([:])

    /// Returns the key of a conversation; computes it if it is not cached.
    func key(
        of own: borrowing Secp256k1Key, with peer: [UInt8]
    ) throws(CryptoError) -> Key {
        if let known = keys.withLock({ $0[peer] }) { return known }
        let made = Key(try NIP44.conversationKey(own: own, peer: peer.span))
        keys.withLock { keys in
            if keys.count >= Self.countMax { keys = [:] }
            keys[peer] = made
        }
        return made
    }
}

extension Secp256k1Key {
    fileprivate borrowing func encrypt(
        _ plaintext: [UInt8], for peer: [UInt8], by scheme: CipherScheme,
        _ conversations: Conversations
    ) throws(CryptoError) -> [UInt8] {
        switch scheme {
        case .nip04:
            let shared = try sharedX(with: peer.span)
            return try NIP04.encrypt(plaintext.span, sharedX: shared)
        case .nip44:
            let shared = try conversations.key(of: self, with: peer)
            return try NIP44.encrypt(plaintext.span, conversationKey: shared.secret)
        case .privateZap, .sentPrivateZap: throw .unsupportedParameters
        }
    }

    fileprivate borrowing func decrypt(
        _ payload: [UInt8], from peer: [UInt8], by scheme: CipherScheme,
        _ conversations: Conversations
    ) throws(CryptoError) -> [UInt8] {
        switch scheme {
        case .nip44:
            let shared = try conversations.key(of: self, with: peer)
            return try NIP44.decrypt(payload.span, conversationKey: shared.secret)
        case .nip04, .privateZap:
            let shared = try sharedX(with: peer.span)
            return try NIP04.decrypt(payload.span, sharedX: shared)
        case .sentPrivateZap(let oneTimeKey, let context):
            let sender = try PrivateZap.oneTimeKey(of: self, context: context.span)
            // The derived one-time key must be the one that the zap names.
            guard sender.publicKey == oneTimeKey else { throw .decryptionFailed }
            let shared = try sender.sharedX(with: peer.span)
            return try NIP04.decrypt(payload.span, sharedX: shared)
        }
    }
}
