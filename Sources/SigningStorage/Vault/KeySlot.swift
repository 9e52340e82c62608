// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import Synchronization

/// One unsealed key, ready for use, with the account it was opened for.
final class KeySlot: Sendable {
    let account: Account
    let key: UnsealedKey
    private let conversations = Conversations()

    init(_ account: Account, _ key: consuming UnsealedKey) {
        self.account = account
        self.key = key
    }

    /// Carries out one task; all algorithms verify their own signatures.
    func perform(_ task: KeyTask) throws(KeyStoreError) -> KeyResult {
        try key.perform(task, conversations)
    }
}

/// What was agreed with peers over NIP-44, so that a conversation agrees once.
///
/// As long as the key itself is open, nothing here tells more than it does.
final class Conversations: Sendable {
    /// How many stay; one more forgets all others.
    static let countMax = 64

    /// The key of one conversation.
    final class Key: Sendable {
        let secret: SecretBytes

        init(_ secret: consuming SecretBytes) { self.secret = secret }
    }

    private let keys = Mutex<[[UInt8]: Key]>([:])

    /// The key of a conversation, agreed on where it is not known yet.
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

/// A key of any algorithm that signs.
enum UnsealedKey: ~Copyable, Sendable {
    case ed25519(Ed25519Key)
    case bip340(Secp256k1Key)
    case p256(P256Key)

    init(_ algorithm: KeyAlgorithm, secret: borrowing SecretBytes) throws(CryptoError) {
        switch algorithm {
        case .ed25519: self = .ed25519(try Ed25519Key(secret: secret))
        case .bip340: self = .bip340(try Secp256k1Key(secret: secret))
        case .p256: self = .p256(try P256Key(secret: secret))
        case .multisig, .rekeyed: throw .invalidSecretKey
        }
    }

    var publicKey: [UInt8] {
        switch self {
        case .ed25519(let key): key.publicKey
        case .bip340(let key): key.publicKey
        case .p256(let key): key.publicKey
        }
    }

    borrowing func perform(
        _ task: KeyTask, _ conversations: Conversations
    ) throws(KeyStoreError) -> KeyResult {
        do throws(CryptoError) {
            switch task {
            case .publicKey: return .publicKey(publicKey)
            case .sign(let message):
                return .signature(try sign(message), message: message)
            case .encrypt(let scheme, let peer, let plaintext):
                return .ciphertext(try encrypt(plaintext, for: peer, by: scheme, conversations))
            case .decrypt(let scheme, let peer, let payload):
                return .plaintext(try decrypt(payload, from: peer, by: scheme, conversations))
            }
        } catch {
            // Why a payload does not decrypt is nobody's business.
            if case .decrypt = task { throw .undecryptable }
            throw .failed
        }
    }

    private borrowing func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        switch self {
        case .ed25519(let key): try key.sign(message.span)
        case .bip340(let key): try key.signBIP340(digest: message.span)
        case .p256(let key): try key.sign(digest: message.span)
        }
    }

    private borrowing func encrypt(
        _ plaintext: [UInt8], for peer: [UInt8], by scheme: CipherScheme,
        _ conversations: Conversations
    ) throws(CryptoError) -> [UInt8] {
        switch self {
        case .ed25519: throw .invalidSecretKey
        case .p256: throw .invalidSecretKey
        case .bip340(let key):
            return try key.encrypt(plaintext, for: peer, by: scheme, conversations)
        }
    }

    private borrowing func decrypt(
        _ payload: [UInt8], from peer: [UInt8], by scheme: CipherScheme,
        _ conversations: Conversations
    ) throws(CryptoError) -> [UInt8] {
        switch self {
        case .ed25519: throw .invalidSecretKey
        case .p256: throw .invalidSecretKey
        case .bip340(let key):
            return try key.decrypt(payload, from: peer, by: scheme, conversations)
        }
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
            // Another key's zap is not opened, whatever its sender claims.
            guard sender.publicKey == oneTimeKey else { throw .decryptionFailed }
            let shared = try sender.sharedX(with: peer.span)
            return try NIP04.decrypt(payload.span, sharedX: shared)
        }
    }
}
