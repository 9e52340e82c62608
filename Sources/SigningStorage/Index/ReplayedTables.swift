// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// Temporary tables for a replay of the entries, beside the tables of a ledger.
///
/// They have the names of the tables that follow from entries. While they exist, SQLite takes them
/// for these in every statement that names no database, so that `Index` changes them alone. They
/// end with the connection or with `drop`. Memory: about 200 bytes for each entry.
struct ReplayedTables: ~Copyable {
    let access: Access<LedgerError>
    private let ends: ArchiveEnds

    /// Makes empty tables.
    ///
    /// If entries are not known, because their files are missing, the rows that these entries
    /// may have left are copied from the ledger.
    init(beside ledger: borrowing Access<LedgerError>, _ ends: ArchiveEnds) throws(LedgerError) {
        access = Access(of: ledger)
        self.ends = ends
        for table in DerivedTable.all { try access.run(table.definition(in: "temp")) }
        guard ends.unknown > 0 else { return }
        for (table, column, last) in [
            ("grants", "sequence", ends.unknown), ("sessions", "sequence", ends.unknown),
            ("outbox", "sequence", ends.unknown), ("hubs", "joined", ends.unknown),
            ("policies", "sequence", ends.unknown), ("uses", "sequence", ends.charged),
        ] {
            try copy(table, where: "\(column) <= \(last)")
        }
        try copy("meta", where: "name IN ('own approvers', 'moved', 'carried')")
    }

    /// Deletes the tables.
    func drop() throws(LedgerError) {
        for table in DerivedTable.all { try access.run("DROP TABLE temp.\(table.name)") }
    }

    /// Completes the tables by what no entry contains; call it after the replay.
    ///
    /// `hasSignedPolicy` is false if the record has no policy, or has one from before such entries
    /// were signed; `knowsFreeze` is false if unknown entries decide whether signing is frozen.
    func complete(hasSignedPolicy: Bool, knowsFreeze: Bool) throws(LedgerError) {
        if try isOlder() { try copyOlderRows() }
        try takeNamedBytes()
        // Older versions retired approver keys without an entry; this only takes power away.
        try copy(
            "retired_approvers", where: "typeof(public_key) = 'blob' AND typeof(time) = 'integer'")
        // A hub that has left its team continues the record.
        var adopted = try access.local(.mark) == nil ? ["moved"] : []
        // Older versions stored no mark of the policy.
        if !hasSignedPolicy { adopted.append("policy") }
        if !knowsFreeze { adopted.append("frozen") }
        for name in adopted {
            let kept = try access.exists("SELECT 1 FROM main.meta WHERE name = ?", .text(name))
            if !kept || name == "frozen" {
                try access.run("DELETE FROM temp.meta WHERE name = ?", .text(name))
            }
            if name != "policy" { try copy("meta", where: "name = '\(name)'") }
        }
        guard ends.unknown > 0 else { return }
        for table in ["accepted", "replay_tokens", "serial_uses", "segments"] + Self.statedLater {
            try copy(table, where: "true")
        }
    }

    /// The tables with rows of their own that entries before format 17 do not state.
    private static var statedLater: [String] {
        CarriedRows.tables.filter { !$0.isCompleted }.map(\.name)
    }

    /// Whether no entry states, or carries, all rows: another hub is to carry them first, or the
    /// texts with them are lost.
    private func isOlder() throws(LedgerError) -> Bool {
        if try access.awaitsCarriedRows() { return true }
        for digest in try access.carriedDigests() where try access.blob(digest) == nil {
            return true
        }
        return false
    }

    private func copyOlderRows() throws(LedgerError) {
        for table in Self.statedLater { try copy(table, where: "true") }
        try access.run(
            """
            UPDATE temp.sessions AS made SET (address, time) = (
                SELECT address, time FROM main.sessions AS kept WHERE kept.id = made.id)
            WHERE id IN (SELECT id FROM main.sessions
                WHERE typeof(address) = 'text' AND typeof(time) = 'integer')
            AND address = ''
            """)
        try access.run(
            """
            UPDATE temp.outbox AS made SET (sender, bytes) = (
                SELECT sender, bytes FROM main.outbox AS kept WHERE kept.id = made.id)
            WHERE id IN (SELECT id FROM main.outbox
                WHERE typeof(sender) = 'text' AND typeof(bytes) = 'blob')
            AND sender = ''
            """)
        // Whether an item that was signed again has other bytes than before is in no older entry.
        try access.run(
            """
            UPDATE temp.outbox SET state = 'unknown' WHERE state = 'signed'
            AND id IN (SELECT id FROM main.outbox WHERE state = 'unknown')
            """)
    }

