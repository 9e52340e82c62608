// SPDX-License-Identifier: Apache-2.0

/// A secp256k1 key that signs by BIP-340 and agrees on secrets; its secret half never leaves it.
public struct Secp256k1Key: ~Copyable, Sendable {
    /// Length of a secret key.
    public static let secretCount = 32
    /// Length of an x-only public key.
    public static let publicKeyCount = 32
    /// Length of the digest a key signs.
    public static let digestCount = 32
    /// Length of a BIP-340 signature.
    public static let signatureCount = 64

    /// The x-only public key of BIP-340, 32 bytes.
    public let publicKey: [UInt8]

    /// The parsed key pair, in the form libsecp256k1 signs with.
    let keypair: SecretBytes
    /// The public key, ready to verify with.
    private let ownKey: XOnlyKey

    /// Makes the key of a secret scalar: 32 bytes, big-endian, above zero and below the order.
    public init(secret: borrowing SecretBytes) throws(CryptoError) {
        try CryptoError.check(count: secret.count, is: Self.secretCount)
        let keypair = try Self.makeKeypair(secret: secret)
        let publicKey = Self.publicKey(of: keypair)
        try self.init(keypair: keypair, publicKey: publicKey)
    }

    /// Joins the two halves of a key, which must belong together.
    init(keypair: consuming SecretBytes, publicKey: [UInt8]) throws(CryptoError) {
        guard let ownKey = XOnlyKey(publicKey.span) else { throw .invalidPublicKey }
        self.keypair = keypair
        self.ownKey = ownKey
        self.publicKey = publicKey
    }

    /// Signs a 32-byte digest by BIP-340 and verifies the signature before returning it.
    ///
    /// Fresh randomness goes into each signature, so two of the same digest differ.
    public borrowing func signBIP340(digest: Span<UInt8>) throws(CryptoError) -> [UInt8] {
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

    /// The X coordinate of the point shared with a peer (ECDH), not hashed.
    ///
    /// `peer` is an x-only public key; both parties get the same bytes.
    public borrowing func sharedX(with peer: Span<UInt8>) throws(CryptoError) -> SecretBytes {
        let secret = secretScalar()
        return try Self.sharedX(secret: secret, peer: Self.parse(compressed: peer))
    }

    /// Length of the randomness that goes into a BIP-340 signature.
    private static let auxiliaryCount = 32
}
