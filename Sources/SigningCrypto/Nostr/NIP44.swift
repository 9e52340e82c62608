// SPDX-License-Identifier: Apache-2.0

/// Encrypted payloads of NIP-44 version 2, as raw bytes.
///
/// A payload is version (1), nonce (32), ciphertext and MAC (32). The caller handles Base64, the
/// `#` of future versions and UTF-8. A payload does not prove its author, because both parties hold
/// the same key. The caller checks the signature of the surrounding event.
public enum NIP44 {
    /// The longest plaintext that is written or read, in bytes.
    public static let plaintextBytesMax = 1 << 20
    /// The longest payload that is read: the extended form of the longest plaintext.
    public static let payloadBytesMax =
        headerCount + Prefix.extendedCount + plaintextBytesMax + macCount
    /// The shortest valid payload, in bytes.
    public static let payloadBytesMin =
        headerCount + Prefix.smallCount + paddedCount(1) + macCount

    /// Returns the key that two parties share, identical on both sides.
    public static func conversationKey(
        own: borrowing Secp256k1Key, peer: Span<UInt8>
    ) throws(CryptoError) -> SecretBytes {
        let shared = try own.sharedX(with: peer)
        return HKDF.extract(salt: Array("nip44-v2".utf8).span, input: shared)
    }

    /// Encrypts at least 1 and at most `plaintextBytesMax` bytes under a fresh nonce.
    ///
    /// Above 65535 bytes the payload has the extended prefix, which many clients cannot read.
    public static func encrypt(
        _ plaintext: Span<UInt8>, conversationKey: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        try encrypt(
            plaintext, conversationKey: conversationKey, nonce: Randomness.bytes(nonceCount))
    }

    /// Encrypts under a given nonce, for test vectors.
    static func encrypt(
        _ plaintext: Span<UInt8>, conversationKey: borrowing SecretBytes, nonce: [UInt8]
    ) throws(CryptoError) -> [UInt8] {
        try CryptoError.check(count: nonce.count, is: nonceCount)
        guard (1...plaintextBytesMax).contains(plaintext.count) else {
            throw .lengthOutOfRange(actual: plaintext.count, max: plaintextBytesMax)
        }
        let keys = try MessageKeys(conversationKey: conversationKey, nonce: nonce.span)
        let padding = paddedCount(plaintext.count) - plaintext.count
        var payload: [UInt8] = []
        payload.reserveCapacity(payloadBytesMin + padding + plaintext.count)
        payload.append(version)
        payload.append(contentsOf: nonce)
        payload.append(contentsOf: Prefix.bytes(of: plaintext.count))
        payload.append(copying: plaintext)
        payload.append(contentsOf: repeatElement(0, count: padding))
        keys.applyCipher(to: &payload, from: headerCount)
        payload.append(contentsOf: keys.mac(of: payload.span.extracting(1...)))
        return payload
    }

    /// Decrypts a payload; every defect gives the same error.
    ///
    /// The plaintext is bytes; the caller checks that they are UTF-8.
    public static func decrypt(
        _ payload: Span<UInt8>, conversationKey: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        guard (payloadBytesMin...payloadBytesMax).contains(payload.count), payload[0] == version
        else { throw .decryptionFailed }
        let macStart = payload.count - macCount
        let keys = try MessageKeys(
            conversationKey: conversationKey, nonce: payload.extracting(1..<headerCount))
        let mac = keys.mac(of: payload.extracting(1..<macStart))
        guard ConstantTime.isEqual(mac.span, payload.extracting(macStart...)) else {
            throw .decryptionFailed
        }
        var padded: [UInt8] = []
        padded.append(copying: payload.extracting(headerCount..<macStart))
        keys.applyCipher(to: &padded, from: 0)
        guard let range = Prefix.plaintextRange(in: padded) else { throw .decryptionFailed }
        return Array(padded[range])
    }

    private static let version: UInt8 = 2
    private static let nonceCount = 32
    private static let macCount = 32
    private static let headerCount = 1 + nonceCount
}
