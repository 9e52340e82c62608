// SPDX-License-Identifier: Apache-2.0

/// What a signer answered, checked for form and for fitting what was asked.
///
/// No signature is verified: a client recomputes the id of an event and verifies its BIP-340
/// signature before it uses either. All texts are the signer's and need escaping when shown.
public enum NIP155Answer: Hashable, Sendable {
    /// The account's key in lower-case hex, the signer's own name, and what it says it granted.
    case publicKey(hex: String, package: String?, granted: [NIP155Permission]?)
    /// 128 lower-case hex digits, with the signed event where the signer had to complete it.
    case signature(String, event: String?)
    /// The signed event as the signer wrote it.
    case event(String)
    /// The ciphertext, the plaintext or the JSON of the private zap.
    case text(String)
    /// The signer did not do it.
    case refused(code: NIP155ErrorCode, reason: String)
}

/// A code of NIP-155, section 7; one that is not known is kept as it came.
public struct NIP155ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The code on the wire.
    public let rawValue: String

    /// Takes any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    private init(_ code: ErrorCode) { rawValue = code.rawValue }

    /// The person declined, or did not answer in time.
    public static let userCancelled = Self(.userCancelled)
    /// The signer may not or will not do this for this client or account.
    public static let permissionDenied = Self(.permissionDenied)
    /// The request is malformed or incomplete.
    public static let invalidRequest = Self(.invalidRequest)
    /// The signer does not offer the method.
    public static let unsupportedMethod = Self(.unsupportedMethod)
    /// Payload or result are too large.
    public static let payloadTooLarge = Self(.payloadTooLarge)
    /// The signer has no key it could use now.
    public static let notLoggedIn = Self(.notLoggedIn)
    /// Too many requests; try later.
    public static let rateLimited = Self(.rateLimited)
    /// A fault of the signer.
    public static let internalError = Self(.internalError)
}
