// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto

extension SigningDomain.Prehash {
    /// SHA-384, which Countersign does not contain.
    static let sha384 = SigningDomain.Prehash("sha384") { P384.sha384($0) }
}

/// A key for ECDSA over P-384, a curve that Countersign does not contain.
///
/// Its secret half never leaves it. The vault makes and opens such keys, and verifies each
/// signature by `scheme` before it releases it.
public struct DoorKey: SigningKey, ~Copyable {
    /// The public key is x and y, the signature r and s, 48 bytes big-endian each.
    public static let scheme = SignatureScheme(
        "ecdsa-p384", publicKeyCount: 2 * P384.scalarCount, signatureCount: 2 * P384.scalarCount
    ) { signature, message, publicKey in
        P384.isValid(signature, digest: message, publicKey)
    }
    /// A secret is a scalar, big-endian.
    public static let secretCount = P384.scalarCount

    /// The x and y of the public point.
    public let publicKey: [UInt8]
    private let secret: SecretBytes

    /// Makes the key of a scalar above zero and below the order of the curve.
    public init(secret: borrowing SecretBytes) throws(CryptoError) {
        guard secret.count == Self.secretCount else {
            throw .wrongLength(expected: Self.secretCount, actual: secret.count)
        }
        guard let publicKey = secret.withSpan({ P384.publicKey(of: $0) }) else {
            throw .invalidSecretKey
        }
        self.publicKey = publicKey
        self.secret = secret.withSpan { SecretBytes(copying: $0) }
    }

    /// Signs a digest of 48 bytes.
    public borrowing func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        guard message.count == P384.digestCount else {
            throw .wrongLength(expected: P384.digestCount, actual: message.count)
        }
        guard let signature = secret.withSpan({ P384.sign(message, by: $0) }) else {
            throw .invalidSecretKey
        }
        return signature
    }
}
