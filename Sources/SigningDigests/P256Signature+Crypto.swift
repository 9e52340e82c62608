// SPDX-License-Identifier: Apache-2.0

internal import CCrypto

extension Signatures {
    /// Returns whether an ECDSA signature over a 32-byte digest is valid for a P-256 key.
    ///
    /// The signature is r and s, the key x and y, 32 bytes big-endian each.
    public static func isValidP256(
        signature: Span<UInt8>, digest: Span<UInt8>, publicKey: Span<UInt8>
    ) -> Bool {
        guard signature.count == 64, digest.count == 32, publicKey.count == 64,
            let key = unsafe EC_KEY_new_by_curve_name(NID_X9_62_prime256v1)
        else { return false }
        defer { unsafe EC_KEY_free(key) }
        return unsafe publicKey.withPointer { point in
            let x = unsafe BN_bin2bn(point, 32, nil)
            let y = unsafe BN_bin2bn(point + 32, 32, nil)
            defer {
                unsafe BN_free(x)
                unsafe BN_free(y)
            }
            guard unsafe EC_KEY_set_public_key_affine_coordinates(key, x, y) == 1 else {
                return false
            }
            return unsafe signature.withPointer { bytes in
                guard let made = unsafe ECDSA_SIG_new() else { return false }
                defer { unsafe ECDSA_SIG_free(made) }
                let r = unsafe BN_bin2bn(bytes, 32, nil)
                let s = unsafe BN_bin2bn(bytes + 32, 32, nil)
                // From here on the signature owns both numbers.
                guard unsafe ECDSA_SIG_set0(made, r, s) == 1 else {
                    unsafe BN_free(r)
                    unsafe BN_free(s)
                    return false
                }
                return unsafe digest.withPointer { digest in
                    unsafe ECDSA_do_verify(digest, 32, made, key) == 1
                }
            }
        }
    }
}
