// SPDX-License-Identifier: Apache-2.0

/// The one-time keys of private zaps (nips PR 1040), which let only the sender find a zap again.
public enum PrivateZap {
    /// Returns the key that signs a private zap.
    ///
    /// Its secret is SHA-256 of the sender's secret in lower-case hex and `context`. The context is
    /// the zapped event or the receiver in hex, then the time.
    public static func oneTimeKey(
        of key: borrowing Secp256k1Key, context: Span<UInt8>
    ) throws(CryptoError) -> Secp256k1Key {
        let secret = key.secretScalar()
        let digits = SecretText.hex(of: secret)
        let message = SecretBytes(count: digits.count + context.count) { output in
            digits.withSpan { digits in
                for index in digits.indices { output[index] = digits[index] }
            }
            for index in context.indices { output[digits.count + index] = context[index] }
        }
        let hash = message.withSpan { message in
            SecretBytes(count: Digest.sha256Count) { Digest.sha256(message, into: &$0) }
        }
        return try Secp256k1Key(secret: hash)
    }
}
