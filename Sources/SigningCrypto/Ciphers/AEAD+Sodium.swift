// SPDX-License-Identifier: Apache-2.0

internal import CSodium

extension AEAD {
    /// Fills a box that already contains its nonce and has room for ciphertext and tag.
    static func encrypt(
        _ secret: borrowing SecretBytes, into box: inout [UInt8],
        key: borrowing SecretBytes, associatedData: Span<UInt8>
    ) {
        precondition(box.count == secret.count + overheadCount)
        let status = unsafe box.withUnsafeMutableBufferPointer { box in
            guard let nonce = box.baseAddress else { return Int32(-1) }
            return unsafe secret.withPointer { message in
                unsafe key.withPointer { key in
                    unsafe associatedData.withPointer { data in
                        unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
                            nonce + nonceCount, nil, message, UInt64(secret.count),
                            data, UInt64(associatedData.count), nil, nonce, key)
                    }
                }
            }
        }
        precondition(status == 0, "libsodium failed to encrypt")
    }

    /// Decrypts a box that is at least `overheadCount` long; false if it is not authentic.
    static func decrypt(
        _ box: Span<UInt8>, into secret: inout MutableSpan<UInt8>,
        key: borrowing SecretBytes, associatedData: Span<UInt8>
    ) -> Bool {
        precondition(box.count == secret.count + overheadCount)
        let status = unsafe secret.withUnsafeMutableBufferPointer { secret in
            unsafe box.withPointer { nonce in
                unsafe key.withPointer { key in
                    unsafe associatedData.withPointer { data in
                        unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                            secret.baseAddress, nil, nil,
                            nonce + nonceCount, UInt64(box.count - nonceCount),
                            data, UInt64(associatedData.count), nonce, key)
                    }
                }
            }
        }
        return status == 0
    }
}
