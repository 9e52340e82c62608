// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// AES-256 in CBC mode over whole blocks; the caller does the padding.
enum AESCBC {
    enum Direction: Int32 {
        case decrypt = 0
        case encrypt = 1
    }

    /// Encrypts or decrypts whole blocks under a key of 32 bytes and an IV of 16.
    static func apply(
        _ direction: Direction, to blocks: Span<UInt8>, key: borrowing SecretBytes,
        iv: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        precondition(iv.count == blockCount && blocks.count % blockCount == 0)
        try CryptoError.check(count: key.count, is: keyCount)
        guard let context = unsafe EVP_CIPHER_CTX_new() else { throw .outOfMemory }
        // Freeing wipes the key schedule.
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var output = [UInt8](repeating: 0, count: blocks.count)
        var written: Int32 = 0
        let isDone = unsafe key.withPointer { key in
            unsafe iv.withPointer { iv in
                unsafe blocks.withPointer { input in
                    unsafe EVP_CipherInit_ex2(
                        context, Cipher.shared.algorithm, key, iv, direction.rawValue, nil) == 1
                        && EVP_CIPHER_CTX_set_padding(context, 0) == 1
                        && EVP_CipherUpdate(
                            context, &output, &written, input, Int32(blocks.count)) == 1
                }
            }
        }
        guard isDone, Int(written) == blocks.count else { throw .decryptionFailed }
        return output
    }

    private static let blockCount = 16
    private static let keyCount = 32
}

/// The implementation of AES-256-CBC, looked up once per process.
@safe private final class Cipher: @unchecked Sendable {
    static let shared = Cipher()

    // SAFETY: Written once, and libcrypto only reads from a fetched algorithm.
    let algorithm: OpaquePointer

    private init() {
        // A separate library context, so that openssl.cnf cannot replace the implementation.
        let context = unsafe OSSL_LIB_CTX_new()
        guard let algorithm = unsafe EVP_CIPHER_fetch(context, "AES-256-CBC", nil) else {
            preconditionFailure("libcrypto has no AES-256-CBC.")
        }
        unsafe self.algorithm = algorithm
    }
}
