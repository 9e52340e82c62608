// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningCrypto
package import SigningFiles
package import SigningVault

/// The repair of tables that differ from the entries of an intact chain.
///
/// A connection whose address is missing ends, and a transaction whose bytes are missing counts as
/// refused, both on record, as no entry states these values.
extension HomeRepair {
    /// Whether a home's record is intact once its tables are made again from its entries.
    ///
    /// Changes nothing. False for a record that is shared: its log has the tables.
    package static func canRepairTables(of home: Home, _ vault: Vault) -> Bool {
        do {
            let trust = try vault.recordTrust()
            return try ledger(of: home).alone { connection throws(LedgerError) in
                defer { connection.rollBack() }
                try connection.remakeTables(by: trust)
                return true
            }
        } catch {
            return false
        }
    }

    /// Makes the tables of a home's record again from its entries, with an entry about it.
    ///
    /// The vault must be unlocked. Throws, and changes nothing, if the record is not intact
    /// afterwards.
    package static func repairTables(
        of home: Home, _ vault: Vault, at time: Timestamp
    ) throws {
        let trust = try vault.recordTrust()
        let key = try vault.openLogKey()
        try ledger(of: home).alone { connection throws(LedgerError) in
            defer { connection.rollBack() }
            try connection.remakeTables(by: trust)
            let access = Access<LedgerError>(connection)
            try access.giveUpLostRows(at: time)
            try access.appendRepair(of: RepairEntry.tables, at: time, signedBy: key)
            try access.run("COMMIT")
        }
    }

    private static func ledger(of home: Home) throws(LedgerError) -> Database<LedgerError> {
        try Database(path: home.ledgerPath, schema: .ledger, .existing)
    }
}

extension SQLiteConnection {
    /// Begins a transaction and makes the tables again; throws if the record is not intact then.
    ///
    /// Throws also if the present rows prove that entries were removed: otherwise a freeze, a
    /// revoked answer or used limits would be undone.
    fileprivate func remakeTables(by trust: RecordTrust) throws(LedgerError) {
        let access = Access<LedgerError>(self)
        try access.run("PRAGMA foreign_keys = OFF")
        try access.run("BEGIN IMMEDIATE")
        guard try access.local(.mark) == nil else {
            throw .unavailable("the ledger is shared, and the log contains all of it")
        }
        guard let last = trust.lastCheckpoint else {
            throw .corrupt(AuditProblem.lostCheckpoint.text)
        }
        var verifier = AuditVerifier(
            logPublicKey: trust.logPublicKey, checkpoints: try access.checkpoints() + [last],
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
        if let proof = try tables.proofOfRemoval(after: verifier.head.sequence) {
            throw .corrupt(proof)
        }
        try tables.replaceRows()
        if let difference = try tables.difference() { throw .corrupt(difference.text) }
        try tables.drop()
        let damage = try access.first("PRAGMA integrity_check(1)") { row throws(LedgerError) in
            try row.text(0)
        }
        guard damage == "ok" else { throw .corrupt(AuditProblem.damagedFile(damage ?? "").text) }
    }
}

extension ReplayedTables {
    /// The proof, in words, that the ledger once had entries that it lacks; nil if there is none.
    ///
    /// `length` is the number of the last entry.
    fileprivate borrowing func proofOfRemoval(after length: Int64) throws(LedgerError) -> String? {
        for table in ["intents", "results", "uses", "grants", "sessions", "outbox"] {
            let isLater = try access.exists(
                "SELECT 1 FROM main.\(table) WHERE sequence > ?", .integer(length))
            if isLater { return "entries after number \(length) were removed" }
        }
        let isThawed = try access.exists(
            """
            SELECT 1 FROM main.meta WHERE name = 'frozen'
            AND name NOT IN (SELECT name FROM temp.meta)
            """)
        if isThawed { return "the entry of a freeze was removed" }
        let isValidAgain = try access.exists(
            """
            SELECT 1 FROM main.grants AS kept JOIN temp.grants AS made USING (id)
            WHERE kept.revoked IS NOT NULL AND made.revoked IS NULL
            """)
        return isValidAgain ? "the entry that revoked a remembered answer was removed" : nil
    }
}

extension Access<LedgerError> {
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

    /// Ends connections without an address and gives up transactions without bytes, on record.
    fileprivate func giveUpLostRows(at time: Timestamp) throws(LedgerError) {
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
