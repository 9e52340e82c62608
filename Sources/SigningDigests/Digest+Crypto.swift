// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

/// Hashes of whole messages.
public enum Digest {
    /// Returns SHA-256, 32 bytes.
    ///
    /// libcrypto uses the processor's instructions for it.
    public static func sha256(_ message: Span<UInt8>) -> [UInt8] {
        var state = SHA256_CTX()
        var digest = [UInt8](repeating: 0, count: HashAlgorithm.count)
        let isDone = unsafe message.withPointer { bytes in
            unsafe SHA256_Init(&state) == 1
                && SHA256_Update(&state, bytes, message.count) == 1
                && SHA256_Final(&digest, &state) == 1
        }
        precondition(isDone, "libcrypto failed to compute SHA-256")
        return digest
    }

    /// Returns SHA-512/256, 32 bytes, which starts from other values than SHA-512.
    public static func sha512_256(_ message: Span<UInt8>) -> [UInt8] {
        HashAlgorithm.sha512_256.digest(message)
    }
}

/// The implementation of a hash of 32 bytes, looked up once per process.
@safe private final class HashAlgorithm: @unchecked Sendable {
    static let sha512_256 = HashAlgorithm("SHA2-512/256")

    // SAFETY: Written once, and libcrypto only reads from a fetched algorithm.
    private let algorithm: OpaquePointer

    private init(_ name: String) {
        // A separate library context, so that openssl.cnf cannot replace the implementation.
        let context = unsafe OSSL_LIB_CTX_new()
        guard let algorithm = unsafe EVP_MD_fetch(context, name, nil) else {
            preconditionFailure("libcrypto has no \(name).")
        }
        unsafe self.algorithm = algorithm
    }

    func digest(_ message: Span<UInt8>) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: Self.count)
        let status = unsafe message.withPointer { bytes in
            unsafe EVP_Digest(bytes, message.count, &digest, nil, algorithm, nil)
        }
        precondition(status == 1, "libcrypto failed to compute a hash")
        return digest
    }

    static let count = 32
}
