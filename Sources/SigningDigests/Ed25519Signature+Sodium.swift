// SPDX-License-Identifier: Apache-2.0

internal import CSodium

extension Signatures {
    /// Returns whether `signature` over `message` is valid for `publicKey`.
    ///
    /// Keys and signatures in a non-canonical encoding and keys of small order are not valid.
    public static func isValidEd25519(
        signature: Span<UInt8>, message: Span<UInt8>, publicKey: Span<UInt8>
    ) -> Bool {
        guard signature.count == Int(crypto_sign_ed25519_BYTES),
            publicKey.count == Int(crypto_sign_ed25519_PUBLICKEYBYTES)
        else { return false }
        let status = unsafe signature.withPointer { signature in
            unsafe message.withPointer { bytes in
                unsafe publicKey.withPointer { key in
                    unsafe crypto_sign_ed25519_verify_detached(
                        signature, bytes, UInt64(message.count), key)
                }
            }
        }
        return status == 0
    }
}
