// SPDX-License-Identifier: Apache-2.0

/// Keys of kmd, Algorand's key daemon: each is derived from the wallet's master key and a number.
///
/// The master key is also written as 25 words, but it is not the key of an account.
public enum KMDMasterKey {
    /// The length of the master key.
    public static let count = 32
    /// The number of the first key in a wallet of kmd; later keys count up from it.
    public static let indexFirst: UInt32 = 1

    /// Returns the seed of a key: HKDF-Expand (RFC 5869) with SHA-512/256, without a preceding
    /// Extract.
    public static func seed(
        masterKey: borrowing SecretBytes, index: UInt32
    ) throws(CryptoError) -> SecretBytes {
        try CryptoError.check(count: masterKey.count, is: count)
        // Only the first block of HKDF is needed: it has 32 bytes, like a seed.
        let info = Array("AlgorandDeterministicKey-\(index)".utf8) + [1]
        return HMACSHA512_256.code(key: masterKey, info.span)
    }
}
