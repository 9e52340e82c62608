// SPDX-License-Identifier: Apache-2.0

/// The reasons that the ledger refused or failed.
public enum LedgerError: Error, Hashable, Sendable {
    /// A limit has no room for the claim with this counter.
    case limitExceeded(counter: String)
    /// The replay token was used before.
    case replayed
    /// The owner stopped all signing.
    case frozen
    /// The policy that judged is no longer the one in force.
    case policyChanged
    /// The policy in force demands several people for this act of the owner, and the demand is not
    /// met.
    case notApproved(String)
    /// An approver of this name said no before the intent was written.
    case personDenied(by: String)
    /// A remembered answer has ended, or a remembered no was added meanwhile.
    case grantChanged
    /// A connection that the request needs has ended meanwhile.
    case connectionEnded
    /// The store could not be read or written; the text contains no payload.
    case unavailable(String)
    /// The store's content is invalid.
    case corrupt(String)
    /// The content of the log that hubs share is invalid; the local store is unchanged.
    case corruptLog(String)
}
