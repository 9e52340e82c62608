// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningCrypto
internal import SigningFiles
internal import SigningVault

/// The earliest time that new entries can have, and the number of the entry that set it.
struct TimeFloor: Hashable {
    let sequence: Int64
    let time: Timestamp
}

extension TimeFloor {
    /// Parses the value that a repair of the clock stored.
    fileprivate init(repair text: String) throws(LedgerError) {
        let parts = text.split(separator: " ").compactMap { Int64($0) }
        guard parts.count == 2 else { throw .corrupt("a repair of the clock has an unknown form") }
        self.init(sequence: parts[0], time: Timestamp(seconds: parts[1]))
    }
}

extension Access<LedgerError> {
    /// The earliest time that a new entry can have: the time of the newest intent, or that of a
    /// later repair of the clock.
    ///
    /// Refusals do not change it, so that a refusal while the clock is wrong does not shift the
    /// time of later requests.
    func timeFloor() throws(LedgerError) -> Timestamp {
        // A single query for both values, as every request needs the result three times.
        let floors = try first(
            """
            SELECT intents.sequence, audit.time, (SELECT value FROM meta WHERE name = 'clock')
            FROM intents JOIN audit ON audit.sequence = intents.sequence
            ORDER BY intents.sequence DESC LIMIT 1
            """
        ) { row throws(LedgerError) in
            let newest = TimeFloor(
                sequence: try row.integer(0), time: Timestamp(seconds: try row.integer(1)))
            guard let text = try row.optionalText(2) else { return [newest] }
            return [newest, try TimeFloor(repair: text)]
        }
        var floor = floors?.max { $0.sequence < $1.sequence }
        if floor == nil { floor = try repairedFloor() }
        guard let floor else { return AuditHead.empty.time }
        // Later computations with the time must not overflow.
        guard floor.time.isPossible || floor.time == AuditHead.empty.time else {
            throw .corrupt("the latest time on record is not a possible time")
        }
        return floor.time
    }

    /// The time floor that the newest repair of the clock set; nil if there was no repair.
    func repairedFloor() throws(LedgerError) -> TimeFloor? {
        let text = try first("SELECT value FROM meta WHERE name = 'clock'") {
            row throws(LedgerError) in try row.text(0)
        }
        guard let text else { return nil }
        return try TimeFloor(repair: text)
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
