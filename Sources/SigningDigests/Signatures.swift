// SPDX-License-Identifier: Apache-2.0

/// Whether signatures are valid; nothing here needs a secret.
public enum Signatures {
    /// Whether a BIP-340 signature over a message of any length is the work of the owner of an
    /// x-only public key.
    public static func isValidBIP340(
        signature: Span<UInt8>, message: Span<UInt8>, publicKey: Span<UInt8>
    ) -> Bool {
        XOnlyKey(publicKey)?.isValid(signature: signature, message: message) ?? false
    }
}
