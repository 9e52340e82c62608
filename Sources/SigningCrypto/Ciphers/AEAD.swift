// SPDX-License-Identifier: Apache-2.0

/// Encrypted boxes for stored secrets: XChaCha20-Poly1305 (IETF) with a fresh nonce at the start.
///
/// A box is nonce (24), ciphertext (as long as the secret) and tag (16).
public enum AEAD {
    /// The length of a key.
    public static let keyCount = 32
    /// The length of a box beyond that of its secret.
    public static let overheadCount = nonceCount + tagCount

    static let nonceCount = 24
    static let tagCount = 16

    /// Seals a secret; `associatedData` is not in the box and must be given again to open it.
    public static func seal(
        _ secret: borrowing SecretBytes, key: borrowing SecretBytes,
        associatedData: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        try CryptoError.check(count: key.count, is: keyCount)
        var box = Randomness.bytes(nonceCount)
        box.append(contentsOf: repeatElement(0, count: secret.count + tagCount))
        encrypt(secret, into: &box, key: key, associatedData: associatedData)
        return box
    }

    /// Opens a box; a changed box, a wrong key and other associated data give the same error.
    public static func open(
        _ box: Span<UInt8>, key: borrowing SecretBytes, associatedData: Span<UInt8>
    ) throws(CryptoError) -> SecretBytes {
        try CryptoError.check(count: key.count, is: keyCount)
        guard box.count >= overheadCount else { throw .authenticationFailed }
        return try SecretBytes(countMax: box.count - overheadCount) {
            (secret) throws(CryptoError) in
            guard decrypt(box, into: &secret, key: key, associatedData: associatedData) else {
                throw .authenticationFailed
            }
            return secret.count
        }
    }
}
