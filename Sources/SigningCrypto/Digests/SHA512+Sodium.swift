// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// SHA-512 of data that is secret, at least in part.
enum SHA512 {
    /// Returns the 64 bytes of the hash of two parts, joined.
    static func digest(_ head: Span<UInt8>, _ tail: Span<UInt8>) -> SecretBytes {
        SecretBytes(count: count) { output in
            var state = crypto_hash_sha512_state()
            let status = unsafe output.withUnsafeMutableBufferPointer { buffer in
                guard let digest = buffer.baseAddress else { return Int32(-1) }
                return unsafe head.withPointer { first in
                    unsafe tail.withPointer { second in
                        unsafe crypto_hash_sha512_init(&state)
                            | crypto_hash_sha512_update(&state, first, UInt64(head.count))
                            | crypto_hash_sha512_update(&state, second, UInt64(tail.count))
                            | crypto_hash_sha512_final(&state, digest)
                    }
                }
            }
            unsafe sodium_memzero(&state, MemoryLayout<crypto_hash_sha512_state>.size)
            precondition(status == 0, "libsodium failed to compute SHA-512")
        }
    }

    private static let count = 64
}
