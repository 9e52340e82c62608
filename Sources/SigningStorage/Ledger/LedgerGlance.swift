// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import Synchronization

/// The values that every request needs from a ledger, read together.
struct LedgerGlance: Sendable {
    /// The number of the newest entry.
    let entries: Int64
    /// The time floor: no later entry is dated before it.
    let floor: Timestamp
    /// True if the ledger ever contained a grant.
    let hasGrants: Bool
    /// The name of this hub among those that share the ledger; nil if it is not shared.
    let hubName: String?

    init(in access: borrowing Access<LedgerError>) throws(LedgerError) {
        entries = try access.auditHead().sequence
        floor = try access.timeFloor()
        hasGrants = try access.exists("SELECT 1 FROM grants")
        hubName = try access.local(.hub).flatMap { HubKey($0) }
            .flatMap { (key) throws(LedgerError) in try access.hub(key.number)?.name }
    }
}

/// Caches the latest glance, which is valid while the file is unchanged.
final class Glancing: Sendable {
    private let reader: SpareReader<LedgerError>
    private let latest = Mutex<(stamp: FileStamp, glance: LedgerGlance)?>(nil)

    init(by reader: SpareReader<LedgerError>) {
        self.reader = reader
    }

    /// The values of the current file.
    func look() throws(LedgerError) -> LedgerGlance {
        // The stamp is read first: if the values are newer, the next call reads them again.
        let stamp = try reader.stamp()
        if let stamp, let known = latest.withLock({ $0 }), known.stamp == stamp {
            return known.glance
        }
        let glance = try reader.read { access throws(LedgerError) in
            try LedgerGlance(in: access)
        }
        if let stamp { latest.withLock { $0 = (stamp, glance) } }
        return glance
    }
}
