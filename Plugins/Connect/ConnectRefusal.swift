// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The reason that a connection is refused, written as a problem document (RFC 9457).
public struct ConnectRefusal: Error, Hashable, Sendable {
    let code: String
    let status: Int64
    /// The problem and its solution, without payload.
    let detail: String

    private init(_ code: String, _ status: Int64, _ detail: String) {
        self.code = code
        self.status = status
        self.detail = detail
    }

    static func invalid(_ detail: String) -> Self { Self("invalid_request", 400, detail) }

    /// Returns the refusal for a scope that no request of the protocol can match.
    public static func unknownScope(_ detail: String) -> Self {
        Self("unknown_scope", 422, detail)
    }

    static let unknownKey = Self(
        "unknown_key", 422, "no key of this protocol has this name; see GET /v1/keys")

    static let unproved = Self(
        "not_proved", 403,
        "a connection needs an access token: countersign agent token new --name NAME")

    static func tooLarge(_ bytesMax: Int) -> Self {
        Self("too_large", 413, "a call has at most \(bytesMax) bytes")
    }

    /// Converts the reason of the hub; texts of rules and of the vault stay in the local log.
    init(_ reason: Reason) {
        self =
            switch reason.code {
            case .policyDenied, .frozen, .approvalUnavailable:
                Self("permission_denied", 403, "permission denied")
            case .personDenied: Self("user_rejected", 403, "declined")
            case .approvalTimedOut: Self("timed_out", 403, "no answer came in time; ask again")
            case .withdrawn: Self("withdrawn", 403, "withdrawn before it was decided")
            case .limitExceeded:
                Self("rate_limited", 429, "a limit is used up; try again later")
            case .tooManyQuestions:
                Self("rate_limited", 429, "too many requests wait for the owner; try again later")
            case .keyUnavailable:
                Self("locked", 503, "the signer is locked; unlock it and ask again")
            case .policyChanged:
                Self("policy_changed", 409, "the policy or your permissions changed; ask again")
            case .unknownFact, .replayed, .pendingConflict, .policyUnavailable,
                .ledgerUnavailable, .keyFailed, .lookupFailed, .undecryptable, .domainRefused,
                .invalidPeer,
                .undeliverable:
                Self("internal_error", 503, "the signer could not carry this out")
            }
    }

    var reply: Reply {
        let problem: JSON = [
            "type": "about:blank", "title": .string(title), "status": .integer(status),
            "detail": .string(detail), "code": .string(code),
        ]
        return .message(problem.write())
    }

    var adapterError: AdapterError { AdapterError(code: code, reason: detail, reply: reply) }

    /// The status text of RFC 9110.
    private var title: String {
        switch status {
        case 400: "Bad Request"
        case 403: "Forbidden"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        default: "Service Unavailable"
        }
    }
}
