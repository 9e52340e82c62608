// SPDX-License-Identifier: Apache-2.0

/// An X25519 key pair for sealed boxes of libsodium.
///
/// Secrets sealed to it can pass through places that must not see them.
public struct SealedBoxKey: ~Copyable, Sendable {
    /// The length of the public half.
    public static let publicKeyCount = 32
    /// The length of a box beyond that of its secret.
    public static let overheadCount = 48

    /// The public half, which others seal to.
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

    /// Seals a secret so that only the owner of the public key can open it; names no sender.
    public static func seal(
        _ secret: borrowing SecretBytes, to publicKey: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        try CryptoError.check(count: publicKey.count, is: publicKeyCount)
        var box = [UInt8](repeating: 0, count: secret.count + overheadCount)
        guard makeBox(of: secret, to: publicKey, into: &box) else { throw .invalidPublicKey }
        return box
    }
}
