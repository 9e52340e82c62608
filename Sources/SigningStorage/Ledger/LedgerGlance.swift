// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import Synchronization

/// The values that every request needs from a ledger, read in one transaction.
struct LedgerGlance: Sendable {
    /// The number of the newest entry.
    let entries: Int64
    /// The earliest time that a new entry can have.
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

/// Reads a ledger's `LedgerGlance`, and again only after the ledger's file has changed.
final class Glancing: Sendable {
    private let reader: SpareReader<LedgerError>
    private let latest = Mutex<(stamp: FileStamp, glance: LedgerGlance)?>(nil)

    init(by reader: SpareReader<LedgerError>) {
        self.reader = reader
    }

    /// The current values.
    func look() throws(LedgerError) -> LedgerGlance {
        // The stamp must be read before the values. If the file changes in between, the next call
        // finds another stamp and reads the values again.
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
