// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// A key that signs by one scheme; its secret half never leaves it.
public protocol SigningKey: ~Copyable, Sendable {
    /// The scheme of its signatures.
    static var scheme: SignatureScheme { get }
    /// The length of a new secret in bytes.
    static var secretCount: Int { get }
    /// The public key.
    var publicKey: [UInt8] { get }

    /// Makes the key of a secret; throws for a wrong length and for bytes that are no secret key.
    init(secret: borrowing SecretBytes) throws(CryptoError)

    /// Signs a message, which is a digest if the domain hashes.
    borrowing func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8]
}

/// A signature algorithm, with everything that a vault needs to make, check and use its keys.
public struct SigningAlgorithm: Sendable {
    /// The scheme of its signatures.
    public let scheme: SignatureScheme
    /// The length of a new secret in bytes.
    public let secretCount: Int
    private let makeKey:
        @Sendable (_ secret: borrowing SecretBytes) throws(CryptoError) -> any OpenedKey

    /// The algorithm of a type of keys; each signature is verified before it is released.
    public init<Key: SigningKey & ~Copyable>(_ key: Key.Type) {
        self.init(key, verifiesItself: false)
    }

    private init<Key: SigningKey & ~Copyable>(_: Key.Type, verifiesItself: Bool) {
        scheme = Key.scheme
        secretCount = Key.secretCount
        makeKey = { secret throws(CryptoError) in
            HeldKey(try Key(secret: secret), verifiesItself: verifiesItself)
        }
    }

    /// The name under which keys of the algorithm are stored.
    public var id: KeyAlgorithm { KeyAlgorithm(scheme.id) }

    /// The algorithms of this library, whose keys verify each signature themselves.
    public static let builtIn = [
        SigningAlgorithm(Ed25519Key.self, verifiesItself: true),
        SigningAlgorithm(Secp256k1Key.self, verifiesItself: true),
        SigningAlgorithm(P256Key.self, verifiesItself: true),
    ]

    /// Opens the key of a secret, by an algorithm of the library.
    package static func open(
        _ id: KeyAlgorithm, _ secret: borrowing SecretBytes
    ) throws(CryptoError) -> any OpenedKey {
        guard let algorithm = [].named(id) else { throw .unsupportedParameters }
        return try algorithm.open(secret)
    }

    /// Opens the key of a secret; throws if the public key does not have the scheme's length.
    package func open(_ secret: borrowing SecretBytes) throws(CryptoError) -> any OpenedKey {
        let key = try makeKey(secret)
        guard key.publicKey.count == scheme.publicKeyCount else { throw .invalidPublicKey }
        return key
    }
}

extension [SigningAlgorithm] {
    /// Returns the algorithm with this name, of the library or of this list.
    package func named(_ id: KeyAlgorithm) -> SigningAlgorithm? {
        (SigningAlgorithm.builtIn + self).first { $0.id == id }
    }
}

/// An opened key of any algorithm.
package protocol OpenedKey: Sendable {
    /// The public key.
    var publicKey: [UInt8] { get }
    /// Signs a message and verifies the signature before returning it.
    func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8]
}

/// The opened key of one algorithm.
package final class HeldKey<Key: SigningKey & ~Copyable>: OpenedKey {
    /// The key itself.
    package let key: Key
    /// The public key.
    package let publicKey: [UInt8]
    private let verifiesItself: Bool

    init(_ key: consuming Key, verifiesItself: Bool) {
        publicKey = key.publicKey
        self.key = key
        self.verifiesItself = verifiesItself
    }

    /// Signs a message and verifies the signature before returning it.
    package func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
        let signature = try key.sign(message.span)
        guard verifiesItself || Key.scheme.isValid(signature, over: message, by: publicKey) else {
            throw .signatureSelfCheckFailed
        }
        return signature
    }
}

extension Ed25519Key: SigningKey {
    /// Ed25519.
    public static var scheme: SignatureScheme { .ed25519 }
    /// The length of a seed.
    public static var secretCount: Int { seedCount }
}

extension Secp256k1Key: SigningKey {
    /// BIP-340.
    public static var scheme: SignatureScheme { .bip340 }
}

extension P256Key: SigningKey {
    /// ECDSA over P-256.
    public static var scheme: SignatureScheme { .p256 }
}
