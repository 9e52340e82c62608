// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// Why a ceremony is not carried out, written as `{"error": {"code", "message"}}`.
public struct LiquidRefusal: Error, Hashable, Sendable {
    /// What kind of refusal.
    public enum Code: String, Sendable, CaseIterable {
        /// The frame is none of this wire.
        case malformed
        /// The frame is longer than its limit.
        case tooLarge = "too_large"
        /// The server's options cannot be served, or contradict where they come from.
        case options
        /// The challenge could be taken for something else that accounts sign; the server may have
        /// another.
        case challenge
        /// No key of the account is held.
        case unknownAccount = "unknown_account"
        /// The account is held without a key of its own.
        case noKey = "no_key"
        /// Another key than the account's signs for it on its network, and is not held here.
        case rekeyed
        /// No node says which key signs for the account.
        case node
        /// The passkey is not held, or is another account's.
        case unknownPasskey = "unknown_passkey"
        /// The server knows the passkey that is held: it takes that one.
        case isRegistered = "is_registered"
        /// The policy, or a person, says no.
        case denied
        /// Nobody can be asked, or nobody answered in time.
        case unanswered
        /// The challenge was answered before.
        case replayed
        /// Not now: a limit, a locked vault.
        case unavailable
        /// The hub could not carry it out.
        case failed
    }

    /// What kind of refusal.
    public let code: Code
    /// What is wrong, and what to do about it.
    public let message: String

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The hub's reasons in the wire's words; texts of rules stay in the local log.
    init(_ reason: Reason) {
        self =
            switch reason.code {
            case .policyDenied: Self(.denied, "the policy does not allow it")
            case .personDenied: Self(.denied, "declined")
            case .unknownFact, .domainRefused: Self(.denied, "these bytes are not signed here")
            case .frozen: Self(.denied, "signing is stopped")
            case .replayed: Self(.replayed, "the server's challenge was answered before")
            case .approvalUnavailable:
                Self(.unanswered, "a person must approve this and none can be asked")
            case .approvalTimedOut, .withdrawn: Self(.unanswered, "nobody approved it in time")
            case .tooManyQuestions: Self(.unavailable, "too much waits; try again later")
            case .limitExceeded: Self(.unavailable, "a limit is used up; try again later")
            case .policyChanged, .pendingConflict:
                Self(.unavailable, "what is in force changed meanwhile; ask again")
            case .keyUnavailable: Self(.unavailable, "the vault is locked or cannot be read")
            case .policyUnavailable, .ledgerUnavailable, .keyFailed, .lookupFailed, .undecryptable,
                .invalidPeer,
                .undeliverable:
                Self(.failed, "the signer could not carry this out")
            }
    }

    /// Reads a reply; nil where it is no refusal.
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

    /// The same with what its owner alone is told.
    func adapterError(detail: [String]) -> AdapterError {
        AdapterError(
            code: code.rawValue, reason: ([message] + detail).joined(separator: ": "), hint: hint,
            reply: reply)
    }

    /// The same for a frame that was read; one whose client may not name the account is judged.
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
        case .rekeyed: "log in where the key that signs for the account is held, or with another"
        case .node: "is the Algorand node that was named there, and on the right network?"
        default: nil
        }
    }
}
