// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// NaCl's secretbox, XSalsa20-Poly1305, as other wallets seal their files with it.
package enum SecretBox {
    /// Opens a box: nonce (24), tag (16) and ciphertext.
    ///
    /// A wrong key and a changed box give the same error.
    package static func open(
        _ box: Span<UInt8>, key: borrowing SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        try CryptoError.check(count: key.count, is: AEAD.keyCount)
        guard box.count >= AEAD.overheadCount else { throw .authenticationFailed }
        return try SecretBytes(countMax: box.count - AEAD.overheadCount) {
            (secret) throws(CryptoError) in
            let status = unsafe secret.withUnsafeMutableBufferPointer { secret in
                guard let output = secret.baseAddress else { return Int32(-1) }
                return unsafe box.withPointer { nonce in
                    unsafe key.withPointer { key in
                        unsafe crypto_secretbox_open_easy(
                            output, nonce + AEAD.nonceCount,
                            UInt64(box.count - AEAD.nonceCount), nonce, key)
                    }
                }
            }
            guard status == 0 else { throw .authenticationFailed }
            return secret.count
        }
    }
}
