// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// HMAC with SHA-512/256 of a whole message.
enum HMACSHA512_256 {
    /// Returns the 32 bytes of the code, with a key of any length.
    static func code(key: borrowing SecretBytes, _ message: Span<UInt8>) -> SecretBytes {
        let keyCount = key.count
        return SecretBytes(count: count) { output in
            let code = unsafe output.withUnsafeMutableBufferPointer { buffer in
                unsafe key.withPointer { key in
                    unsafe message.withPointer { bytes in
                        unsafe EVP_Q_mac(
                            CryptoContext.shared.context, "HMAC", nil, "SHA2-512/256", nil, key,
                            keyCount, bytes, message.count, buffer.baseAddress, buffer.count, nil)
                    }
                }
            }
            precondition(unsafe code != nil, "libcrypto failed in HMAC-SHA512/256")
        }
    }

    private static let count = 32
}

/// A separate library context, so that openssl.cnf cannot replace implementations.
@safe final class CryptoContext: @unchecked Sendable {
    static let shared = CryptoContext()

    // SAFETY: Written once; libcrypto itself locks what it changes in a context.
    let context: OpaquePointer

    private init() {
        guard let context = unsafe OSSL_LIB_CTX_new() else {
            preconditionFailure("There is no memory for libcrypto.")
        }
        unsafe self.context = context
    }
}
