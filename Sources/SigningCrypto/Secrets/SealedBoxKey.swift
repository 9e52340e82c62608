// SPDX-License-Identifier: Apache-2.0

/// An X25519 key pair that secrets are sealed to, so that they can be handed over through places
/// where they must not lie open (libsodium's sealed boxes).
public struct SealedBoxKey: ~Copyable, Sendable {
    /// Length of the public half.
    public static let publicKeyCount = 32
    /// What a box is longer than the secret in it.
    public static let overheadCount = 48

    /// What others seal to.
    public let publicKey: [UInt8]
    let secretKey: SecretBytes

    /// Makes a fresh pair.
    public init() {
        var publicKey = [UInt8](repeating: 0, count: Self.publicKeyCount)
        secretKey = Self.makePair(&publicKey)
        self.publicKey = publicKey
    }

    /// Opens a box of a secret that has at most `countMax` bytes.
    public borrowing func open(
        _ box: Span<UInt8>, countMax: Int
    ) throws(CryptoError) -> SecretBytes {
        let count = box.count - Self.overheadCount
        guard count >= 0 else {
            throw .wrongLength(expected: Self.overheadCount, actual: box.count)
        }
        guard count <= countMax else { throw .lengthOutOfRange(actual: count, max: countMax) }
        return try SecretBytes(countMax: count) { output throws(CryptoError) in
            guard openBox(box, into: &output) else { throw .authenticationFailed }
            return count
        }
    }

    /// Seals a secret to a public key; only its owner opens it, and nobody learns who sealed it.
    public static func seal(
        _ secret: borrowing SecretBytes, to publicKey: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        try CryptoError.check(count: publicKey.count, is: publicKeyCount)
        var box = [UInt8](repeating: 0, count: secret.count + overheadCount)
        guard makeBox(of: secret, to: publicKey, into: &box) else { throw .invalidPublicKey }
        return box
    }
}
