// SPDX-License-Identifier: Apache-2.0

internal import CSecp256k1
internal import SigningCore

extension Secp256k1Key {
    /// Parses a secret of checked length into the library's form for signing.
    static func makeKeypair(secret: borrowing SecretBytes) throws(CryptoError) -> SecretBytes {
        let count = MemoryLayout<secp256k1_keypair>.size
        return try SecretBytes(countMax: count) { (output) throws(CryptoError) in
            let status = unsafe output.withUnsafeMutableBufferPointer { bytes in
                unsafe bytes.withMemoryRebound(to: secp256k1_keypair.self) { keypair in
                    guard let keypair = keypair.baseAddress else { return Int32(0) }
                    return unsafe secret.withPointer { secret in
                        unsafe secp256k1_keypair_create(context, keypair, secret)
                    }
                }
            }
            guard status == 1 else { throw .invalidSecretKey }
            return count
        }
    }

    /// Returns the public half of a key pair.
    static func publicKey(of keypair: borrowing SecretBytes) -> [UInt8] {
        var point = secp256k1_xonly_pubkey()
        var bytes = [UInt8](repeating: 0, count: publicKeyCount)
        let status = unsafe withKeypair(keypair) { keypair in
            unsafe secp256k1_keypair_xonly_pub(context, &point, nil, keypair)
                & secp256k1_xonly_pubkey_serialize(context, &bytes, &point)
        }
        precondition(status == 1, "the key pair has no public key")
        return bytes
    }

    /// Signs a digest of checked length without verifying; nil if the library fails.
    borrowing func makeSignature(of digest: Span<UInt8>, auxiliary: [UInt8]) -> [UInt8]? {
        var signature = [UInt8](repeating: 0, count: Self.scheme.signatureCount)
        let status = unsafe digest.withPointer { digest in
            unsafe Self.withKeypair(keypair) { keypair in
                unsafe secp256k1_schnorrsig_sign32(
                    Self.context, &signature, digest, keypair, auxiliary)
            }
        }
        return status == 1 ? signature : nil
    }

    /// Lends a key pair to the library in its own type.
    private static func withKeypair<R>(
        _ keypair: borrowing SecretBytes, _ body: (UnsafePointer<secp256k1_keypair>) -> R
    ) -> R {
        unsafe keypair.withPointer { bytes in
            unsafe bytes.withMemoryRebound(to: secp256k1_keypair.self, capacity: 1, body)
        }
    }

    /// Returns the secret scalar of the key pair.
    borrowing func secretScalar() -> SecretBytes {
        SecretBytes(count: Self.secretCount) { output in
            let status = unsafe output.withUnsafeMutableBufferPointer { bytes in
                guard let secret = bytes.baseAddress else { return Int32(0) }
                return unsafe Self.withKeypair(keypair) { keypair in
                    unsafe secp256k1_keypair_sec(Self.context, secret, keypair)
                }
            }
            precondition(status == 1, "the key pair has no secret key")
        }
    }

    static var context: OpaquePointer { unsafe Secp256k1Context.shared.pointer }
}
