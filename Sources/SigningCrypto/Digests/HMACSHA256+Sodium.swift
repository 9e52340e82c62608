// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// HMAC-SHA256 of a message in parts; its state is as secret as its key.
@safe struct HMACSHA256: ~Copyable {
    private let state: UnsafeMutablePointer<crypto_auth_hmacsha256_state>

    init(key: Span<UInt8>) {
        let state = UnsafeMutablePointer<crypto_auth_hmacsha256_state>.allocate(capacity: 1)
        unsafe state.initialize(to: crypto_auth_hmacsha256_state())
        let status = unsafe key.withPointer { bytes in
            unsafe crypto_auth_hmacsha256_init(state, bytes, key.count)
        }
        precondition(status == 0, "libsodium failed in HMAC-SHA256")
        unsafe self.state = state
    }

    deinit {
        unsafe sodium_memzero(state, MemoryLayout<crypto_auth_hmacsha256_state>.size)
        unsafe state.deallocate()
    }

    /// Appends a part of the message.
    borrowing func update(_ part: Span<UInt8>) {
        let status = unsafe part.withPointer { bytes in
            unsafe crypto_auth_hmacsha256_update(state, bytes, UInt64(part.count))
        }
        precondition(status == 0, "libsodium failed in HMAC-SHA256")
    }

    /// Writes the 32 bytes of the code at `offset` of `output`.
    consuming func finish(into output: inout MutableSpan<UInt8>, at offset: Int) {
        precondition(offset >= 0 && output.count - offset >= Digest.sha256Count)
        let status = unsafe output.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return Int32(-1) }
            return unsafe crypto_auth_hmacsha256_final(state, base + offset)
        }
        precondition(status == 0, "libsodium failed in HMAC-SHA256")
    }
}
