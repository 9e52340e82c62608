// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles
internal import SigningVault

extension Access<LedgerError> {
    /// The earliest time that a new entry can have: the time of the newest intent, or that of a
    /// later repair of the clock.
    ///
    /// Refusals do not change it, so that a refusal while the clock is wrong does not shift the
    /// time of later requests.
    func timeFloor() throws(LedgerError) -> Timestamp {
        let stored = try first("SELECT value FROM meta WHERE name = 'floor'") {
            row throws(LedgerError) in try row.text(0)
        }
        guard let stored else { return try olderFloor() }
        // Later computations with the time must not overflow.
        guard let seconds = Int64(stored), Timestamp(seconds: seconds).isPossible else {
            throw .corrupt("the latest time on record is not a possible time")
        }
        return Timestamp(seconds: seconds)
    }

    /// The time floor of a ledger of a format that did not store it.
    ///
    /// Such a ledger can only be frozen.
    private func olderFloor() throws(LedgerError) -> Timestamp {
        guard try exists("SELECT 1 FROM sqlite_schema WHERE name = 'intents'") else {
            return AuditHead.empty.time
        }
        return try first(Schema.olderFloor) { row throws(LedgerError) in
            Timestamp(seconds: try row.integer(0))
        } ?? AuditHead.empty.time
    }

    /// Sets the time floor back to `now`, and all stored times that are later than `now`.
    fileprivate func repairClock(
        to now: Timestamp, signedBy key: borrowing Ed25519Key
    ) throws(LedgerError) {
        let part = RepairEntry.clock
        let statement = LogStatement.repair(what: part, time: now, after: try auditHead())
        let repair = RepairEntry(part: part, signature: try statement.signed(by: key))
        _ = try append(EntryDraft(.repair(repair), at: now), at: now)
        try run("DELETE FROM questions WHERE time > ?", .integer(now.seconds))
        let open = try all("SELECT id, body FROM grants WHERE revoked IS NULL") {
            row throws(LedgerError) in
            (id: try row.bytes(0), grant: GrantRecord.grant(try row.text(1)))
        }
        // A remembered yes with a future time would also end too late, so it is revoked.
        let ahead = open.filter { $0.grant.map { $0.answer == .yes && $0.created > now } ?? false }
        try revoke(ahead.map(\.id), at: now)
    }
}

extension SQLiteLedger {
    /// Sets the time floor back to `now`; false if it is not later than `now`.
    func repairClock(
        to now: Timestamp, signedBy key: borrowing Ed25519Key
    ) throws(LedgerError) -> Bool {
        try database.write { access throws(LedgerError) in
            guard try access.timeFloor() > now else { return false }
            try access.repairClock(to: now, signedBy: key)
            return true
        }
    }
}
