// SPDX-License-Identifier: Apache-2.0

import COpenSSL

/// SHA-384 and ECDSA over P-384 in OpenSSL's libcrypto.
enum P384 {
    /// The length of a coordinate, of a secret, and of each half of a signature.
    static let scalarCount = 48
    /// The length of a SHA-384 digest.
    static let digestCount = 48

    static func sha384(_ message: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: digestCount)
        _ = SHA384(message, message.count, &digest)
        return digest
    }

    /// Returns x and y of the point of a secret; nil if the secret is out of range.
    static func publicKey(of secret: Span<UInt8>) -> [UInt8]? {
        withKey(of: secret) { key in
            var point = [UInt8](repeating: 0, count: 1 + 2 * scalarCount)
            let count = EC_POINT_point2oct(
                EC_KEY_get0_group(key), EC_KEY_get0_public_key(key),
                POINT_CONVERSION_UNCOMPRESSED, &point, point.count, nil)
            return count == point.count ? Array(point.dropFirst()) : nil
        }
    }

    /// Returns r and s; nil if the secret is out of range.
    static func sign(_ digest: Span<UInt8>, by secret: Span<UInt8>) -> [UInt8]? {
        withKey(of: secret) { key in
            let made = digest.withUnsafeBufferPointer { bytes in
                ECDSA_do_sign(bytes.baseAddress, Int32(bytes.count), key)
            }
            guard let made else { return nil }
            defer { ECDSA_SIG_free(made) }
            var r = [UInt8](repeating: 0, count: scalarCount)
            var s = r
            let counts = [
                BN_bn2binpad(ECDSA_SIG_get0_r(made), &r, Int32(scalarCount)),
                BN_bn2binpad(ECDSA_SIG_get0_s(made), &s, Int32(scalarCount)),
            ]
            return counts.allSatisfy { $0 == scalarCount } ? r + s : nil
        }
    }

    /// Returns whether a signature over a digest is valid; the lengths were checked before.
    static func isValid(
        _ signature: Span<UInt8>, digest: Span<UInt8>, _ publicKey: Span<UInt8>
    ) -> Bool {
        guard digest.count == digestCount, let key = EC_KEY_new_by_curve_name(NID_secp384r1),
            let made = ECDSA_SIG_new()
        else { return false }
        defer {
            EC_KEY_free(key)
            ECDSA_SIG_free(made)
        }
        let (x, y) = halves(of: publicKey)
        defer {
            BN_free(x)
            BN_free(y)
        }
        let (r, s) = halves(of: signature)
        // From here on the signature owns both numbers. The library refuses points that are not
        // on the curve.
        guard ECDSA_SIG_set0(made, r, s) == 1,
            EC_KEY_set_public_key_affine_coordinates(key, x, y) == 1
        else { return false }
        return digest.withUnsafeBufferPointer { bytes in
            ECDSA_do_verify(bytes.baseAddress, Int32(bytes.count), made, key) == 1
        }
    }

    private static func halves(
        of bytes: Span<UInt8>
    ) -> (first: OpaquePointer?, second: OpaquePointer?) {
        bytes.withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress else { return (nil, nil) }
            let count = Int32(scalarCount)
            return (BN_bin2bn(base, count, nil), BN_bin2bn(base + scalarCount, count, nil))
        }
    }

    /// Lends the key in the library's form, which is wiped afterwards.
    private static func withKey(
        of secret: Span<UInt8>, _ body: (OpaquePointer) -> [UInt8]?
    ) -> [UInt8]? {
        guard let key = EC_KEY_new_by_curve_name(NID_secp384r1),
            let group = EC_KEY_get0_group(key), let point = EC_POINT_new(group),
            let scalar = BN_secure_new()
        else { return nil }
        defer {
            EC_KEY_free(key)
            EC_POINT_free(point)
            BN_clear_free(scalar)
        }
        let isRead = secret.withUnsafeBufferPointer { bytes in
            BN_bin2bn(bytes.baseAddress, Int32(bytes.count), scalar) != nil
        }
        BN_set_flags(scalar, BN_FLG_CONSTTIME)
        guard isRead, BN_is_zero(scalar) == 0, BN_cmp(scalar, EC_GROUP_get0_order(group)) < 0,
            EC_KEY_set_private_key(key, scalar) == 1,
            EC_POINT_mul(group, point, scalar, nil, nil, nil) == 1,
            EC_KEY_set_public_key(key, point) == 1
        else { return nil }
        return body(key)
    }
}
