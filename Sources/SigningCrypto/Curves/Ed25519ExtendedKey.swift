// SPDX-License-Identifier: Apache-2.0

extension Ed25519Key {
    /// The length of an extended secret: the scalar of the key, then the prefix for nonces.
    public static let extendedSecretCount = 64

    /// Makes the key of an extended secret, which has no seed (BIP32-Ed25519).
    public init(extended secret: borrowing SecretBytes) throws(CryptoError) {
        try CryptoError.check(count: secret.count, is: Self.extendedSecretCount)
        // Every derived scalar is a multiple of 8 between 2^254 and 2^255.
        let isInRange = secret.withSpan { $0[0] & 7 == 0 && $0[31] & 0xC0 == 0x40 }
        guard isInRange, let publicKey = Ed25519Scalar.point(secret) else {
            throw .invalidSecretKey
        }
        let copy = secret.withSpan { SecretBytes(copying: $0) }
        self.init(secretKey: copy, publicKey: publicKey, isExtended: true)
    }

    /// Makes the key of a seed or of an extended secret, distinguished by their lengths.
    public init(secret: borrowing SecretBytes) throws(CryptoError) {
        if secret.count == Self.extendedSecretCount {
            try self.init(extended: secret)
        } else {
            try self.init(seed: secret)
        }
    }

    /// Signs with an extended secret as in RFC 8032, without verifying.
    borrowing func makeExtendedSignature(of message: Span<UInt8>) -> [UInt8] {
        let nonce = secretKey.withSpan { secret in
            let prefix = secret.extracting(Ed25519Scalar.count..<Self.extendedSecretCount)
            return Ed25519Scalar.reduced(SHA512.digest(prefix, message))
        }
        // The nonce is 0 once in 2^252 messages; there is no signature then.
        guard let point = Ed25519Scalar.point(nonce) else { return [] }
        let head = point + publicKey
        let challenge = Ed25519Scalar.reduced(SHA512.digest(head.span, message))
        let proof = Ed25519Scalar.product(challenge, secretKey, plus: nonce)
        var signature = point
        proof.withSpan { signature.append(copying: $0) }
        return signature
    }
}
