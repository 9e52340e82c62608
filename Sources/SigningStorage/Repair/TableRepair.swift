// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
package import SigningFiles
package import SigningVault

/// The repair of tables that differ from the entries of an intact chain.
///
/// A transaction whose bytes are missing counts as refused, and an open question whose text is
/// missing is withdrawn, both on record. The entry of the repair names policy texts, details of
/// notes and texts of used questions that are lost. If rows say that later entries were removed,
/// the stricter state is kept, on record as well.
extension HomeRepair {
    /// Whether a home's record is intact once its tables are made again from its entries.
    ///
    /// Changes nothing. False for a record that is shared: its log has the tables.
    package static func canRepairTables(of home: Home, _ vault: Vault) -> Bool {
        do {
            let trust = try vault.recordTrust()
            return try ledger(of: home).alone { connection throws(LedgerError) in
                defer { connection.rollBack() }
                _ = try connection.remakeTables(by: trust)
                return true
            }
        } catch {
            return false
        }
    }

    /// Makes the tables of a home's record again from its entries, with an entry about it.
    ///
    /// The vault must be unlocked. Returns the reason for which signing is frozen now; nil if the
    /// repair did not freeze it. Throws, and changes nothing, if the record is not intact
    /// afterwards.
    package static func repairTables(
        of home: Home, _ vault: Vault, at time: Timestamp
    ) throws -> String? {
        let trust = try vault.recordTrust()
        let key = try vault.openLogKey()
        let source = try? vault.attestedPolicy()?.source
        return try ledger(of: home).alone { connection throws(LedgerError) in
            defer { connection.rollBack() }
            let state = try connection.remakeTables(by: trust)
            let access = Access<LedgerError>(connection)
            try access.giveUpLostRows(at: time)
            try access.keep(state, at: time)
            let carried = try access.carriedDigests()
            let lost = try access.mendBlobs(with: source)
            try access.appendRepair(
                of: RepairEntry.tables, losing: lost + state.lostDetails, at: time, signedBy: key)
            if !Set(carried).isDisjoint(with: lost) { try access.carryOlderRows() }
            try access.run("COMMIT")
            return state.freeze
        }
    }

    private static func ledger(of home: Home) throws(LedgerError) -> Database<LedgerError> {
        try Database(path: home.ledgerPath, schema: .ledger, .existing)
    }
}

extension SQLiteConnection {
    /// Begins a transaction and makes the tables again; throws if the record is not intact then.
    ///
    /// Returns the bans that the present rows state and the entries do not, and what is lost.
    fileprivate func remakeTables(by trust: RecordTrust) throws(LedgerError) -> StateBeforeRepair {
        let access = Access<LedgerError>(self)
        try access.run("PRAGMA foreign_keys = OFF")
        try access.run("BEGIN IMMEDIATE")
        try access.mendSchema(isShared: trust.isShared)
        try access.forgetFalseMark(trust)
        guard let last = trust.lastCheckpoint else {
            throw .corrupt(AuditProblem.lostCheckpoint.text)
        }
        var verifier = AuditVerifier(
            logPublicKey: trust.logPublicKey,
            checkpoints: try access.signedCheckpoints(by: trust.logPublicKey) + [last],
            vouchedSequence: last.sequence)
        let segments = try access.segmentsOnRecord()
        var problem = verifier.begin(with: segments, besides: path)
        // Entries whose file is missing cannot be applied.
        if problem == nil, let missing = verifier.unverified.first {
            problem = .removed(sequence: missing.segment.first)
        }
        if let problem { throw .corrupt(problem.text) }
        let tables = try ReplayedTables(beside: access, verifier.ends)
        problem = try verifier.replay(segments, into: tables, in: access, at: path)
        if let problem { throw .corrupt(problem.text) }
        var state = try tables.stateBeforeRepair(after: verifier.head.sequence)
        state.lostDetails = try tables.giveUpLostBytes()
        try tables.putInPlace()
        if let difference = try tables.difference() { throw .corrupt(difference.text) }
        try tables.drop()
        let damage = try access.first("PRAGMA integrity_check(1)") { row throws(LedgerError) in
            try row.text(0)
        }
        guard damage == "ok" else { throw .corrupt(AuditProblem.damagedFile(damage ?? "").text) }
        return state
    }
}

/// Bans that the rows of a ledger state, and its entries do not; and bytes that are lost.
///
/// Either the rows with the bans are false, or entries after the vault's checkpoint were removed;
/// nothing tells which.
private struct StateBeforeRepair {
    /// The reason to freeze signing; nil for none.
    var freeze: String?
    /// The remembered answers that rows say were revoked.
    var revoked: [[UInt8]] = []
    /// The SHA-256 of lost details of notes and of used questions whose text is lost.
    var lostDetails: [[UInt8]] = []
}

