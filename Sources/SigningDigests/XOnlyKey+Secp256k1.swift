// SPDX-License-Identifier: Apache-2.0

internal import CSecp256k1

/// An x-only public key of BIP-340, parsed for verification.
public struct XOnlyKey: Sendable {
    private let point: secp256k1_xonly_pubkey

    /// Parses a key; nil if the 32 bytes are not the X coordinate of a point of the curve.
    public init?(_ bytes: Span<UInt8>) {
        guard bytes.count == Self.count else { return nil }
        var point = secp256k1_xonly_pubkey()
        let status = unsafe bytes.withPointer { bytes in
            unsafe secp256k1_xonly_pubkey_parse(secp256k1_context_for_verifying(), &point, bytes)
        }
        guard status == 1 else { return nil }
        self.point = point
    }

    /// Returns whether a BIP-340 signature over a message of any length is valid.
    public func isValid(signature: Span<UInt8>, message: Span<UInt8>) -> Bool {
        guard signature.count == Self.signatureCount else { return false }
        let status = unsafe signature.withPointer { signature in
            unsafe message.withPointer { bytes in
                unsafe withUnsafePointer(to: point) { point in
                    unsafe secp256k1_schnorrsig_verify(
                        secp256k1_context_for_verifying(), signature, bytes, message.count, point)
                }
            }
        }
        return status == 1
    }

    private static let count = 32
    private static let signatureCount = 64
}
