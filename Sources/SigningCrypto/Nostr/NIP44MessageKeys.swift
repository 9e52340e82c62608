// SPDX-License-Identifier: Apache-2.0

extension NIP44 {
    /// The keys of one message: cipher key (32), cipher nonce (12), MAC key (32).
    struct MessageKeys: ~Copyable {
        let bytes: SecretBytes

        init(
            conversationKey: borrowing SecretBytes, nonce: Span<UInt8>
        ) throws(CryptoError) {
            try CryptoError.check(count: conversationKey.count, is: Digest.sha256Count)
            bytes = HKDF.expand(key: conversationKey, info: nonce, count: Self.macKey.upperBound)
        }

        /// Encrypts or decrypts `text[start...]` in place.
        borrowing func applyCipher(to text: inout [UInt8], from start: Int) {
            bytes.withSpan { bytes in
                ChaCha20.apply(
                    to: &text, from: start, key: bytes.extracting(Self.cipherKey),
                    nonce: bytes.extracting(Self.cipherNonce))
            }
        }

        /// Returns the MAC of the nonce and the ciphertext, which are adjacent in a payload.
        borrowing func mac(of nonceAndCiphertext: Span<UInt8>) -> [UInt8] {
            bytes.withSpan { bytes in
                Digest.hmacSHA256(key: bytes.extracting(Self.macKey), nonceAndCiphertext)
            }
        }

        private static let cipherKey = 0..<32
        private static let cipherNonce = 32..<44
        private static let macKey = 44..<76
    }
}
