// SPDX-License-Identifier: Apache-2.0

public import NIP155Messages

/// The answer of a signer, checked for its form and against the request.
///
/// No signature is verified. Before it uses an event, a client must recompute its id and verify its
/// BIP-340 signature. All texts come from the signer and must be escaped for display.
public enum NIP155Answer: Hashable, Sendable {
    /// The key of the account in lower-case hex, the package name of the signer, and its grants.
    case publicKey(hex: String, package: String?, granted: [NIP155Permission]?)
    /// 128 lower-case hex digits, with the signed event if the signer had to complete it.
    case signature(String, event: String?)
    /// The signed event in the text of the signer.
    case event(String)
    /// The ciphertext, the plaintext or the JSON of the private zap.
    case text(String)
    /// The signer refused the request.
    case refused(code: NIP155ErrorCode, reason: String)
}