extension ReplayedTables {
    /// The bans that rows alone state; `length` is the number of the last entry.
    fileprivate borrowing func stateBeforeRepair(
        after length: Int64
    ) throws(LedgerError) -> StateBeforeRepair {
        var state = StateBeforeRepair()
        for table in ["open_intents", "uses", "grants", "sessions", "outbox", "policies"] {
            let isLater = try access.exists(
                "SELECT 1 FROM main.\(table) WHERE sequence > ?", .integer(length))
            if isLater { state.freeze = "entries after number \(length) may have been removed" }
        }
        let isThawed = try access.exists(
            """
            SELECT 1 FROM main.meta WHERE name = 'frozen'
            AND name NOT IN (SELECT name FROM temp.meta)
            """)
        if isThawed { state.freeze = "the entry of a freeze may have been removed" }
        state.revoked = try access.all(
            """
            SELECT made.id FROM main.grants AS kept JOIN temp.grants AS made USING (id)
            WHERE kept.revoked IS NOT NULL AND made.revoked IS NULL ORDER BY made.id
            """
        ) { row throws(LedgerError) in try row.bytes(0) }
        return state
    }
}

extension Access<LedgerError> {
    /// Deletes a mark that the record is shared, without the data of a hub and against the vault.
    ///
    /// Throws if the record is shared.
    fileprivate func forgetFalseMark(_ trust: RecordTrust) throws(LedgerError) {
        guard try local(.mark) != nil else { return }
        guard !trust.isShared, try !isCompleteHub() else {
            throw .unavailable("the ledger is shared, and the log contains all of it")
        }
        try forgetLog()
    }

    /// The archived segments as their entries describe them.
    fileprivate func segmentsOnRecord() throws(LedgerError) -> [ArchivedSegment] {
        var found: [Int64: ArchivedSegment] = [:]
        var open = try entries(of: .archive, after: 0, upTo: .max).map(\.change)
        while let entry = open.popLast() {
            guard case .archive(let archive)? = entry, found[archive.segment.number] == nil else {
                continue
            }
            found[archive.segment.number] = archive.segment
            // The entries about earlier segments may be archived.
            let lines = try SegmentLines(archive.segment, besides: path)
            while let line = try lines.next() {
                if let body = try? EntryBody(line), body.entry.kind == .archive {
                    open.append(body.entry)
                }
            }
        }
        return found.values.sorted { $0.number < $1.number }
    }

    /// Deletes the checkpoints that the log key did not sign; returns the others.
    fileprivate func signedCheckpoints(
        by logPublicKey: [UInt8]
    ) throws(LedgerError) -> [AuditCheckpoint] {
        var signed: [AuditCheckpoint] = []
        for checkpoint in try checkpoints() {
            if checkpoint.isSigned(by: logPublicKey) {
                signed.append(checkpoint)
            } else {
                try run(
                    "DELETE FROM checkpoints WHERE sequence = ?", .integer(checkpoint.sequence))
            }
        }
        return signed
    }

    /// Freezes signing and revokes answers as the rows before the repair said, on record.
    fileprivate func keep(_ state: StateBeforeRepair, at time: Timestamp) throws(LedgerError) {
        if let reason = state.freeze, try !exists("SELECT 1 FROM meta WHERE name = 'frozen'") {
            _ = try append(.freeze(FreezeEntry(reason: reason)), at: time)
        }
        try revoke(state.revoked, at: time, because: "a row of the ledger said that it was revoked")
    }

    /// Ends connections without an address, gives up transactions without bytes, and withdraws
    /// questions without a text, on record.
    fileprivate func giveUpLostRows(at time: Timestamp) throws(LedgerError) {
        // A used question stays, so that nothing uses its approvals again.
        let questions = try all(
            "SELECT digest FROM joint_questions WHERE body = '' AND intent_id IS NULL"
        ) { row throws(LedgerError) in try row.bytes(0) }
        if !questions.isEmpty { _ = try append(.withdraw(questions), at: time) }
        let connections = try all("SELECT id FROM sessions WHERE address = ''") {
            row throws(LedgerError) in try row.bytes(0)
        }
        if !connections.isEmpty {
            let revoke = RevokeEntry(
                grants: [], reason: "the address was lost", connections: connections)
            _ = try append(.revoke(revoke), at: time)
        }
        let items = try all("SELECT id FROM outbox WHERE length(bytes) = 0") {
            row throws(LedgerError) in try row.text(0)
        }
        for id in items {
            try record(
                .refused(name: "lost", "its bytes were lost; it may have arrived"), of: id, at: time
            )
        }
    }
}
