// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// HMAC-SHA512 of a whole message.
enum HMACSHA512 {
    /// Returns the 64 bytes of the code, with a key of any length.
    static func code(key: Span<UInt8>, _ message: Span<UInt8>) -> SecretBytes {
        SecretBytes(count: count) { output in
            var state = crypto_auth_hmacsha512_state()
            let status = unsafe output.withUnsafeMutableBufferPointer { buffer in
                guard let code = buffer.baseAddress else { return Int32(-1) }
                return unsafe key.withPointer { bytes in
                    unsafe message.withPointer { text in
                        unsafe crypto_auth_hmacsha512_init(&state, bytes, key.count)
                            | crypto_auth_hmacsha512_update(&state, text, UInt64(message.count))
                            | crypto_auth_hmacsha512_final(&state, code)
                    }
                }
            }
            unsafe sodium_memzero(&state, MemoryLayout<crypto_auth_hmacsha512_state>.size)
            precondition(status == 0, "libsodium failed in HMAC-SHA512")
        }
    }

    private static let count = 64
}
