// SPDX-License-Identifier: Apache-2.0

public import SigningCore
internal import SigningFiles
internal import SigningPolicy
internal import SigningStorage

/// One entry of the record of a home.
public struct RecordEntry: Hashable, Sendable {
    /// The number of the entry, counted from 1 without gaps.
    public let number: Int64
    /// The time of writing.
    public let time: Timestamp
    /// The kind, such as `intent`, `result`, `refusal`, `attest`, `export`, `freeze` or `thaw`.
    public let kind: String
    /// The content, a JSON object; it has no payloads.
    public let json: String
    /// The hash that the next entry continues, 32 bytes.
    public let hash: [UInt8]
}

/// A remembered answer on record, with its uses.
public struct GrantStatus: Hashable, Sendable {
    /// The answer, with the requests that it covers.
    public let grant: Grant
    /// The number of operations that it has answered, of those that count against its limit now.
    public let usesCount: Int64
    /// The time of its revocation; nil if it was not revoked.
    public let revoked: Timestamp?

    /// Returns whether it still counts, apart from its login.
    public func isActive(at now: Timestamp) -> Bool {
        revoked == nil && grant.expires.map { now < $0 } ?? true
            && (grant.per != nil || grant.usesMax.map { usesCount < $0 } ?? true)
    }
}

extension OpenHome {
    /// Returns the newest entries of the record, or those before an entry, newest first.
    ///
    /// Archived entries are left out. A signer writes results in batches: after its `finish` all of
    /// them are there.
    public func record(
        last count: Int, before number: Int64 = .max
    ) throws(ServiceError) -> [RecordEntry] {
        guard count > 0 else { return [] }
        do {
            return try AuditLog.open(home).entries(limit: count, before: number).map {
                RecordEntry(
                    number: $0.sequence, time: $0.time, kind: $0.kind, json: $0.body, hash: $0.hash)
            }
        } catch {
            throw ServiceError(error)
        }
    }

    /// Returns every remembered answer on record, oldest first, with its uses.
    public func grants() throws(ServiceError) -> [GrantStatus] {
        do {
            let ledger = try openLedger()
            let now = SystemEnvironment().now()
            return try ledger.allGrants().map { found in
                let grant = found.sealed.grant
                let uses = try ledger.used(grant.claim(uses: 0), at: now)
                return GrantStatus(
                    grant: grant, usesCount: Int64(clamping: uses), revoked: found.revoked)
            }
        } catch {
            throw ServiceError(error)
        }
    }

    /// Revokes remembered answers at once, for every process; it needs no passphrase.
    public func revoke(_ grants: [GrantStatus]) throws(ServiceError) {
        _ = try OwnerActs.grantRevoke.perform(grants.map(\.grant.id), in: self)
    }

    /// Returns each limit of the policy in force, with the amount that is used.
    public func limits() throws(ServiceError) -> [LimitRow] {
        try OwnerActs.limitList.perform((), in: self)
    }
}
