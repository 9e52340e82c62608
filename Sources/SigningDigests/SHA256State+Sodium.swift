// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// SHA-256 of a message in parts.
public struct SHA256State: Sendable {
    private var state = crypto_hash_sha256_state()

    /// Starts with the empty message.
    public init() {
        let status = unsafe crypto_hash_sha256_init(&state)
        precondition(status == 0, "libsodium failed to compute SHA-256")
    }

    /// Appends a part of the message.
    public mutating func update(_ part: Span<UInt8>) {
        let status = unsafe part.withPointer { bytes in
            unsafe crypto_hash_sha256_update(&state, bytes, UInt64(part.count))
        }
        precondition(status == 0, "libsodium failed to compute SHA-256")
    }

    /// Returns the digest of all parts so far; more parts may follow.
    public func finish() -> [UInt8] {
        var copy = state
        var digest = [UInt8](repeating: 0, count: Int(crypto_hash_sha256_BYTES))
        let status = unsafe crypto_hash_sha256_final(&copy, &digest)
        precondition(status == 0, "libsodium failed to compute SHA-256")
        return digest
    }
}
