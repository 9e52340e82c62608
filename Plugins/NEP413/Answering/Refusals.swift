// SPDX-License-Identifier: Apache-2.0

import NEAR
import SigningCodecs
import SigningCore

extension NEARRefusal.Code {
    static let userRejected = Self(rawValue: "user_rejected")
    static let permissionDenied = Self(rawValue: "permission_denied")
    static let rateLimited = Self(rawValue: "rate_limited")
    static let approvalUnavailable = Self(rawValue: "approval_unavailable")
    static let approvalTimedOut = Self(rawValue: "approval_timed_out")
    static let withdrawn = Self(rawValue: "withdrawn")
    static let internalError = Self(rawValue: "internal_error")
    static let unsupportedMethod = Self(rawValue: "unsupported_method")
    static let transactionRefused = Self(rawValue: "transaction_refused")
    static let transactionFailed = Self(rawValue: "transaction_failed")
    static let broadcastUnknown = Self(rawValue: "broadcast_unknown")
    static let notBroadcast = Self(rawValue: "not_broadcast")
}

extension NEARRefusal {
    /// Returns the refusal for data that is too long or has too many values.
    static func tooLarge(_ name: String, _ error: CodecError) -> NEARRefusal {
        NEARRefusal(.payloadTooLarge, "\(name) is too large: \(error.text)")
    }

    /// Returns the refusal in the format of the wire.
    func reply(state: String?) -> Reply {
        let error: JSON = ["code": .string(code.rawValue), "message": .string(text)]
        var members = [JSONObject.Member(name: "error", value: error)]
        if let state { members.append(.init(name: "state", value: .string(state))) }
        return .message(JSON.object(JSONObject(members)).write())
    }

    func adapterError(state: String?) -> AdapterError {
        AdapterError(code: code.rawValue, reason: text, reply: reply(state: state))
    }

    /// Returns the refusal of a frame that was read.
    func adapterError(to frame: NEP413Frame) -> AdapterError {
        AdapterError(
            code: code.rawValue, reason: text, reply: reply(state: frame.state),
            unconnected: isUnconnected ? UnconnectedRequest(method: frame.call.method) : nil)
    }

    /// Converts the reason of the hub: it says what to do, but names no rule and no amount.
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
        case .withdrawn:
            self.init(.withdrawn, "it was withdrawn before the owner answered")
        case .unknownFact:
            self.init(.permissionDenied, "the owner's policy cannot judge this")
        case .limitExceeded:
            self.init(.rateLimited, "a limit of the owner is used up; try again later")
        case .tooManyQuestions:
            self.init(.rateLimited, "too many requests wait for the owner; try again later")
        case .pendingConflict:
            self.init(.permissionDenied, "another request with this id waits for its answer")
        case .replayed:
            self.init(.permissionDenied, "this was answered before; use a new nonce")
        case .frozen:
            self.init(.unavailable, "the owner has stopped all signing; try again later")
        case .policyChanged:
            self.init(.unavailable, "the owner's policy has just changed; send it again")
        case .policyUnavailable, .ledgerUnavailable:
            self.init(.unavailable, "the hub cannot decide now; try again later")
        case .lookupFailed:
            self.init(
                .networkUnavailable, "the chain could not be asked again")
        case .keyUnavailable:
            self.init(
                .unavailable, "the key is locked or cannot be read; the owner's record says why")
        case .domainRefused, .undecryptable, .invalidPeer, .keyFailed, .undeliverable:
            self.init(.internalError, "the hub made no signature; the owner's record says why")
        }
    }
}
