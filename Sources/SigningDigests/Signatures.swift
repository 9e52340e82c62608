// SPDX-License-Identifier: Apache-2.0

/// Checks of signatures, which need no secret.
public enum Signatures {
    /// Returns whether a BIP-340 signature over a message of any length is valid for an x-only
    /// public key.
    public static func isValidBIP340(
        signature: Span<UInt8>, message: Span<UInt8>, publicKey: Span<UInt8>
    ) -> Bool {
        XOnlyKey(publicKey)?.isValid(signature: signature, message: message) ?? false
    }
}
