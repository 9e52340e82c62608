// SPDX-License-Identifier: Apache-2.0

internal import SigningFiles

/// Changes by hubs with an older program, whose ledgers have a row for every intent and result, and
/// one for the policy text.
extension Schema {
    /// The shared tables of formats before `openVersion`.
    static let olderSharedTables =
        sharedTables.filter { !["open_intents", "blobs", "policies"].contains($0) }
        + ["questions", "intents", "results", olderTable]

    fileprivate static let olderTables = """
        CREATE TABLE intents (
            id BLOB NOT NULL PRIMARY KEY,
            sequence INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE results (
            intent_id BLOB NOT NULL PRIMARY KEY,
            sequence INTEGER NOT NULL,
            outcome TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """

    /// The repair of the clock, which was a value of its own.
    fileprivate static let olderClock = """
        INSERT INTO meta (name, value) SELECT 'clock', sequence || ' ' || time
        FROM audit WHERE \(isClockRepair) ORDER BY sequence DESC LIMIT 1
        """
}

extension SQLiteConnection {
    /// Applies a changeset in a format of shared ledgers; throws without any change if a row does
    /// not fit.
    ///
    /// `sequence` is the last entry before the changes; nil if they are a part of the rows of a
    /// whole ledger. Changes of the table `other` are left out. Call it in a transaction that is
    /// rolled back after an error.
    func apply(
        _ changes: [UInt8], of tables: ChangedTables, in version: Int32, after sequence: Int64?,
        except other: String? = nil
    ) throws(SQLiteError) {
        guard version < Schema.openVersion else {
            return try apply(changes, of: tables, except: other)
        }
        try execute(Schema.olderTables)
        if tables.rows.contains(where: { $0.table == "meta" && !$0.isInsertion }) {
            try execute(Schema.olderClock)
        }
        try apply(changes, of: tables, except: other)
        if sequence != nil, try hasResultWithoutIntent() {
            throw .unexpectedValue(statement: "apply changeset")
        }
        try execute(Schema.openIntents(after: sequence ?? 0))
        try execute("DROP TABLE results; DROP TABLE intents")
    }

    private func hasResultWithoutIntent() throws(SQLiteError) -> Bool {
        let query = try statement(
            """
            SELECT 1 FROM results WHERE intent_id NOT IN (SELECT id FROM intents)
            AND intent_id NOT IN (SELECT id FROM open_intents)
            """)
        defer { query.reset() }
        return try query.step()
    }
}
