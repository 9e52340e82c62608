// SPDX-License-Identifier: Apache-2.0

/// A P-256 key for signing by ECDSA; its secret half never leaves it.
public struct P256Key: ~Copyable, Sendable {
    /// The length of a secret key.
    public static let secretCount = 32
    /// The length of the digest that a key signs.
    public static let digestCount = 32

    /// The x and y of the public point, 32 bytes big-endian each.
    public let publicKey: [UInt8]

    let secret: SecretBytes

    /// Makes the key of a secret scalar: 32 bytes, big-endian, above zero and below the order.
    public init(secret: borrowing SecretBytes) throws(CryptoError) {
        try CryptoError.check(count: secret.count, is: Self.secretCount)
        guard let publicKey = Self.makePublicKey(of: secret) else { throw .invalidSecretKey }
        self.publicKey = publicKey
        self.secret = secret.withSpan { SecretBytes(copying: $0) }
    }

    /// Signs a 32-byte digest and verifies the signature before returning it.
    ///
    /// Each signature uses fresh randomness, so two signatures of one digest differ.
    public borrowing func sign(_ digest: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        try CryptoError.check(count: digest.count, is: Self.digestCount)
        // A fault in the computation could publish the secret key with the signature.
        guard let signature = makeSignature(of: digest),
            Signatures.isValidP256(
                signature: signature.span, digest: digest, publicKey: publicKey.span)
        else { throw .signatureSelfCheckFailed }
        return signature
    }
}
