// SPDX-License-Identifier: Apache-2.0

internal import CSecp256k1

extension Secp256k1Key {
    /// Parses an x-only public key as the point with even Y (`lift_x` of BIP-340).
    static func parse(compressed xOnly: Span<UInt8>) throws(CryptoError) -> secp256k1_pubkey {
        try CryptoError.check(count: xOnly.count, is: publicKeyCount)
        var bytes: [UInt8] = [0x02]  // Y is even.
        bytes.append(copying: xOnly)
        var point = secp256k1_pubkey()
        let status = unsafe secp256k1_ec_pubkey_parse(context, &point, bytes, bytes.count)
        guard status == 1 else { throw .invalidPublicKey }
        return point
    }

    /// Multiplies a peer's point by a secret scalar and returns the X coordinate.
    static func sharedX(
        secret: borrowing SecretBytes, peer: secp256k1_pubkey
    ) throws(CryptoError) -> SecretBytes {
        try SecretBytes(countMax: sharedCount) { (output) throws(CryptoError) in
            let status = unsafe output.withUnsafeMutableBufferPointer { bytes in
                guard let shared = bytes.baseAddress else { return Int32(0) }
                return unsafe secret.withPointer { secret in
                    unsafe withUnsafePointer(to: peer) { peer in
                        unsafe secp256k1_ecdh(context, shared, peer, secret, copyX, nil)
                    }
                }
            }
            guard status == 1 else { throw .invalidSecretKey }
            return sharedCount
        }
    }

    private static let sharedCount = 32

    /// Replaces the hash of the point in the library: returns X unchanged.
    private static var copyX: secp256k1_ecdh_hash_function {
        { output, x, _, _ in
            guard let output = unsafe output, let x = unsafe x else { return 0 }
            unsafe output.update(from: x, count: Secp256k1Key.sharedCount)
            return 1
        }
    }
}
