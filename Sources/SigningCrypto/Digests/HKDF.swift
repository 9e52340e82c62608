// SPDX-License-Identifier: Apache-2.0

/// HKDF with SHA-256 (RFC 5869).
package enum HKDF {
    /// Condenses input key material into a 32-byte pseudo-random key.
    package static func extract(salt: Span<UInt8>, input: borrowing SecretBytes) -> SecretBytes {
        SecretBytes(count: Digest.sha256Count) { output in
            let state = HMACSHA256(key: salt)
            input.withSpan { state.update($0) }
            state.finish(into: &output, at: 0)
        }
    }

    /// Expands a pseudo-random key to `count` bytes, at most 255 blocks of 32.
    static func expand(
        key: borrowing SecretBytes, info: Span<UInt8>, count: Int
    ) -> SecretBytes {
        let size = Digest.sha256Count
        let blocks = (count + size - 1) / size
        return SecretBytes(countMax: blocks * size) { output in
            for block in 0..<blocks {
                let state = key.withSpan { HMACSHA256(key: $0) }
                if block > 0 {
                    state.update(output.span.extracting((block - 1) * size..<block * size))
                }
                state.update(info)
                state.update([UInt8(block + 1)].span)
                state.finish(into: &output, at: block * size)
            }
            return count
        }
    }
}
