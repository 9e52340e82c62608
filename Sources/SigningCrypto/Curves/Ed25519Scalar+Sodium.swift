// SPDX-License-Identifier: Apache-2.0

internal import CSodium

/// Arithmetic with the secret scalars of Ed25519 keys, 32 bytes each, little-endian.
enum Ed25519Scalar {
    static let count = 32

    /// Returns the base point times a scalar below 2^255; nil if the scalar is 0.
    static func point(_ scalar: borrowing SecretBytes) -> [UInt8]? {
        precondition(scalar.count >= count)
        var point = [UInt8](repeating: 0, count: Ed25519Key.publicKeyCount)
        let status = unsafe scalar.withPointer { scalar in
            unsafe crypto_scalarmult_ed25519_base_noclamp(&point, scalar)
        }
        return status == 0 ? point : nil
    }

    /// Reduces a hash of 64 bytes modulo the order of the curve.
    static func reduced(_ hash: borrowing SecretBytes) -> SecretBytes {
        precondition(hash.count == Int(crypto_core_ed25519_NONREDUCEDSCALARBYTES))
        return SecretBytes(count: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                unsafe hash.withPointer { unsafe crypto_core_ed25519_scalar_reduce(base, $0) }
            }
        }
    }

    /// Returns `factor` times the first 32 bytes of `secret`, plus `summand`.
    static func product(
        _ factor: borrowing SecretBytes, _ secret: borrowing SecretBytes,
        plus summand: borrowing SecretBytes
    ) -> SecretBytes {
        precondition(factor.count == count && secret.count >= count && summand.count == count)
        return SecretBytes(count: count) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer in
                guard let base = buffer.baseAddress else { return }
                unsafe factor.withPointer { factor in
                    unsafe secret.withPointer { secret in
                        unsafe crypto_core_ed25519_scalar_mul(base, factor, secret)
                    }
                }
                unsafe summand.withPointer { summand in
                    unsafe crypto_core_ed25519_scalar_add(base, base, summand)
                }
            }
        }
    }
}
