// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension SQLiteLedger {
    /// Stops all signing until `thaw`, in every process that uses this ledger.
    package func freeze(_ reason: String, at time: Timestamp) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            _ = try access.append(AuditRecord(freezing: reason, at: time))
            try access.run(
                "INSERT OR REPLACE INTO meta (name, value) VALUES ('frozen', ?)",
                .text(AuditRecord.clipped(reason)))
        }
    }

    /// Lets signing go on.
    package func thaw(at time: Timestamp) throws(LedgerError) {
        try database.write { access throws(LedgerError) in
            _ = try access.append(AuditRecord(thawingAt: time))
            try access.run("DELETE FROM meta WHERE name = 'frozen'")
        }
    }

    /// Why signing is stopped; nil where it is not.
    package func freezeReason() throws(LedgerError) -> String? {
        try database.read { access throws(LedgerError) in try access.freezeReason() }
    }
}

extension Access<LedgerError> {
    /// Refuses while signing is stopped, and where it was stopped meanwhile.
    func checkFreeze(since judged: RecordLength?) throws(LedgerError) {
        guard try freezeReason() == nil else { throw .frozen }
        guard let judged else { return }
        // What was archived since may have been a freeze.
        let wasFrozen = try exists(
            """
            SELECT 1 FROM audit WHERE sequence > ?1 AND kind = 'freeze'
            UNION ALL SELECT 1 FROM segments WHERE last > ?1
            """, .integer(judged.entries))
        guard !wasFrozen else { throw .frozen }
    }

    /// Why signing is stopped; nil where it is not.
    func freezeReason() throws(LedgerError) -> String? {
        try first("SELECT value FROM meta WHERE name = 'frozen'") { row throws(LedgerError) in
            try row.text(0)
        }
    }
}
