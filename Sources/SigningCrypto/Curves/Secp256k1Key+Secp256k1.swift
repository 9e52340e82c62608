// SPDX-License-Identifier: Apache-2.0

internal import CSecp256k1

extension Secp256k1Key {
    /// Parses a secret of checked length into the form the library signs with.
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

    /// The public half of a key pair.
    static func point(of keypair: borrowing SecretBytes) -> secp256k1_xonly_pubkey {
        var point = secp256k1_xonly_pubkey()
        let status = unsafe withKeypair(keypair) { keypair in
            unsafe secp256k1_keypair_xonly_pub(context, &point, nil, keypair)
        }
        precondition(status == 1, "A key pair has a public half.")
        return point
    }

    /// The 32 bytes of a parsed public key.
    static func bytes(of point: secp256k1_xonly_pubkey) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: publicKeyCount)
        let status = unsafe withUnsafePointer(to: point) { point in
            unsafe secp256k1_xonly_pubkey_serialize(context, &bytes, point)
        }
        precondition(status == 1, "A parsed public key can be serialised.")
        return bytes
    }

    /// Parses an x-only public key; nil if there is no such point.
    static func parse(xOnly bytes: Span<UInt8>) -> secp256k1_xonly_pubkey? {
        guard bytes.count == publicKeyCount else { return nil }
        var point = secp256k1_xonly_pubkey()
        let status = unsafe bytes.withPointer { bytes in
            unsafe secp256k1_xonly_pubkey_parse(context, &point, bytes)
        }
        return status == 1 ? point : nil
    }

    /// Signs a digest of checked length without verifying; nil if the library gives up.
    borrowing func makeSignature(of digest: Span<UInt8>, auxiliary: [UInt8]) -> [UInt8]? {
        var signature = [UInt8](repeating: 0, count: Self.signatureCount)
        let status = unsafe digest.withPointer { digest in
            unsafe Self.withKeypair(keypair) { keypair in
                unsafe secp256k1_schnorrsig_sign32(
                    Self.context, &signature, digest, keypair, auxiliary)
            }
        }
        return status == 1 ? signature : nil
    }

    /// Whether a BIP-340 signature over a message of any length is valid.
    static func isValid(
        signature: Span<UInt8>, message: Span<UInt8>, point: secp256k1_xonly_pubkey
    ) -> Bool {
        guard signature.count == signatureCount else { return false }
        let status = unsafe signature.withPointer { signature in
            unsafe message.withPointer { bytes in
                unsafe withUnsafePointer(to: point) { point in
                    unsafe secp256k1_schnorrsig_verify(
                        context, signature, bytes, message.count, point)
                }
            }
        }
        return status == 1
    }

    /// Lends a key pair to the library in its own type.
    private static func withKeypair<R>(
        _ keypair: borrowing SecretBytes, _ body: (UnsafePointer<secp256k1_keypair>) -> R
    ) -> R {
        unsafe keypair.withPointer { bytes in
            unsafe bytes.withMemoryRebound(to: secp256k1_keypair.self, capacity: 1, body)
        }
    }

    /// The secret scalar of the key pair.
    borrowing func secretScalar() -> SecretBytes {
        SecretBytes(count: Self.secretCount) { output in
            let status = unsafe output.withUnsafeMutableBufferPointer { bytes in
                guard let secret = bytes.baseAddress else { return Int32(0) }
                return unsafe Self.withKeypair(keypair) { keypair in
                    unsafe secp256k1_keypair_sec(Self.context, secret, keypair)
                }
            }
            precondition(status == 1, "A key pair has a secret half.")
        }
    }

    static var context: OpaquePointer { unsafe Secp256k1Context.shared.pointer }
}
