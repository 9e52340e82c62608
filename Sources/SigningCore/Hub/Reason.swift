// SPDX-License-Identifier: Apache-2.0

/// Why a request was denied or failed, in a closed list that every adapter maps to its wire.
public enum ReasonCode: String, Hashable, Sendable, CaseIterable {
    /// A rule, or the default, says no.
    case policyDenied = "policy_denied"
    /// A person said no.
    case personDenied = "person_denied"
    /// A person is needed and none can be asked.
    case approvalUnavailable = "approval_unavailable"
    /// A person was asked and did not answer in time.
    case approvalTimedOut = "approval_timed_out"
    /// Whoever asked has left, or was sent away, before a person answered.
    case withdrawn
    /// The request holds a critical fact that the policy does not know.
    case unknownFact = "unknown_fact"
    /// A limit is used up.
    case limitExceeded = "limit_exceeded"
    /// A person is needed, and as many questions wait already as may.
    case tooManyQuestions = "too_many_questions"
    /// Another request that the client calls by the same name waits for its answer.
    case pendingConflict = "pending_conflict"
    /// A request that may be answered once was already answered.
    case replayed
    /// The hub was stopped by its owner.
    case frozen
    /// The policy changed between judging and reserving.
    case policyChanged = "policy_changed"
    /// The policy could not judge.
    case policyUnavailable = "policy_unavailable"
    /// The ledger could not be read or written.
    case ledgerUnavailable = "ledger_unavailable"
    /// What ages in the request could not be filled in before it was to be signed.
    case lookupFailed = "lookup_failed"
    /// The key is locked or could not be read.
    case keyUnavailable = "key_unavailable"
    /// The key store refused the bytes.
    case domainRefused = "domain_refused"
    /// A payload could not be decrypted.
    case undecryptable
    /// The other side's public key, which the request names, is not a key.
    case invalidPeer = "invalid_peer"
    /// A key operation failed.
    case keyFailed = "key_failed"
    /// The result exists and the wire cannot carry it; it is not released.
    case undeliverable
}

/// A code, a sentence for people and, where a rule decided, its name.
public struct Reason: Hashable, Sendable {
    /// What kind of reason.
    public let code: ReasonCode
    /// A sentence without secrets and without payload.
    public let text: String
    /// The deciding rule's id.
    public let rule: String?

    /// Makes a reason.
    public init(_ code: ReasonCode, _ text: String, rule: String? = nil) {
        self.code = code
        self.text = text
        self.rule = rule
    }
}

/// What became of a request; a denial is a value, not an error.
public enum Outcome: Hashable, Sendable {
    /// Every operation succeeded; results stand in the order of the operations.
    case done([KeyResult])
    /// Somebody or something said no; no key was used.
    case denied(Reason)
    /// The hub could not decide or could not do it; nothing is released.
    case failed(Reason)
}
