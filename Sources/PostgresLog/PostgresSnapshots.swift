// SPDX-License-Identifier: Apache-2.0

package import SigningCore
package import SigningStorage

extension PostgresSchema {
    /// Whether the table for snapshots exists.
    var hasSnapshotsQuery: PostgresQuery {
        PostgresQuery(
            "SELECT (to_regclass($1::text) IS NOT NULL)::integer", [.text(table)],
            columns: [.short], rowsMax: 1)
    }

    /// Creates the table for snapshots, for a log from an older version.
    var snapshotTables: [PostgresQuery] {
        [
            PostgresQuery(
                """
                CREATE TABLE \(table) (
                    sequence bigint NOT NULL, part integer NOT NULL, hash bytea NOT NULL,
                    body bytea NOT NULL, PRIMARY KEY (sequence, part))
                """, tag: "CREATE TABLE"),
            PostgresQuery(
                "ALTER TABLE \(table) ALTER COLUMN body SET STORAGE EXTERNAL",
                tag: "ALTER TABLE"),
        ]
    }

    /// Reads the newest positions for which the first part of a snapshot exists.
    var snapshotsQuery: PostgresQuery {
        PostgresQuery(
            """
            SELECT sequence, hash FROM \(table) WHERE part = 0
            ORDER BY sequence DESC LIMIT \(PostgresLog.snapshotsMax)
            """, columns: [.long, .bytes], rowsMax: PostgresLog.snapshotsMax)
    }

    func partQuery(_ index: Int32, of sequence: Int64) -> PostgresQuery {
        PostgresQuery(
            "SELECT body FROM \(table) WHERE sequence = $1 AND part = $2",
            [.long(sequence), .short(index)], columns: [.bytes], rowsMax: 1)
    }

    func keeping(_ part: [UInt8], at index: Int32, of place: LogPlace) -> PostgresQuery {
        PostgresQuery(
            """
            INSERT INTO \(table) (sequence, part, hash, body) VALUES ($1, $2, $3, $4)
            ON CONFLICT (sequence, part) DO UPDATE SET hash = $3, body = $4
            """,
            [.long(place.sequence), .short(index), .bytes(place.hash), .bytes(part)],
            tag: "INSERT 0 1")
    }

    /// Deletes at most `cutCountMax` batches up to a position.
    func cutting(through sequence: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            WITH gone AS (
                DELETE FROM \(batches) WHERE sequence IN (
                    SELECT sequence FROM \(batches) WHERE sequence <= $1
                    ORDER BY sequence LIMIT \(PostgresLog.cutCountMax))
                RETURNING 1)
            SELECT count(*) FROM gone
            """, [.long(sequence)], columns: [.long], rowsMax: 1)
    }

    /// Deletes at most `cutCountMax` parts of snapshots of earlier positions.
    func dropping(snapshotsBefore sequence: Int64) -> PostgresQuery {
        PostgresQuery(
            """
            WITH gone AS (
                DELETE FROM \(table) WHERE (sequence, part) IN (
                    SELECT sequence, part FROM \(table) WHERE sequence < $1
                    ORDER BY sequence, part LIMIT \(PostgresLog.cutCountMax))
                RETURNING 1)
            SELECT count(*) FROM gone
            """, [.long(sequence)], columns: [.long], rowsMax: 1)
    }

    private var table: String { "\(name).snapshots" }
    private var batches: String { "\(name).batches" }
}

extension PostgresLog: SnapshotKeeper {
    /// The maximum number of snapshots that a hub looks at.
    static let snapshotsMax = 16
    /// The maximum number of rows that one statement deletes.
    static let cutCountMax = 2_000

    package func snapshots() throws(LedgerError) -> [LogPlace] {
        try call { state throws(PostgresError) in
            guard try hasSnapshots(&state) else { return [] }
            return try read([schema.snapshotsQuery], &state)[0].map {
                row throws(PostgresError) in
                LogPlace(
                    sequence: try row.long(0),
                    hash: try row.bytes(1, count: PostgresHead.hashBytes))
            }
        }
    }

    package func keep(
        _ part: [UInt8], at index: Int32, of place: LogPlace
    ) throws(LedgerError) {
        try call { state throws(PostgresError) in
            let tables = try hasSnapshots(&state) ? [] : schema.snapshotTables
            _ = try write(tables + [schema.keeping(part, at: index, of: place)], &state)
        }
    }

    package func part(_ index: Int32, of place: LogPlace) throws(LedgerError) -> [UInt8]? {
        try call { state throws(PostgresError) in
            let rows = try read([schema.partQuery(index, of: place.sequence)], &state)[0]
            return try rows.first.map { row throws(PostgresError) in try row.bytes(0) }
        }
    }

    package func cut(through place: LogPlace) throws(LedgerError) -> Int64 {
        try removing([schema.dropping(snapshotsBefore: place.sequence)])
        return try removing([schema.cutting(through: place.sequence)])
    }

    /// Deletes rows in small steps, so that each statement is short; returns the number of rows.
    @discardableResult
    private func removing(_ queries: [PostgresQuery]) throws(LedgerError) -> Int64 {
        var total: Int64 = 0
        while true {
            let count = try call { state throws(PostgresError) in
                try write(queries, &state)[0].first?.long(0) ?? 0
            }
            total += count
            guard count > 0 else { return total }
        }
    }

    private func hasSnapshots(_ state: inout State) throws(PostgresError) -> Bool {
        try read([schema.hasSnapshotsQuery], &state)[0].first?.short(0) == 1
    }

    /// Durably changes other data than the end of the log, in a transaction that needs no turn.
    private func write(
        _ queries: [PostgresQuery], _ state: inout State
    ) throws(PostgresError) -> [[PostgresRow]] {
        guard state.turn == nil else { throw .unreachable("the shared log is locked: try again") }
        let answers = try run(
            [PostgresTerms.begin, PostgresTerms.setting] + queries + [PostgresTerms.commit],
            &state)
        _ = try PostgresTerms.checkSetting(answers[1])
        return Array(answers.dropFirst(2))
    }
}
