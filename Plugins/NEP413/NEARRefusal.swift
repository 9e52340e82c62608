// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// A "no" with its code and sentence, not yet written in the wire's format.
struct NEARRefusal: Error, Hashable {
    /// The codes a peer may find in `error.code`.
    enum Code: String {
        case invalidRequest = "invalid_request"
        case payloadTooLarge = "payload_too_large"
        case accountNotFound = "account_not_found"
        case accountRequired = "account_required"
        case networkMismatch = "network_mismatch"
        case userRejected = "user_rejected"
        case permissionDenied = "permission_denied"
        case rateLimited = "rate_limited"
        case approvalUnavailable = "approval_unavailable"
        case approvalTimedOut = "approval_timed_out"
        case unavailable
        case internalError = "internal_error"
        case invalidAccountID = "invalid_account_id"
        case unsupportedAction = "unsupported_action"
        case unsupportedKey = "unsupported_key"
        case unsupportedVersion = "unsupported_version"
        case nestedDelegate = "nested_delegate"
        case unsupportedMethod = "unsupported_method"
        case clientRequired = "client_required"
        case notSignedIn = "not_signed_in"
        case networkUnavailable = "network_unavailable"
        case keyNotPermitted = "key_not_permitted"
        case transactionRefused = "transaction_refused"
        case transactionFailed = "transaction_failed"
        case broadcastUnknown = "broadcast_unknown"
        case notBroadcast = "not_broadcast"
    }

    let code: Code
    let text: String

    init(_ code: Code, _ text: String) {
        self.code = code
        self.text = text
    }

    static func invalid(_ text: String) -> NEARRefusal { NEARRefusal(.invalidRequest, text) }

    /// ML-DSA-65 keys are known by name and read nowhere.
    static let postQuantum = NEARRefusal(
        .unsupportedKey, "ML-DSA-65 keys are not supported; use an ed25519 key")

    static func unsupportedAction(_ what: String) -> NEARRefusal {
        NEARRefusal(.unsupportedAction, "the action \(what) is not supported")
    }

    static func tooLarge(_ name: String, bytesMax: Int) -> NEARRefusal {
        NEARRefusal(.payloadTooLarge, "\(name) is longer than \(bytesMax) bytes")
    }

    /// Too long, or too many values in it.
    static func tooLarge(_ name: String, _ error: CodecError) -> NEARRefusal {
        NEARRefusal(.payloadTooLarge, "\(name) is too large: \(error.text)")
    }

    /// The refusal in the wire's format.
    func reply(state: String?) -> Reply {
        let error: JSON = ["code": .string(code.rawValue), "message": .string(text)]
        var members = [JSONObject.Member(name: "error", value: error)]
        if let state { members.append(.init(name: "state", value: .string(state))) }
        return .message(JSON.object(JSONObject(members)).write())
    }

    func adapterError(state: String?) -> AdapterError {
        AdapterError(code: code.rawValue, reason: text, reply: reply(state: state))
    }
}

extension NEARRefusal {
    /// What a peer is told of the hub's reason: what to do, but no rule and no number.
    init(_ reason: ReasonCode) {
        switch reason {
        case .policyDenied:
            self.init(.permissionDenied, "the owner's policy does not allow this")
        case .personDenied:
            self.init(.userRejected, "the owner said no")
        case .approvalUnavailable:
            self.init(
                .approvalUnavailable, "the owner must approve this and cannot be asked now")
        case .approvalTimedOut:
            self.init(.approvalTimedOut, "the owner did not answer in time; send it again")
        case .unknownFact:
            self.init(.permissionDenied, "the owner's policy cannot judge this")
        case .limitExceeded:
            self.init(.rateLimited, "a limit of the owner is used up; try again later")
        case .pendingConflict:
            self.init(.permissionDenied, "another request of this name waits for its answer")
        case .replayed:
            self.init(.permissionDenied, "this was answered before; use a new nonce")
        case .frozen:
            self.init(.unavailable, "the owner has stopped all signing; try again later")
        case .policyChanged:
            self.init(.unavailable, "the owner's policy has just changed; send it again")
        case .policyUnavailable, .ledgerUnavailable:
            self.init(.unavailable, "the hub cannot decide now; try again later")
        case .keyUnavailable:
            self.init(.unavailable, "the key is locked or cannot be read; its owner can see why")
        case .domainRefused, .undecryptable, .invalidPeer, .keyFailed, .undeliverable:
            self.init(.internalError, "the hub made no signature; tell its owner")
        }
    }
}
