// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The reason that a ceremony is refused, written as `{"error": {"code", "message"}}`.
public struct LiquidRefusal: Error, Hashable, Sendable {
    /// The kind of refusal.
    public enum Code: String, Sendable, CaseIterable {
        /// The frame is not valid for this wire.
        case malformed
        /// The frame is longer than its limit.
        case tooLarge = "too_large"
        /// The server's options are not supported, or contradict its origin.
        case options
        /// The challenge could be mistaken for other signed data; the server may offer another one.
        case challenge
        /// The home holds no key of the account.
        case unknownAccount = "unknown_account"
        /// The account is held without a key.
        case noKey = "no_key"
        /// On its network another key signs for the account, which is not held here.
        case rekeyed
        /// The nodes do not say which key signs for the account.
        case node
        /// The passkey is not held, or belongs to another account.
        case unknownPasskey = "unknown_passkey"
        /// The server already knows the held passkey and accepts it.
        case isRegistered = "is_registered"
        /// The policy or a person denied the request.
        case denied
        /// There is no approver, or no answer in time.
        case unanswered
        /// The challenge was answered before.
        case replayed
        /// A temporary reason: a limit, or a locked vault.
        case unavailable
        /// The hub failed.
        case failed
    }

    /// The kind of refusal.
    public let code: Code
    /// The problem and its solution.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Converts the reason of the hub; texts of rules stay in the local log.
    init(_ reason: Reason) {
        self =
            switch reason.code {
            case .policyDenied: Self(.denied, "the policy does not allow it")
            case .personDenied: Self(.denied, "declined")
            case .unknownFact, .domainRefused: Self(.denied, "the key does not sign these bytes")
            case .frozen: Self(.denied, "signing is stopped")
            case .replayed: Self(.replayed, "the server's challenge was answered before")
            case .approvalUnavailable:
                Self(.unanswered, "a person must approve this, and no person can be asked")
            case .approvalTimedOut, .withdrawn: Self(.unanswered, "not approved in time")
            case .tooManyQuestions: Self(.unavailable, "too many requests wait; try again later")
            case .limitExceeded: Self(.unavailable, "a limit is used up; try again later")
            case .policyChanged, .pendingConflict:
                Self(.unavailable, "the policy or the account changed meanwhile; ask again")
            case .keyUnavailable: Self(.unavailable, "the vault is locked or cannot be read")
            case .policyUnavailable, .ledgerUnavailable, .keyFailed, .lookupFailed, .undecryptable,
                .invalidPeer,
                .undeliverable:
                Self(.failed, "the signer could not carry this out")
            }
    }

    /// Reads a reply; nil if it is not a refusal.
    public init?(reply: Span<UInt8>) {
        guard let json = try? JSON.parse(reply, limits: JSONLimits(depthMax: 3, valuesMax: 8)),
            let error = json["error"], let code = error["code"]?.text.flatMap(Code.init),
            let message = error["message"]?.text
        else { return nil }
        self.init(code, message)
    }

    var reply: Reply {
        let answer: JSON = [
            "error": ["code": .string(code.rawValue), "message": .string(message)]
        ]
        return .message(answer.write())
    }

    var adapterError: AdapterError { adapterError(detail: []) }

    /// Returns the error with details that only the owner sees.
    func adapterError(detail: [String]) -> AdapterError {
        AdapterError(
            code: code.rawValue, reason: ([message] + detail).joined(separator: ": "), hint: hint,
            reply: reply)
    }

    /// Returns the error for a frame that was read.
    ///
    /// If the client may not name the account, the policy judges the request first.
    func adapterError(
        to wire: LiquidCeremonyWire, in context: DecodingContext, detail: [String] = []
    ) -> AdapterError {
        guard code == .unknownAccount, context.peer.channel != LiquidCeremonyWire.channel,
            context.nameable(context.client) != nil
        else { return adapterError(detail: detail) }
        return AdapterError(
            code: code.rawValue, reason: message, reply: reply,
            unconnected: UnconnectedRequest(method: wire.method))
    }

    private var hint: String? {
        switch code {
        case .rekeyed: "log in from the home that has the key, or with another account"
        case .node: "check that the Algorand node runs and is on the right network"
        default: nil
        }
    }
}
