// SPDX-License-Identifier: Apache-2.0

/// The reasons that a request was denied or failed; each adapter translates them to errors of its
/// wire.
public enum ReasonCode: String, Hashable, Sendable, CaseIterable {
    /// A rule or the default denied the request.
    case policyDenied = "policy_denied"
    /// A person denied the request.
    case personDenied = "person_denied"
    /// A person must decide, but no person can be asked.
    case approvalUnavailable = "approval_unavailable"
    /// A person was asked and did not answer in time.
    case approvalTimedOut = "approval_timed_out"
    /// The client left or lost its access before a person answered.
    case withdrawn
    /// The request holds a critical fact that the policy does not know.
    case unknownFact = "unknown_fact"
    /// A limit is used up.
    case limitExceeded = "limit_exceeded"
    /// A person must decide, and too many questions already wait.
    case tooManyQuestions = "too_many_questions"
    /// A different request to which the client gave the same name waits for an answer.
    case pendingConflict = "pending_conflict"
    /// A request that may be answered once was already answered.
    case replayed
    /// The owner stopped the hub.
    case frozen
    /// The policy changed between judging and reserving.
    case policyChanged = "policy_changed"
    /// The policy could not judge.
    case policyUnavailable = "policy_unavailable"
    /// The ledger could not be read or written.
    case ledgerUnavailable = "ledger_unavailable"
    /// A value that ages could not be filled in before signing.
    case lookupFailed = "lookup_failed"
    /// The key is locked or could not be read.
    case keyUnavailable = "key_unavailable"
    /// The key store refused the bytes.
    case domainRefused = "domain_refused"
    /// A payload could not be decrypted.
    case undecryptable
    /// The other side's public key in the request is not a valid key.
    case invalidPeer = "invalid_peer"
    /// A key operation failed.
    case keyFailed = "key_failed"
    /// The result does not fit into a message of the wire; it is not released.
    case undeliverable
}

/// The reason of a decision: a code, a sentence for people and the id of the deciding rule.
public struct Reason: Hashable, Sendable {
    /// The code.
    public let code: ReasonCode
    /// A sentence without secrets and without payload.
    public let text: String
    /// The id of the rule that decided; nil if no single rule did.
    public let rule: String?

    /// Makes a reason.
    public init(_ code: ReasonCode, _ text: String, rule: String? = nil) {
        self.code = code
        self.text = text
        self.rule = rule
    }
}

/// The outcome of a request; a denial is a value, not an error.
public enum Outcome: Hashable, Sendable {
    /// Every operation succeeded; the results are in the order of the operations.
    case done([KeyResult])
    /// A rule, a person or a check denied the request; no key was used.
    case denied(Reason)
    /// The hub could not decide about the request or carry it out; no result is released.
    case failed(Reason)
}
