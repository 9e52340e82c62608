// SPDX-License-Identifier: Apache-2.0

extension SecretBytes {
    /// Derives a 32-byte key for one purpose, which reveals nothing about this one (HKDF-Expand,
    /// RFC 5869).
    public borrowing func derivedKey(for purpose: String) -> SecretBytes {
        HKDF.expand(key: self, info: Array(purpose.utf8).span, count: Digest.sha256Count)
    }
}
