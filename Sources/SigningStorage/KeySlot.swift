// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto

/// One unsealed key, ready for use, with the account it was opened for.
final class KeySlot: Sendable {
    let account: Account
    let key: UnsealedKey

    init(_ account: Account, _ key: consuming UnsealedKey) {
        self.account = account
        self.key = key
    }
}

/// A key of either algorithm.
enum UnsealedKey: ~Copyable, Sendable {
    case ed25519(Ed25519Key)
    case bip340(Secp256k1Key)

    init(_ algorithm: KeyAlgorithm, secret: borrowing SecretBytes) throws(CryptoError) {
        switch algorithm {
        case .ed25519: self = .ed25519(try Ed25519Key(seed: secret))
        case .bip340: self = .bip340(try Secp256k1Key(secret: secret))
        }
    }

    var publicKey: [UInt8] {
        switch self {
        case .ed25519(let key): key.publicKey
        case .bip340(let key): key.publicKey
        }
    }

    /// Carries out one task; both algorithms verify their own signatures.
    borrowing func perform(_ task: KeyTask) throws(KeyStoreError) -> KeyResult {
        do throws(CryptoError) {
            switch task {
            case .publicKey: return .publicKey(publicKey)
            case .sign(let message):
                return .signature(try sign(message), message: message)
            case .encrypt(let scheme, let peer, let plaintext):
                return .ciphertext(try encrypt(plaintext, for: peer, by: scheme))
            case .decrypt(let scheme, let peer, let payload):
                return .plaintext(try decrypt(payload, from: peer, by: scheme))
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
        }
    }

    private borrowing func encrypt(
        _ plaintext: [UInt8], for peer: [UInt8], by scheme: CipherScheme
    ) throws(CryptoError) -> [UInt8] {
        switch self {
        case .ed25519: throw .invalidSecretKey
        case .bip340(let key): return try key.encrypt(plaintext, for: peer, by: scheme)
        }
    }

    private borrowing func decrypt(
        _ payload: [UInt8], from peer: [UInt8], by scheme: CipherScheme
    ) throws(CryptoError) -> [UInt8] {
        switch self {
        case .ed25519: throw .invalidSecretKey
        case .bip340(let key): return try key.decrypt(payload, from: peer, by: scheme)
        }
    }
}

extension Secp256k1Key {
    fileprivate borrowing func encrypt(
        _ plaintext: [UInt8], for peer: [UInt8], by scheme: CipherScheme
    ) throws(CryptoError) -> [UInt8] {
        switch scheme {
        case .nip04:
            let shared = try sharedX(with: peer.span)
            return try NIP04.encrypt(plaintext.span, sharedX: shared)
        case .nip44:
            let shared = try NIP44.conversationKey(own: self, peer: peer.span)
            return try NIP44.encrypt(plaintext.span, conversationKey: shared)
        case .privateZap, .sentPrivateZap: throw .unsupportedParameters
        }
    }

    fileprivate borrowing func decrypt(
        _ payload: [UInt8], from peer: [UInt8], by scheme: CipherScheme
    ) throws(CryptoError) -> [UInt8] {
        switch scheme {
        case .nip44:
            let shared = try NIP44.conversationKey(own: self, peer: peer.span)
            return try NIP44.decrypt(payload.span, conversationKey: shared)
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
