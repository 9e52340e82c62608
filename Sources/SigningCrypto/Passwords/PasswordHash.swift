// SPDX-License-Identifier: Apache-2.0

/// Keys derived from passphrases by Argon2id.
public enum PasswordHash {
    /// The length of a salt.
    public static let saltCount = 16
    /// The length of the derived key.
    public static let keyCount = 32

    /// Makes a fresh salt.
    public static func makeSalt() -> [UInt8] { Randomness.bytes(saltCount) }

    /// Derives a 32-byte key with one lane; slow and memory-intensive by intention.
    public static func argon2id(
        passphrase: borrowing SecretBytes, salt: Span<UInt8>, parameters: Argon2Parameters
    ) throws(CryptoError) -> SecretBytes {
        try CryptoError.check(count: salt.count, is: saltCount)
        guard parameters.isSupported else { throw .unsupportedParameters }
        return try SecretBytes(countMax: keyCount) { (key) throws(CryptoError) in
            // With valid parameters the library can only fail for lack of memory.
            guard
                derive(into: &key, passphrase: passphrase, salt: salt, parameters: parameters)
            else { throw .outOfMemory }
            return keyCount
        }
    }
}
