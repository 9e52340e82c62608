// SPDX-License-Identifier: Apache-2.0

/// An Ed25519 key for signing; its secret half never leaves it.
public struct Ed25519Key: ~Copyable, Sendable {
    /// The length of the seed that a key is made from.
    public static let seedCount = 32
    /// The length of a public key.
    public static let publicKeyCount = 32

    /// The public key, 32 bytes.
    public let publicKey: [UInt8]

    /// The form for signing: seed and public key, 64 bytes, as in libsodium; or an extended secret.
    let secretKey: SecretBytes
    /// True if `secretKey` is an extended secret, with which libsodium cannot sign directly.
    let isExtended: Bool

    /// Makes the key of a 32-byte seed (RFC 8032).
    public init(seed: borrowing SecretBytes) throws(CryptoError) {
        try CryptoError.check(count: seed.count, is: Self.seedCount)
        var publicKey = [UInt8](repeating: 0, count: Self.publicKeyCount)
        let secretKey = Self.expand(seed: seed, publicKey: &publicKey)
        self.init(secretKey: secretKey, publicKey: publicKey)
    }

    /// Joins the two halves of a key; the caller ensures that they match.
    init(secretKey: consuming SecretBytes, publicKey: [UInt8], isExtended: Bool = false) {
        self.secretKey = secretKey
        self.publicKey = publicKey
        self.isExtended = isExtended
    }

    /// Signs a message and verifies the signature before returning it.
    ///
    /// A fault in the computation could otherwise publish the secret key with the signature.
    public borrowing func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        let signature =
            isExtended ? makeExtendedSignature(of: message) : makeSignature(of: message)
        guard
            Signatures.isValidEd25519(
                signature: signature.span, message: message, publicKey: publicKey.span)
        else { throw .signatureSelfCheckFailed }
        return signature
    }
}
