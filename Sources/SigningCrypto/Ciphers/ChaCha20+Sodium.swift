// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// The stream cipher ChaCha20 (RFC 8439) without authentication.
enum ChaCha20 {
    static let keyCount = 32
    static let nonceCount = 12

    /// Encrypts or decrypts `bytes[start...]` in place, from block 0.
    static func apply(
        to bytes: inout [UInt8], from start: Int, key: Span<UInt8>, nonce: Span<UInt8>
    ) {
        precondition(key.count == keyCount && nonce.count == nonceCount)
        precondition(start >= 0 && start < bytes.count)
        let status = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return Int32(-1) }
            let text = unsafe base + start
            return unsafe key.withPointer { key in
                unsafe nonce.withPointer { nonce in
                    unsafe crypto_stream_chacha20_ietf_xor(
                        text, text, UInt64(buffer.count - start), nonce, key)
                }
            }
        }
        precondition(status == 0, "libsodium failed in ChaCha20")
    }
}
