// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

extension Digest {
    /// SHA-512/256, 32 bytes: not a shortened SHA-512, it starts from other values.
    public static func sha512_256(_ message: Span<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: SHA512_256.count)
        let status = unsafe message.withPointer { bytes in
            unsafe EVP_Digest(
                bytes, message.count, &digest, nil, SHA512_256.shared.algorithm, nil)
        }
        precondition(status == 1, "SHA-512/256 cannot fail.")
        return digest
    }
}

/// The implementation of SHA-512/256, looked up once per process.
@safe private final class SHA512_256: @unchecked Sendable {
    static let count = 32
    static let shared = SHA512_256()

    // SAFETY: Written once, and libcrypto only reads from a fetched algorithm.
    let algorithm: OpaquePointer

    private init() {
        // A library context of our own: no openssl.cnf replaces the implementation.
        let context = unsafe OSSL_LIB_CTX_new()
        guard let algorithm = unsafe EVP_MD_fetch(context, "SHA2-512/256", nil) else {
            preconditionFailure("libcrypto has no SHA-512/256.")
        }
        unsafe self.algorithm = algorithm
    }
}
