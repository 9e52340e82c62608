// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// scrypt (RFC 7914); r = 8 and p = 1 in NIP-49.
package enum Scrypt {
    /// Derives a key of 32 bytes; nil if there is not enough memory, 128 r 2^logN bytes.
    package static func derive(
        password: borrowing SecretBytes, salt: Span<UInt8>, logN: Int, r: UInt32 = 8, p: UInt32 = 1
    ) -> SecretBytes? {
        precondition((1...62).contains(logN), "the cost of scrypt is not within 1 to 62")
        let count = password.count
        return try? SecretBytes(countMax: keyCount) { (key) throws(CryptoError) in
            let status = unsafe key.withUnsafeMutableBufferPointer { buffer in
                guard let output = buffer.baseAddress else { return Int32(-1) }
                return unsafe password.withPointer { text in
                    unsafe salt.withPointer { salt16 in
                        unsafe crypto_pwhash_scryptsalsa208sha256_ll(
                            text, count, salt16, salt.count, 1 << UInt64(logN), r, p, output,
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
