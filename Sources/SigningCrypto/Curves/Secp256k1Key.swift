// SPDX-License-Identifier: Apache-2.0

/// A secp256k1 key for BIP-340 signatures and shared secrets; its secret half never leaves it.
public struct Secp256k1Key: ~Copyable, Sendable {
    /// The length of a secret key.
    public static let secretCount = 32
    /// The length of an x-only public key.
    public static let publicKeyCount = 32
    /// The length of the digest that a key signs.
    public static let digestCount = 32

    /// The x-only public key of BIP-340, 32 bytes.
    public let publicKey: [UInt8]

    /// The parsed key pair in libsecp256k1's form for signing.
    let keypair: SecretBytes
    /// The public key, parsed for verification.
    private let ownKey: XOnlyKey

    /// Makes the key of a secret scalar: 32 bytes, big-endian, above zero and below the order.
    public init(secret: borrowing SecretBytes) throws(CryptoError) {
        try CryptoError.check(count: secret.count, is: Self.secretCount)
        let keypair = try Self.makeKeypair(secret: secret)
        let publicKey = Self.publicKey(of: keypair)
        try self.init(keypair: keypair, publicKey: publicKey)
    }

    /// Joins the two halves of a key; the caller ensures that they match.
    init(keypair: consuming SecretBytes, publicKey: [UInt8]) throws(CryptoError) {
        guard let ownKey = XOnlyKey(publicKey.span) else { throw .invalidPublicKey }
        self.keypair = keypair
        self.ownKey = ownKey
        self.publicKey = publicKey
    }

    /// Signs a 32-byte digest by BIP-340 and verifies the signature before returning it.
    ///
    /// Each signature uses fresh randomness, so two signatures of one digest differ.
    public borrowing func sign(_ digest: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        try signBIP340(digest: digest, auxiliary: Randomness.bytes(Self.auxiliaryCount))
    }

    /// Signs with given auxiliary randomness, as the vectors of BIP-340 do.
    borrowing func signBIP340(
        digest: Span<UInt8>, auxiliary: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try CryptoError.check(count: digest.count, is: Self.digestCount)
        try CryptoError.check(count: auxiliary.count, is: Self.auxiliaryCount)
        // A fault in the computation could publish the secret key with the signature.
        guard let signature = makeSignature(of: digest, auxiliary: auxiliary),
            ownKey.isValid(signature: signature.span, message: digest)
        else { throw .signatureSelfCheckFailed }
        return signature
    }

    /// Returns the X coordinate of the point shared with a peer (ECDH), not hashed.
    ///
    /// `peer` is an x-only public key; both parties obtain the same bytes.
    public borrowing func sharedX(with peer: Span<UInt8>) throws(CryptoError) -> SecretBytes {
        let secret = secretScalar()
        return try Self.sharedX(secret: secret, peer: Self.parse(compressed: peer))
    }

    /// The length of the randomness in a BIP-340 signature.
    private static let auxiliaryCount = 32
}
