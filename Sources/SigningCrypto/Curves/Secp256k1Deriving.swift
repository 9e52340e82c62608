// SPDX-License-Identifier: Apache-2.0

internal import CSecp256k1

// The curve operations for BIP-32; x-only keys and BIP-340 are in `Secp256k1Key`.
extension Secp256k1Key {
    /// Returns the 33 bytes of the public key of a secret, with the sign of Y.
    static func compressedPublicKey(
        of secret: borrowing SecretBytes
    ) throws(CryptoError) -> [UInt8] {
        var point = secp256k1_pubkey()
        let made = unsafe secret.withPointer { secret in
            unsafe secp256k1_ec_pubkey_create(context, &point, secret)
        }
        guard made == 1 else { throw .invalidSecretKey }
        var bytes = [UInt8](repeating: 0, count: publicKeyCount + 1)
        var count = bytes.count
        let status = unsafe secp256k1_ec_pubkey_serialize(
            context, &bytes, &count, &point, UInt32(SECP256K1_EC_COMPRESSED))
        precondition(status == 1, "the public key was not serialised")
        return bytes
    }

    /// Returns the sum of two secrets modulo the order; throws if the second or the sum is out of
    /// range.
    static func sum(
        of secret: borrowing SecretBytes, and tweak: borrowing SecretBytes
    ) throws(CryptoError) -> SecretBytes {
        try CryptoError.check(count: secret.count, is: secretCount)
        try CryptoError.check(count: tweak.count, is: secretCount)
        return try SecretBytes(countMax: secretCount) { output throws(CryptoError) in
            secret.withSpan { secret in
                for index in secret.indices { output[index] = secret[index] }
            }
            let status = unsafe output.withUnsafeMutableBufferPointer { buffer in
                guard let sum = buffer.baseAddress else { return Int32(0) }
                return unsafe tweak.withPointer { tweak in
                    unsafe secp256k1_ec_seckey_tweak_add(context, sum, tweak)
                }
            }
            guard status == 1 else { throw .invalidSecretKey }
            return secretCount
        }
    }
}
