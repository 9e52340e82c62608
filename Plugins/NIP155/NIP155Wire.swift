// SPDX-License-Identifier: Apache-2.0

import Nostr

/// The error codes of NIP-155, section 7.
enum ErrorCode: String, Hashable, CaseIterable {
    case userCancelled = "user_cancelled"
    case permissionDenied = "permission_denied"
    case invalidRequest = "invalid_request"
    case unsupportedMethod = "unsupported_method"
    case payloadTooLarge = "payload_too_large"
    case notLoggedIn = "not_logged_in"
    case rateLimited = "rate_limited"
    case internalError = "internal_error"
}

/// The reason for an error instead of a result, in the terms of the wire.
struct NIP155Refusal: Error, Hashable {
    let code: ErrorCode
    /// The problem and its solution, without payload.
    let reason: String
    /// True if the client names an account that it is not connected to.
    private(set) var isUnconnected = false

    init(_ code: ErrorCode, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// Converts the refusal of the chain.
    init(_ refusal: NostrRefusal) {
        let code: ErrorCode =
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
    static func converting<Value>(
        _ read: @autoclosure () throws(NostrRefusal) -> Value
    ) throws(NIP155Refusal) -> Value {
        do throws(NostrRefusal) { return try read() } catch { throw NIP155Refusal(error) }
    }

    static func invalid(_ reason: String) -> Self { Self(.invalidRequest, reason) }

    static func tooLarge(_ what: String, bytesMax: Int) -> Self {
        Self(.payloadTooLarge, "\(what) is larger than \(bytesMax) bytes")
    }

    /// One text for a denied account and for one that is not held, so they cannot be distinguished.
    static let permissionDenied = Self(.permissionDenied, "permission denied")

    /// Details of an internal error stay in the local log.
    static let failed = Self(.internalError, "the signer could not carry this out")

    /// One text for every problem with a ciphertext.
    static let undecryptable = NIP155Refusal(NostrRefusal.undecryptable)
}
