// SPDX-License-Identifier: Apache-2.0

/// NIP-04 encryption: AES-256-CBC under the shared X coordinate, without authentication.
///
/// Deprecated for new messages. In its raw form a payload is the IV, then the ciphertext.
public enum NIP04 {
    /// The length of the IV at the start of a raw payload.
    public static let ivCount = 16
    /// The longest text that this hub encrypts, in bytes.
    public static let plaintextBytesMax = 1 << 20

    /// Encrypts 0 to `plaintextBytesMax` bytes under a fresh IV.
    public static func encrypt(
        _ plaintext: Span<UInt8>, sharedX: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try encrypt(plaintext, sharedX: sharedX, iv: Randomness.bytes(ivCount))
    }

    /// Encrypts under a given IV, for test vectors.
    static func encrypt(
        _ plaintext: Span<UInt8>, sharedX: borrowing SecretBytes, iv: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        guard plaintext.count <= plaintextBytesMax else {
            throw .lengthOutOfRange(actual: plaintext.count, max: plaintextBytesMax)
        }
        let paddingCount = blockCount - plaintext.count % blockCount
        var padded: [UInt8] = []
        padded.reserveCapacity(plaintext.count + paddingCount)
        padded.append(copying: plaintext)
        padded += [UInt8](repeating: UInt8(paddingCount), count: paddingCount)
        return iv + (try AESCBC.apply(.encrypt, to: padded.span, key: sharedX, iv: iv.span))
    }

    /// Decrypts a raw payload; every error is `decryptionFailed`.
    ///
    /// The bytes need not be text, and they are not authenticated: anyone may have changed them.
    public static func decrypt(
        _ payload: Span<UInt8>, sharedX: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        guard payload.count >= ivCount + blockCount, payload.count % blockCount == 0 else {
            throw .decryptionFailed
        }
        let padded = try AESCBC.apply(
            .decrypt, to: payload.extracting(ivCount..<payload.count), key: sharedX,
            iv: payload.extracting(0..<ivCount))
        return Array(padded[..<(try plaintextCount(in: padded))])
    }

    /// Returns the length without the padding of PKCS #7.
    ///
    /// It always reads a whole block, so that the time reveals nothing.
    private static func plaintextCount(in padded: [UInt8]) throws(CryptoError) -> Int {
        let last = Int(padded[padded.count - 1])
        var difference = last == 0 || last > blockCount ? 1 : 0
        for place in 1...blockCount {
            // All ones if this place belongs to the padding.
            let isPadding = (place - last - 1) >> (Int.bitWidth - 1)
            difference |= (Int(padded[padded.count - place]) ^ last) & isPadding
        }
        guard difference == 0 else { throw .decryptionFailed }
        return padded.count - last
    }

    private static let blockCount = 16
}
