// SPDX-License-Identifier: Apache-2.0

extension SecretBytes {
    /// Derives a 32-byte key for one purpose (HKDF-Expand, RFC 5869); the key reveals nothing about
    /// this secret.
    public borrowing func derivedKey(for purpose: String) -> SecretBytes {
        HKDF.expand(key: self, info: Array(purpose.utf8).span, count: Digest.sha256Count)
    }
}
