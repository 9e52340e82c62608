// SPDX-License-Identifier: Apache-2.0

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

/// A code of NIP-155, section 7; an unknown code is kept.
public struct NIP155ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The code on the wire.
    public let rawValue: String

    /// Creates a code from any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ code: ErrorCode) { rawValue = code.rawValue }

    /// The person declined, or did not answer in time.
    public static let userCancelled = Self(.userCancelled)
    /// The signer denies this for the client or the account.
    public static let permissionDenied = Self(.permissionDenied)
    /// The request is malformed or incomplete.
    public static let invalidRequest = Self(.invalidRequest)
    /// The signer does not support the method.
    public static let unsupportedMethod = Self(.unsupportedMethod)
    /// The payload or the result is too large.
    public static let payloadTooLarge = Self(.payloadTooLarge)
    /// The signer has no key that it can use now.
    public static let notLoggedIn = Self(.notLoggedIn)
    /// There were too many requests; try again later.
    public static let rateLimited = Self(.rateLimited)
    /// The signer failed.
    public static let internalError = Self(.internalError)
}
