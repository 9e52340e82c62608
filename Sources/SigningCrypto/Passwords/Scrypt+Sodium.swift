// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// scrypt (RFC 7914) as NIP-49 uses it: r = 8, p = 1.
enum Scrypt {
    /// Derives a key of 32 bytes; nil if there is not enough memory, 2^logN KiB.
    static func derive(
        password: borrowing SecretBytes, salt: Span<UInt8>, logN: Int
    ) -> SecretBytes? {
        precondition((1...62).contains(logN), "the cost of scrypt is not within 1 to 62")
        let count = password.count
        return try? SecretBytes(countMax: keyCount) { (key) throws(CryptoError) in
            let status = unsafe key.withUnsafeMutableBufferPointer { buffer in
                guard let output = buffer.baseAddress else { return Int32(-1) }
                return unsafe password.withPointer { text in
                    unsafe salt.withPointer { salt16 in
                        unsafe crypto_pwhash_scryptsalsa208sha256_ll(
                            text, count, salt16, salt.count, 1 << UInt64(logN), 8, 1, output,
                            keyCount)
                    }
                }
            }
            guard status == 0 else { throw .outOfMemory }
            return keyCount
        }
    }

    private static let keyCount = 32
}
