// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
package import SigningStorage

/// The grants that a list contains.
package struct GrantListing: Sendable {
    /// True if the list also contains grants that no longer count.
    package let includesEnded: Bool
    /// The login of the reader; nil if grants of all logins count.
    package let login: String?
    /// The number of grants to look at, the newest ones.
    package let countMax: Int

    /// Describes a list.
    package init(
        includesEnded: Bool, login: String? = nil, countMax: Int = SQLiteLedger.grantsMax
    ) {
        self.includesEnded = includesEnded
        self.login = login
        self.countMax = countMax
    }
}

extension OwnerActs {
    /// Lists grants with their uses and states, oldest first.
    package static let grantList = OwnerAct<GrantListing, [GrantReport]>(
        ActDescription(
            name: "grant list", summary: "list the remembered answers", arguments: [.all],
            operation: .init(
                id: "grants", method: "GET", path: "/v1/grants", permission: .owner))
    ) { listing, place in
        let ledger = try place.ledger()
        let now = SystemEnvironment().now()
        return try ledger.allGrants().suffix(listing.countMax)
            .map { grant in
                try GrantReport(grant, in: ledger, at: now, login: listing.login)
            }
            .filter { listing.includesEnded || $0.state == "active" }
    }

    /// Revokes grants by their ids, at once and for every process.
    ///
    /// Returns the grants that are on record, as they were before: those that were revoked earlier
    /// stay as they are.
    package static let grantRevoke = OwnerAct<[[UInt8]], [RecordedGrant]>(
        ActDescription(
            name: "grant revoke", summary: "revoke remembered answers", subject: .grant,
            operation: .init(
                id: "revokeGrant", method: "DELETE", path: "/v1/grants/{id}", permission: .owner),
            event: .revoked)
    ) { ids, place in
        let ledger = try place.ledger()
        let wanted = Set(ids)
        let found = try ledger.allGrants().filter { wanted.contains($0.sealed.grant.id) }
        let open = found.filter { $0.revoked == nil }.map(\.sealed.grant.id)
        try ledger.revoke(open, at: SystemEnvironment().now())
        return found
    }
}
