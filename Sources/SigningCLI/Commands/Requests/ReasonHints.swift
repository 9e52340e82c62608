// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore

extension Reason {
    /// The remedy for the owner; a limit without a rule is a rate limit, which passes.
    var hint: String {
        if isAboutMissingKey {
            return "countersign key import; if the account was rekeyed: countersign key watch"
        }
        return code == .limitExceeded && rule == nil
            ? "wait, then try again; for the limits of remembered answers: countersign grant list"
            : code.hint
    }

    /// True if this home does not hold the key, rather than holding it locked or damaged.
    var isAboutMissingKey: Bool {
        code == .keyUnavailable && text.hasSuffix(AlgorandRefusal.notHeld)
    }
}

extension ReasonCode {
    /// The remedy for the owner.
    var hint: String {
        switch self {
        case .policyDenied, .unknownFact, .domainRefused:
            "see \"countersign policy explain SOURCE\""
        case .personDenied: "ask again if it was a mistake"
        case .approvalUnavailable: "run it on a terminal, or write a rule that allows it"
        case .approvalTimedOut, .withdrawn: "send it again when a person is there to answer"
        case .limitExceeded: "see what is left and when more is free: countersign policy limits"
        case .tooManyQuestions: "answer the questions that wait: countersign inbox"
        case .replayed: "send a new request"
        case .pendingConflict: "wait for the other request, or give this request another id"
        case .frozen: "allow signing again with \"countersign thaw\""
        case .policyChanged: "send the request again"
        case .policyUnavailable, .ledgerUnavailable, .keyUnavailable:
            "see \"countersign doctor\""
        case .undecryptable, .invalidPeer: "check the peer's key and the payload"
        case .undeliverable: "the result was not released; ask for less at a time"
        case .keyFailed: "see \"countersign doctor\"; nothing was released"
        case .lookupFailed: "nothing was signed; check the node, then send the request again"
        }
    }
}
