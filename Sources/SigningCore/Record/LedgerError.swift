// SPDX-License-Identifier: Apache-2.0

/// Why nothing could be put on record.
public enum LedgerError: Error, Hashable, Sendable {
    /// A limit has no room for the claim with this counter.
    case limitExceeded(counter: String)
    /// The replay token was used before.
    case replayed
    /// The owner stopped all signing.
    case frozen
    /// The policy that judged is no longer the one in force.
    case policyChanged
    /// The policy in force wants several people to say yes to what its owner does; why it is not
    /// met.
    case notApproved(String)
    /// An approver of this name said no before the intent was written.
    case personDenied(by: String)
    /// What a person said before has ended, or a remembered no has come up meanwhile.
    case grantChanged
    /// A connection that the request stands on has ended meanwhile.
    case connectionEnded
    /// The store could not be read or written; the text names no payload.
    case unavailable(String)
    /// The store does not hold what it should.
    case corrupt(String)
    /// The log that hubs share does not hold what it should; the store here is as it was.
    case corruptLog(String)
}
