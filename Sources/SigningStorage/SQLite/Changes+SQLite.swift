// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// Takes down which rows of some tables are changed on a connection, until it dies.
@safe final class ChangeRecorder {
    private let session: OpaquePointer
    // A session must not outlive its connection.
    private let connection: Connection

    /// Begins with the tables of one of the connection's databases.
    init(
        _ connection: Connection, tables: [String], of database: String = "main"
    ) throws(SQLiteError) {
        var made: OpaquePointer?
        let code = unsafe sqlite3session_create(connection.handle, database, &made)
        guard code == SQLITE_OK, let session = unsafe made else {
            throw .failed(code: code, statement: "session")
        }
        unsafe self.session = session
        self.connection = connection
        for table in tables {
            let code = unsafe sqlite3session_attach(session, table)
            guard code == SQLITE_OK else { throw .failed(code: code, statement: "session") }
        }
    }

    deinit { unsafe sqlite3session_delete(session) }

    /// How the rows differ now from what they were: SQLite's changeset, empty where they do not.
    func changes() throws(SQLiteError) -> [UInt8] {
        var count: Int32 = 0
        var bytes: UnsafeMutableRawPointer?
        let code = unsafe sqlite3session_changeset(session, &count, &bytes)
        defer { unsafe sqlite3_free(bytes) }
        guard code == SQLITE_OK else { throw .failed(code: code, statement: "changeset") }
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
}

/// What a changeset does to one row, as far as it can be judged without looking at values.
struct RowChange: Hashable {
    let table: String
    /// Whether the row is new.
    let isInsertion: Bool
}

/// What a changeset says of the tables it changes.
struct ChangedTables {
    /// What is done to them.
    private(set) var rows: Set<RowChange> = []
    /// Which of a table's columns are its key, where it was changed.
    private(set) var keys: [String: [Bool]] = [:]

    /// Reads a whole changeset.
    init(in changes: [UInt8]) throws(SQLiteError) {
        var copy = changes
        let code = unsafe copy.withUnsafeMutableBytes { bytes -> Int32 in
            var iterator: OpaquePointer?
            let code = unsafe sqlite3changeset_start(
                &iterator, Int32(bytes.count), bytes.baseAddress)
            guard code == SQLITE_OK else { return code }
            while unsafe sqlite3changeset_next(iterator) == SQLITE_ROW {
                guard unsafe take(iterator) else { break }
            }
            // It repeats whatever stopped the walk.
            return unsafe sqlite3changeset_finalize(iterator)
        }
        guard code == SQLITE_OK else { throw .failed(code: code, statement: "read changeset") }
    }

    @unsafe private mutating func take(_ iterator: OpaquePointer?) -> Bool {
        var name: UnsafePointer<CChar>?
        var columnCount: Int32 = 0
        var operation: Int32 = 0
        var isIndirect: Int32 = 0
        let code = unsafe sqlite3changeset_op(
            iterator, &name, &columnCount, &operation, &isIndirect)
        guard code == SQLITE_OK, let name = unsafe name else { return false }
        let table = unsafe String(cString: name)
        let change = RowChange(table: table, isInsertion: operation == SQLITE_INSERT)
        guard rows.insert(change).inserted, keys[table] == nil else { return true }
        var marks: UnsafeMutablePointer<UInt8>?
        guard unsafe sqlite3changeset_pk(iterator, &marks, &columnCount) == SQLITE_OK,
            let marks = unsafe marks
        else { return false }
        keys[table] = unsafe UnsafeBufferPointer(start: marks, count: Int(columnCount))
            .map { $0 != 0 }
        return true
    }
}

extension Connection {
    /// Makes the changes of a changeset; whatever does not fit what is here undoes all of them.
    ///
    /// So does a table whose key is another one here: SQLite would pass over its changes.
    func apply(_ changes: [UInt8], of tables: ChangedTables) throws(SQLiteError) {
        for (table, key) in tables.keys {
            guard try hasKey(key, in: table) else {
                throw .failed(code: SQLITE_ABORT, statement: "apply changeset")
            }
        }
        var copy = changes
        let code = unsafe copy.withUnsafeMutableBytes { bytes in
            unsafe sqlite3changeset_apply(
                handle, Int32(bytes.count), bytes.baseAddress, nil,
                { _, _, _ in SQLITE_CHANGESET_ABORT }, nil)
        }
        guard code == SQLITE_OK else { throw .failed(code: code, statement: "apply changeset") }
    }
}

extension Connection {
    /// Whether the first columns of a table are these in its key and the others of them not, and
    /// none behind them is.
    private func hasKey(_ key: [Bool], in table: String) throws(SQLiteError) -> Bool {
        let columns = try statement("SELECT pk > 0 FROM pragma_table_info(?, 'main') ORDER BY cid")
        defer { columns.reset() }
        try columns.bind([.text(table)])
        var found: [Bool] = []
        while try columns.step() { found.append(try columns.integer(0) == 1) }
        return found.starts(with: key) && !found.dropFirst(key.count).contains(true)
    }
}

extension SQLiteError {
    /// Whether a changeset did not fit what it was applied to.
    var isMismatch: Bool {
        guard case .failed(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_ABORT || code & 0xFF == SQLITE_CONSTRAINT
    }
}
