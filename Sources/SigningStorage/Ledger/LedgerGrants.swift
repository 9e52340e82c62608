// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningFiles

/// A grant on record, with its state.
package struct RecordedGrant: Hashable, Sendable {
    /// The grant and its seal.
    package let sealed: SealedGrant
    /// The time of its revocation; nil if it is not revoked.
    package let revoked: Timestamp?
}

extension SQLiteLedger {
    /// The maximum number of grants that `allGrants` reads.
    package static let grantsMax = 10_000

    /// The grants for any of these scopes that were not revoked, oldest first.
    package func grants(for scopes: [Grant.Scope]) throws(LedgerError) -> [SealedGrant] {
        guard try glance().hasGrants else { return [] }
        return try read { access throws(LedgerError) in try access.grants(for: scopes) }
    }

    /// Every grant on record, also revoked ones, oldest first.
    package func allGrants() throws(LedgerError) -> [RecordedGrant] {
        try read { access throws(LedgerError) in
            try access.all(
                "SELECT body, seal, revoked FROM grants ORDER BY sequence, id LIMIT ?",
                .integer(Int64(Self.grantsMax))
            ) { row throws(LedgerError) in
                RecordedGrant(
                    sealed: try row.sealedGrant(),
                    revoked: try row.optionalInteger(2).map { Timestamp(seconds: $0) })
            }
        }
    }

    /// Revokes grants; ignores those that are not on record or were revoked before.
    package func revoke(_ ids: [[UInt8]], at time: Timestamp) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            var open: [[UInt8]] = []
            for id in ids
            where try access.exists(
                "SELECT 1 FROM grants WHERE id = ? AND revoked IS NULL", .bytes(id))
            {
                open.append(id)
            }
            try access.revoke(open, at: time)
        }
    }
}

extension SQLiteLedger {
    /// Revokes every yes that was created up to a time: for these, the vault no longer knows which
    /// ones were revoked.
    func revoke(givenUntil until: Timestamp, at time: Timestamp) throws(LedgerError) {
        let ids = try database.read { access throws(LedgerError) in
            try access.all("SELECT id, body FROM grants WHERE revoked IS NULL") {
                row throws(LedgerError) in
                (id: try row.bytes(0), grant: GrantRecord.grant(try row.text(1)))
            }
        }.filter { $0.grant.map { $0.answer == .yes && $0.created <= until } ?? false }.map(\.id)
        guard !ids.isEmpty else { return }
        try database.write { access throws(LedgerError) in
            try access.revoke(ids, at: time, because: Self.forgotten)
        }
    }

    private static let forgotten =
        "this answer is too old: the vault keeps only the newest revocations, so older answers are "
        + "no longer valid"
}

extension Access<LedgerError> {
    /// Revokes grants that are in force, with an entry in the record.
    func revoke(
        _ ids: [[UInt8]], at time: Timestamp, because reason: String? = nil
    ) throws(LedgerError) {
        guard !ids.isEmpty else { return }
        _ = try append(.revoke(RevokeEntry(grants: ids, reason: reason)), at: time)
    }

    /// Revokes the older grants that new ones replace.
    func revoke(replacedBy new: [Grant], at time: Timestamp) throws(LedgerError) {
        for grant in new where grant.answer == .yes {
            let older = try grants(for: [grant.scope]).map(\.grant).filter {
                grant.replaces($0) && $0.isActive(at: time, login: $0.login) && !new.contains($0)
            }
            try revoke(older.map(\.id), at: time, because: "grant \(grant.idText) replaces it")
        }
    }

    func grants(for scopes: [Grant.Scope]) throws(LedgerError) -> [SealedGrant] {
        var found: [SealedGrant] = []
        var seen: Set<[UInt8]> = []
        for scope in scopes {
            let hash = GrantRecord.hash(of: scope)
            guard seen.insert(hash).inserted else { continue }
            // The plus sign keeps SQLite from using the index: a damaged index could hide a denial.
            found += try all(
                """
                SELECT body, seal FROM grants WHERE +scope_hash = ? AND revoked IS NULL
                ORDER BY sequence, id
                """,
                .bytes(hash)
            ) { row throws(LedgerError) in try row.sealedGrant() }
        }
        return found
    }

    /// Throws if the intent relies on a grant that is no longer in force, or if a remembered denial
    /// applies to the intent.
    func checkGrants(of intent: Intent, at time: Timestamp) throws(LedgerError) {
        guard try exists("SELECT body FROM grants") else {
            guard intent.grants.isEmpty else { throw .grantChanged }
            return
        }
        let active = try grants(for: intent.scopes).map(\.grant).filter {
            $0.expires.map { time < $0 } ?? true
        }
        let login = intent.login
        guard
            !active.contains(where: { $0.answer == .no && $0.isActive(at: time, login: login) })
        else { throw .grantChanged }
        for grant in intent.grants {
            guard active.contains(grant), grant.isActive(at: time, login: login) else {
                throw .grantChanged
            }
        }
    }
}

extension Row<LedgerError> {
    /// The grant in the first column and its seal in the second.
    fileprivate func sealedGrant() throws(LedgerError) -> SealedGrant {
        guard let grant = GrantRecord.grant(try text(0)) else {
            throw .corrupt("a remembered answer has an unknown form")
        }
        return SealedGrant(grant, seal: try bytes(1))
    }
}
