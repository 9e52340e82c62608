// SPDX-License-Identifier: Apache-2.0

package import Nostr

/// A code of NIP-155, section 7; an unknown code is kept.
public struct NIP155ErrorCode: RawRepresentable, Hashable, Sendable {
    /// The code on the wire.
    public let rawValue: String

    /// Creates a code from any text.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The person declined, or did not answer in time.
    public static let userCancelled = Self(rawValue: "user_cancelled")
    /// The signer denies this for the client or the account.
    public static let permissionDenied = Self(rawValue: "permission_denied")
    /// The request is malformed or incomplete.
    public static let invalidRequest = Self(rawValue: "invalid_request")
    /// The signer does not support the method.
    public static let unsupportedMethod = Self(rawValue: "unsupported_method")
    /// The payload or the result is too large.
    public static let payloadTooLarge = Self(rawValue: "payload_too_large")
    /// The signer has no key that it can use now.
    public static let notLoggedIn = Self(rawValue: "not_logged_in")
    /// There were too many requests; try again later.
    public static let rateLimited = Self(rawValue: "rate_limited")
    /// The signer failed.
    public static let internalError = Self(rawValue: "internal_error")

    /// The codes of the draft.
    public static let known = [
        userCancelled, permissionDenied, invalidRequest, unsupportedMethod, payloadTooLarge,
        notLoggedIn, rateLimited, internalError,
    ]
}

/// The reason for an error instead of a result, in the terms of the wire.
public struct NIP155Refusal: Error, Hashable, Sendable {
    /// The code on the wire.
    public let code: NIP155ErrorCode
    /// The problem and its solution, without payload.
    public let reason: String
    /// True if the client names an account that it is not connected to.
    package private(set) var isUnconnected = false

    package init(_ code: NIP155ErrorCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Converts the refusal of the chain.
    package init(_ refusal: NostrRefusal) {
        let code: NIP155ErrorCode =
            switch refusal {
            case .invalid, .undecryptable: .invalidRequest
            case .tooLarge: .payloadTooLarge
            case .noAccount: .notLoggedIn
            case .notHeld, .notConnected: .permissionDenied
            case .unsupported: .unsupportedMethod
            }
        self.init(code, refusal.reason)
        isUnconnected = refusal == .notConnected
    }

    /// Runs code of the chain and converts its refusal.
    package static func converting<Value>(
        _ read: @autoclosure () throws(NostrRefusal) -> Value
    ) throws(NIP155Refusal) -> Value {
        do throws(NostrRefusal) { return try read() } catch { throw NIP155Refusal(error) }
    }

    package static func invalid(_ reason: String) -> Self { Self(.invalidRequest, reason) }

    package static func tooLarge(_ what: String, bytesMax: Int) -> Self {
        Self(.payloadTooLarge, "\(what) is larger than \(bytesMax) bytes")
    }
}
