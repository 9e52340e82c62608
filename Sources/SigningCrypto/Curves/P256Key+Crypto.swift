// SPDX-License-Identifier: Apache-2.0

internal import CCrypto
internal import SigningCore

extension P256Key {
    /// Returns x and y of the point of a secret scalar; nil if the scalar is out of range.
    static func makePublicKey(of secret: borrowing SecretBytes) -> [UInt8]? {
        unsafe withKey(of: secret) { key in
            var point = [UInt8](repeating: 0, count: 1 + scheme.publicKeyCount)
            let count = unsafe EC_POINT_point2oct(
                EC_KEY_get0_group(key), EC_KEY_get0_public_key(key),
                POINT_CONVERSION_UNCOMPRESSED, &point, point.count, nil)
            return count == point.count ? Array(point.dropFirst()) : nil
        }
    }

    /// Signs without verifying; returns r and s.
    borrowing func makeSignature(of digest: Span<UInt8>) -> [UInt8]? {
        unsafe Self.withKey(of: secret) { key in
            let made = unsafe digest.withPointer { digest in
                unsafe ECDSA_do_sign(digest, Int32(Self.digestCount), key)
            }
            guard let made = unsafe made else { return nil }
            defer { unsafe ECDSA_SIG_free(made) }
            let half = Self.scheme.signatureCount / 2
            var r = [UInt8](repeating: 0, count: half)
            var s = [UInt8](repeating: 0, count: half)
            let counts = unsafe [
                BN_bn2binpad(ECDSA_SIG_get0_r(made), &r, Int32(half)),
                BN_bn2binpad(ECDSA_SIG_get0_s(made), &s, Int32(half)),
            ]
            let isWritten = counts.allSatisfy { $0 == half }
            return isWritten ? r + s : nil
        }
    }

    /// Lends the key in the library's form, which is wiped afterwards.
    private static func withKey(
        of secret: borrowing SecretBytes, _ body: (OpaquePointer) -> [UInt8]?
    ) -> [UInt8]? {
        let made = unsafe EC_KEY_new_by_curve_name_ex(
            CryptoContext.shared.context, nil, NID_X9_62_prime256v1)
        guard let key = unsafe made, let group = unsafe EC_KEY_get0_group(key),
            let point = unsafe EC_POINT_new(group), let scalar = unsafe BN_secure_new()
        else { preconditionFailure("There is no memory for libcrypto.") }
        defer {
            unsafe EC_KEY_free(key)
            unsafe EC_POINT_free(point)
            unsafe BN_clear_free(scalar)
        }
        let isRead = unsafe secret.withPointer { bytes in
            unsafe BN_bin2bn(bytes, Int32(secretCount), scalar) != nil
        }
        unsafe BN_set_flags(scalar, BN_FLG_CONSTTIME)
        // The library refuses values that are not between zero and the order.
        guard isRead, unsafe EC_KEY_set_private_key(key, scalar) == 1,
            unsafe BN_is_zero(scalar) == 0,
            unsafe BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0,
            unsafe EC_POINT_mul(group, point, scalar, nil, nil, nil) == 1,
            unsafe EC_KEY_set_public_key(key, point) == 1
        else { return nil }
        return unsafe body(key)
    }
}
