// SPDX-License-Identifier: Apache-2.0

/// Why a key, a box or a parameter was refused.
public enum CryptoError: Error, Hashable, Sendable {
    /// A key, nonce, salt or digest has another length than its algorithm needs.
    case wrongLength(expected: Int, actual: Int)
    /// A plaintext is empty or longer than the format can carry.
    case lengthOutOfRange(actual: Int, max: Int)
    /// The bytes are not a secret key of the curve.
    case invalidSecretKey
    /// The bytes are not a point of the curve.
    case invalidPublicKey
    /// A fresh signature did not verify; it was thrown away.
    case signatureSelfCheckFailed
    /// A sealed box, its key or its associated data do not belong together.
    case authenticationFailed
    /// An encrypted message cannot be read; why is kept from whoever sent it.
    case decryptionFailed
    /// A text that has to be UTF-8 is not.
    case notText
    /// The memory the operation needs is not there.
    case outOfMemory
    /// A cost parameter lies outside the range this hub accepts.
    case unsupportedParameters
}

extension CryptoError {
    /// Refuses a length that is not the one the algorithm needs.
    static func check(count: Int, is expected: Int) throws(CryptoError) {
        guard count == expected else { throw .wrongLength(expected: expected, actual: count) }
    }
}