    /// Takes the ledger's bytes where they have the SHA-256 that an entry names.
    private func takeNamedBytes() throws(LedgerError) {
        for table in DerivedTable.all {
            guard let bytes = table.bytes, bytes != "body" else { continue }
            let same = table.key.map { "kept.\($0) = made.\($0)" }.joined(separator: " AND ")
            let found = try access.all(
                """
                SELECT made.\(bytes), kept.\(bytes)
                FROM temp.\(table.name) AS made JOIN main.\(table.name) AS kept ON \(same)
                WHERE typeof(made.\(bytes)) = 'text' AND typeof(kept.\(bytes)) = 'blob'
                """
            ) { row throws(LedgerError) in (digest: try row.text(0), bytes: try row.bytes(1)) }
            for value in found where Digest.sha256(value.bytes.span).hexText == value.digest {
                try access.run(
                    "UPDATE temp.\(table.name) SET \(bytes) = ? WHERE \(bytes) = ?",
                    .bytes(value.bytes), .text(value.digest))
            }
        }
    }

    /// Puts no bytes in the place of those that are lost; returns the SHA-256 of lost details of
    /// notes, and of used questions whose text is lost.
    func giveUpLostBytes() throws(LedgerError) -> [[UInt8]] {
        let lost = try access.all(
            "SELECT DISTINCT detail FROM temp.notes WHERE typeof(detail) = 'text' ORDER BY detail"
        ) { row throws(LedgerError) in (try? Hex.decode(row.text(0))) ?? [] }
        let questions = try access.all(
            """
            SELECT digest FROM temp.joint_questions
            WHERE typeof(body) = 'blob' AND intent_id IS NOT NULL ORDER BY digest
            """
        ) { row throws(LedgerError) in try row.bytes(0) }
        try access.run("UPDATE temp.notes SET detail = x'' WHERE typeof(detail) = 'text'")
        try access.run("UPDATE temp.outbox SET bytes = x'' WHERE typeof(bytes) = 'text'")
        try access.run("UPDATE temp.joint_questions SET body = '' WHERE typeof(body) = 'blob'")
        return lost + questions
    }

    /// Copies the ledger's rows whose keys are new.
    private func copy(_ table: String, where condition: String) throws(LedgerError) {
        guard let columns = DerivedTable.all.first(where: { $0.name == table })?.columnList else {
            return
        }
        try access.run(
            """
            INSERT OR IGNORE INTO temp.\(table) (\(columns))
            SELECT \(columns) FROM main.\(table) WHERE \(condition)
            """)
    }

    /// Puts tables with the rows of the replay in the place of the ledger's.
    func putInPlace() throws(LedgerError) {
        for table in DerivedTable.all {
            try access.run("DROP TABLE IF EXISTS main.\(table.name)")
            try access.run(table.definition(in: "main"))
            if let index = table.indexDefinition { try access.run(index) }
            try access.run(
                """
                INSERT INTO main.\(table.name) (\(table.columnList))
                SELECT \(table.columnList) FROM temp.\(table.name)
                """)
        }
    }
}

/// The ends of archived and of unknown entries, as verification finds them.
struct ArchiveEnds {
    /// The last archived entry: up to it intents have no rows.
    var last: Int64 = 0
    /// The last entry up to which the ledger kept only the last use of each counter.
    var folded: Int64 = 0
    /// The last entry of the last segment whose file is missing; the entries up to it are unknown.
    var unknown: Int64 = 0

    /// The last entry whose uses are taken from the ledger; 0 if every entry is known.
    var charged: Int64 { unknown > 0 ? max(folded, unknown) : 0 }
}
