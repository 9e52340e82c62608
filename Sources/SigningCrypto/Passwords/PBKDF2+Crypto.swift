// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// PBKDF2 (RFC 8018) with HMAC-SHA512.
enum PBKDF2 {
    static func sha512(
        password: borrowing SecretBytes, salt: borrowing SecretBytes, rounds: Int32, count: Int
    ) throws(CryptoError) -> SecretBytes {
        let passwordCount = password.count
        let saltCount = salt.count
        return try SecretBytes(countMax: count) { output throws(CryptoError) in
            let status = unsafe output.withUnsafeMutableBufferPointer { key in
                unsafe password.withPointer { text in
                    unsafe salt.withPointer { salt in
                        unsafe text.withMemoryRebound(to: CChar.self, capacity: 1) { text in
                            unsafe PKCS5_PBKDF2_HMAC(
                                text, Int32(passwordCount), salt, Int32(saltCount), rounds,
                                EVP_sha512(), Int32(count), key.baseAddress)
                        }
                    }
                }
            }
            guard status == 1 else { throw .outOfMemory }
            return count
        }
    }
}
