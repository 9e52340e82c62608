// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// Reads all shared tables of a ledger as changesets that make them out of nothing.
///
/// The rows go through empty tables of the same form in memory, as many at a time as one batch
/// has room for.
final class WholeContent {
    private let connection: SQLiteConnection
    private var recorder: ChangeRecorder?
    /// What the rows that are taken down take in a changeset, at most.
    private var size = 0

    /// Attaches what it needs; the connection is in no transaction, and used for nothing else
    /// afterwards.
    init(_ connection: SQLiteConnection) throws(LedgerError) {
        self.connection = connection
        try inSQLite { () throws(SQLiteError) in
            // Rows go by without those they point to.
            try connection.execute(
                "PRAGMA foreign_keys = OFF; ATTACH ':memory:' AS \(Self.part)")
            for table in Schema.sharedTables {
                try connection.execute(try Self.definition(of: table, connection))
            }
        }
    }

    /// Hands over one changeset after the other.
    func read(_ take: ([UInt8]) throws(LedgerError) -> Void) throws(LedgerError) {
        for table in Schema.sharedTables {
            let (rows, copy) = try inSQLite { () throws(SQLiteError) in
                let rows = try connection.statement("SELECT * FROM main.\(table)")
                let places = Array(repeating: "?", count: rows.columnCount)
                let copy = try connection.statement(
                    "INSERT INTO \(Self.part).\(table) VALUES (\(places.joined(separator: ",")))")
                return (rows, copy)
            }
            defer { rows.reset() }
            while try inSQLite({ () throws(SQLiteError) in try rows.step() }) {
                defer { copy.reset() }
                let rowSize = try inSQLite { () throws(SQLiteError) in
                    try copy.bind(rowOf: rows) + Self.rowBytesMax
                }
                if size + rowSize > LogIdentity.changesMax { try handOver(take) }
                try inSQLite { () throws(SQLiteError) in
                    let tables = Schema.sharedTables
                    if recorder == nil {
                        recorder = try ChangeRecorder(connection, tables: tables, of: Self.part)
                    }
                    _ = try copy.step()
                }
                size += rowSize
            }
        }
        try handOver(take)
    }

    private func handOver(_ take: ([UInt8]) throws(LedgerError) -> Void) throws(LedgerError) {
        guard let recorder else { return }
        let changes = try inSQLite { () throws(SQLiteError) in try recorder.changes() }
        self.recorder = nil
        size = 0
        try inSQLite { () throws(SQLiteError) in
            for table in Schema.sharedTables {
                try connection.execute("DELETE FROM \(Self.part).\(table)")
            }
        }
        try take(changes)
    }

    /// The statement that makes an empty table of the same form.
    private static func definition(
        of table: String, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> String {
        let query = try connection.statement(
            "SELECT sql FROM main.sqlite_schema WHERE type = 'table' AND name = ?")
        defer { query.reset() }
        try query.bind([.text(table)])
        guard try query.step() else { throw .foreignFile(Schema.ledger.file) }
        let text = try query.text(0)
        guard let columns = text.firstIndex(of: "(") else {
            throw .foreignFile(Schema.ledger.file)
        }
        return "CREATE TABLE \(part).\(table) \(text[columns...])"
    }

    private func inSQLite<R>(
        _ body: () throws(SQLiteError) -> R
    ) throws(LedgerError) -> R {
        do throws(SQLiteError) { return try body() } catch { throw LedgerError(error) }
    }

    private static let part = "part"
    /// What a row takes in a changeset beside its columns, with the name of its table.
    private static let rowBytesMax = 64
}
