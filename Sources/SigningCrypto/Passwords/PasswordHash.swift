// SPDX-License-Identifier: Apache-2.0

/// Keys from passphrases, by Argon2id.
public enum PasswordHash {
    /// Length of a salt.
    public static let saltCount = 16
    /// Length of the key that comes out.
    public static let keyCount = 32

    /// A fresh salt.
    public static func makeSalt() -> [UInt8] {
        Randomness.bytes(saltCount)
    }

    /// Derives a 32-byte key; slow and hungry by intention, one lane.
    public static func argon2id(
        passphrase: borrowing SecretBytes, salt: Span<UInt8>, parameters: Argon2Parameters
    ) throws(CryptoError) -> SecretBytes {
        try CryptoError.check(count: salt.count, is: saltCount)
        guard parameters.isSupported else { throw .unsupportedParameters }
        return try SecretBytes(countMax: keyCount) { (key) throws(CryptoError) in
            // Memory is the only thing the library can lack once the parameters are right.
            guard
                derive(into: &key, passphrase: passphrase, salt: salt, parameters: parameters)
            else { throw .outOfMemory }
            return keyCount
        }
    }
}
