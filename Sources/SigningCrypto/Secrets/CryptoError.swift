// SPDX-License-Identifier: Apache-2.0

/// The reasons that a key, a box or a parameter was refused.
public enum CryptoError: Error, Hashable, Sendable {
    /// The length of a key, nonce, salt or digest is not the one that its algorithm needs.
    case wrongLength(expected: Int, actual: Int)
    /// A plaintext is empty or longer than the format can carry.
    case lengthOutOfRange(actual: Int, max: Int)
    /// The bytes are not a secret key of the curve.
    case invalidSecretKey
    /// The bytes are not a point of the curve.
    case invalidPublicKey
    /// A fresh signature did not verify; it was discarded.
    case signatureSelfCheckFailed
    /// A sealed box does not match its key or its associated data.
    case authenticationFailed
    /// An encrypted message cannot be read; the reason is withheld from its sender.
    case decryptionFailed
    /// A text that has to be UTF-8 is not.
    case notText
    /// The operation needs more memory than is available.
    case outOfMemory
    /// A cost parameter is outside the range that this hub accepts.
    case unsupportedParameters
}

extension CryptoError {
    /// Refuses a length other than the one that the algorithm needs.
    static func check(count: Int, is expected: Int) throws(CryptoError) {
        guard count == expected else { throw .wrongLength(expected: expected, actual: count) }
    }
}
