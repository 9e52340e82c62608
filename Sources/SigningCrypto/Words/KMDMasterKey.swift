// SPDX-License-Identifier: Apache-2.0

/// Keys of kmd, Algorand's key daemon: each comes from the master key of its wallet and a number.
///
/// The master key is written as 25 words too, but is no key of an account.
public enum KMDMasterKey {
    /// Length of the master key.
    public static let count = 32
    /// The number of the first key that kmd makes in a wallet; others count up from it.
    public static let indexFirst: UInt32 = 1

    /// The seed of a key: HKDF-Expand (RFC 5869) with SHA-512/256, and no Extract before it.
    public static func seed(
        masterKey: borrowing SecretBytes, index: UInt32
    ) throws(CryptoError) -> SecretBytes {
        try CryptoError.check(count: masterKey.count, is: count)
        // The first block of HKDF is all that is needed: it has 32 bytes, as a seed has.
        let info = Array("AlgorandDeterministicKey-\(index)".utf8) + [1]
        return HMACSHA512_256.code(key: masterKey, info.span)
    }
}
