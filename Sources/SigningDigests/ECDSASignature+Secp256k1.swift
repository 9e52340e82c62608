// SPDX-License-Identifier: Apache-2.0

internal import CSecp256k1

extension Signatures {
    /// Returns whether an ECDSA signature over a 32-byte digest is valid for `publicKey`.
    ///
    /// `signature` is `r` and `s`, 64 bytes, or 65 with the recovery id of this key at the end.
    /// Both values of `s` are accepted. `publicKey` is `x` and `y`, 64 bytes.
    public static func isValidECDSA(
        signature: Span<UInt8>, digest: Span<UInt8>, publicKey: Span<UInt8>
    ) -> Bool {
        guard digest.count == 32, let point = parse(uncompressed: publicKey) else {
            return false
        }
        switch signature.count {
        case 64: return verify(signature, digest, point)
        // A signature is valid for the key that is recovered from it.
        case 65: return recover(signature, digest) == uncompressed(point)
        default: return false
        }
    }

    private static func verify(
        _ signature: Span<UInt8>, _ digest: Span<UInt8>, _ point: secp256k1_pubkey
    ) -> Bool {
        guard let parsed = parse(ecdsa: signature) else { return false }
        let status = unsafe withUnsafePointer(to: parsed) { signature in
            unsafe digest.withPointer { digest in
                unsafe withUnsafePointer(to: point) { point in
                    unsafe secp256k1_ecdsa_verify(context, signature, digest, point)
                }
            }
        }
        return status == 1
    }

    /// Recovers the only key that can have made a signature with a recovery id.
    private static func recover(_ signature: Span<UInt8>, _ digest: Span<UInt8>) -> [UInt8]? {
        let id = signature[signature.count - 1]
        guard id <= recoveryIDMax else { return nil }
        var parsed = secp256k1_ecdsa_recoverable_signature()
        var status = unsafe signature.withPointer { bytes in
            unsafe secp256k1_ecdsa_recoverable_signature_parse_compact(
                context, &parsed, bytes, Int32(id))
        }
        guard status == 1 else { return nil }
        var point = secp256k1_pubkey()
        status = unsafe digest.withPointer { digest in
            unsafe secp256k1_ecdsa_recover(context, &point, &parsed, digest)
        }
        return status == 1 ? uncompressed(point) : nil
    }

    private static func uncompressed(_ point: secp256k1_pubkey) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 65)
        var count = bytes.count
        var point = point
        _ = unsafe secp256k1_ec_pubkey_serialize(
            context, &bytes, &count, &point, UInt32(SECP256K1_EC_UNCOMPRESSED))
        return bytes
    }

    private static func parse(uncompressed bytes: Span<UInt8>) -> secp256k1_pubkey? {
        guard bytes.count == 64 else { return nil }
        var encoded: [UInt8] = [0x04]  // An uncompressed point follows.
        encoded.append(copying: bytes)
        var point = secp256k1_pubkey()
        let status = unsafe secp256k1_ec_pubkey_parse(context, &point, encoded, encoded.count)
        return status == 1 ? point : nil
    }

    /// Parses a signature and converts it to the low-s form, the only one that the library
    /// verifies.
    private static func parse(ecdsa bytes: Span<UInt8>) -> secp256k1_ecdsa_signature? {
        var parsed = secp256k1_ecdsa_signature()
        let status = unsafe bytes.withPointer { bytes in
            unsafe secp256k1_ecdsa_signature_parse_compact(context, &parsed, bytes)
        }
        guard status == 1 else { return nil }
        var normal = secp256k1_ecdsa_signature()
        _ = unsafe secp256k1_ecdsa_signature_normalize(context, &normal, &parsed)
        return normal
    }

    private static let recoveryIDMax: UInt8 = 3
    /// Verification involves no secret, so the library's static context suffices.
    private static var context: OpaquePointer { unsafe secp256k1_context_for_verifying() }
}
