// SPDX-License-Identifier: Apache-2.0

internal import CSodium

extension Digest {
    /// Computes SHA-256 of a secret into the 32 bytes of another.
    static func sha256(_ message: Span<UInt8>, into output: inout MutableSpan<UInt8>) {
        precondition(output.count == sha256Count)
        let status = unsafe output.withUnsafeMutableBufferPointer { buffer in
            guard let digest = buffer.baseAddress else { return Int32(-1) }
            return unsafe message.withPointer { bytes in
                unsafe crypto_hash_sha256(digest, bytes, UInt64(message.count))
            }
        }
        precondition(status == 0, "libsodium failed to compute SHA-256")
    }

    /// Returns HMAC-SHA256, 32 bytes, with a key of any length.
    public static func hmacSHA256(key: Span<UInt8>, _ message: Span<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: sha256Count)
        let state = HMACSHA256(key: key)
        state.update(message)
        var output = digest.mutableSpan
        state.finish(into: &output, at: 0)
        return digest
    }

    /// The length of a SHA-256 digest, and of an HMAC made with it.
    static let sha256Count = 32
}
