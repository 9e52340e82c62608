// SPDX-License-Identifier: Apache-2.0

internal import CSodium
internal import SigningCore

extension Ed25519Key {
    /// Derives the signing form of a seed of checked length, and the public key.
    static func expand(
        seed: borrowing SecretBytes, publicKey: inout [UInt8]
    ) -> SecretBytes {
        SecretBytes(count: Int(crypto_sign_ed25519_SECRETKEYBYTES)) { output in
            let status = unsafe output.withUnsafeMutableBufferPointer { buffer in
                guard let secretKey = buffer.baseAddress else { return Int32(-1) }
                return unsafe seed.withPointer { seed in
                    unsafe crypto_sign_ed25519_seed_keypair(&publicKey, secretKey, seed)
                }
            }
            precondition(status == 0, "libsodium rejected an Ed25519 seed")
        }
    }

    /// Signs without verifying.
    borrowing func makeSignature(of message: Span<UInt8>) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Self.scheme.signatureCount)
        let status = unsafe message.withPointer { bytes in
            unsafe secretKey.withPointer { key in
                unsafe crypto_sign_ed25519_detached(
                    &signature, nil, bytes, UInt64(message.count), key)
            }
        }
        precondition(status == 0, "libsodium failed to sign")
        return signature
    }
}
