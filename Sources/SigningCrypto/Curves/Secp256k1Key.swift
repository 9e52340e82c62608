// SPDX-License-Identifier: Apache-2.0

internal import CSecp256k1

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
    /// The parsed public key, ready to verify with.
    let point: secp256k1_xonly_pubkey

    /// Makes the key of a secret scalar: 32 bytes, big-endian, above zero and below the order.
    public init(secret: borrowing SecretBytes) throws(CryptoError) {
        try CryptoError.check(count: secret.count, is: Self.secretCount)
        let keypair = try Self.makeKeypair(secret: secret)
        let point = Self.point(of: keypair)
        self.init(keypair: keypair, point: point)
    }

    /// Joins the two halves of a key, which must belong together.
    init(keypair: consuming SecretBytes, point: secp256k1_xonly_pubkey) {
        self.keypair = keypair
        self.point = point
        publicKey = Self.bytes(of: point)
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
            Self.isValid(signature: signature.span, message: digest, point: point)
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

    /// Whether 32 bytes are the X coordinate of a point of the curve.
    public static func isValidPublicKey(xOnly: Span<UInt8>) -> Bool {
        parse(xOnly: xOnly) != nil
    }

    /// Whether a BIP-340 signature over a message of any length is the work of the key's owner.
    public static func isValidBIP340(
        signature: Span<UInt8>, message: Span<UInt8>, publicKey: Span<UInt8>
    ) -> Bool {
        guard let point = parse(xOnly: publicKey) else { return false }
        return isValid(signature: signature, message: message, point: point)
    }

    /// Length of the randomness that goes into a BIP-340 signature.
    private static let auxiliaryCount = 32
}
