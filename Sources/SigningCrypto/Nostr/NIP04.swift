// SPDX-License-Identifier: Apache-2.0

/// NIP-04 encryption: AES-256-CBC under the shared X coordinate, and nothing that authenticates.
///
/// Deprecated for new messages. In its raw form a payload is the IV, then the ciphertext.
public enum NIP04 {
    /// Length of the IV in front of a raw payload.
    public static let ivCount = 16
    /// The longest text this hub encrypts.
    public static let plaintextBytesMax = 1 << 20

    /// Encrypts at most `plaintextBytesMax` bytes, also none, under a fresh IV.
    public static func encrypt(
        _ plaintext: Span<UInt8>, sharedX: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try encrypt(plaintext, sharedX: sharedX, iv: Randomness.bytes(ivCount))
    }

    /// Encrypts under a given IV, as the vectors do.
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

    /// Decrypts a raw payload; whatever is wrong with it, the error is `decryptionFailed`.
    ///
    /// The bytes need not be text. Nothing tells that they are what somebody encrypted.
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

    /// Takes off the padding of PKCS #7; looks at a whole block whatever stands there, so that
    /// the time tells nothing.
    private static func plaintextCount(in padded: [UInt8]) throws(CryptoError) -> Int {
        let last = Int(padded[padded.count - 1])
        var difference = last == 0 || last > blockCount ? 1 : 0
        for place in 1...blockCount {
            // All ones where this place belongs to the padding.
            let isPadding = (place - last - 1) >> (Int.bitWidth - 1)
            difference |= (Int(padded[padded.count - place]) ^ last) & isPadding
        }
        guard difference == 0 else { throw .decryptionFailed }
        return padded.count - last
    }

    private static let blockCount = 16
}
