// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import Synchronization

/// What every request asks of a ledger, read at once.
struct LedgerGlance: Sendable {
    /// The number of the newest entry.
    let entries: Int64
    /// The time behind which the clock does not go.
    let floor: Timestamp
    /// Whether anything that people said was ever remembered.
    let hasGrants: Bool
    /// What this hub is called among those that share it; nil where none do.
    let hubName: String?

    init(in access: borrowing Access<LedgerError>) throws(LedgerError) {
        entries = try access.auditHead().sequence
        floor = try access.timeFloor()
        hasGrants = try access.exists("SELECT 1 FROM grants")
        hubName = try access.local(.hub).flatMap { HubKey($0) }
            .flatMap { (key) throws(LedgerError) in try access.hub(key.number)?.name }
    }
}

/// The latest glance, which holds as long as nobody changes the file.
final class Glancing: Sendable {
    private let reader: SpareReader<LedgerError>
    private let latest = Mutex<(stamp: FileStamp, glance: LedgerGlance)?>(nil)

    init(by reader: SpareReader<LedgerError>) {
        self.reader = reader
    }

    /// What stands in the file now.
    func look() throws(LedgerError) -> LedgerGlance {
        // Taken first: what is read afterwards may be newer, and is read once more then.
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
