// SPDX-License-Identifier: Apache-2.0

public import SigningCore

extension SignatureScheme {
    /// Ed25519: a key of 32 bytes, a signature of 64 bytes.
    public static let ed25519 = SignatureScheme(
        "ed25519", publicKeyCount: 32, signatureCount: 64, verifier: Signatures.isValidEd25519)
    /// BIP-340: an x-only key of 32 bytes, a signature of 64 bytes.
    public static let bip340 = SignatureScheme(
        "bip340", publicKeyCount: 32, signatureCount: 64, verifier: Signatures.isValidBIP340)
    /// ECDSA over P-256: a key of 64 bytes, a signature of 64 bytes.
    public static let p256 = SignatureScheme(
        "p256", publicKeyCount: 64, signatureCount: 64, verifier: Signatures.isValidP256)
    /// ECDSA over secp256k1: a key of 64 bytes, a signature of 65 bytes (r, s, recovery id).
    public static let ecdsaSecp256k1 = SignatureScheme(
        "ecdsa_secp256k1", publicKeyCount: 64, signatureCount: 65,
        verifier: Signatures.isValidECDSA)
}
