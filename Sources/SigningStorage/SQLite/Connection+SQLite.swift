// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// One connection to a database file with its prepared statements; for one thread at a time.
@safe final class Connection {
    let handle: OpaquePointer
    let path: String
    private var statements: [Text: Statement] = [:]

    /// How long to wait for another process that writes, in milliseconds.
    static let busyTimeoutMilliseconds: Int32 = 5_000

    /// Opens an existing file for reading and writing.
    init(
        path: String, busyTimeoutMilliseconds: Int32 = Connection.busyTimeoutMilliseconds
    ) throws(SQLiteError) {
        _ = Self.countsNoMemory
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            // SQLite hands out a connection even where it could not open the file.
            unsafe sqlite3_close_v2(opened)
            throw .failed(code: code, statement: "open")
        }
        unsafe self.handle = handle
        self.path = path
        unsafe sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
        try configure()
    }

    /// Nobody asks how much memory SQLite uses, and counting it takes a lock for each allocation.
    ///
    /// False where something else in this process used SQLite before: then it counts.
    private static let countsNoMemory = sqlite3_shim_count_no_memory() == SQLITE_OK

    deinit {
        statements.removeAll()
        unsafe sqlite3_close_v2(handle)
    }

    /// The prepared form of a statement, made at its first use.
    func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[Text(sql: sql)] { return statement }
        let statement = unsafe try Statement(sql, on: handle)
        statements[Text(sql: sql)] = statement
        return statement
    }

    /// A statement as it is looked for: few are of one length, and hashing all of it takes longer
    /// than some of them.
    private struct Text: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
    }

    /// Runs statements that have no arguments and no results.
    func execute(_ script: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw .failed(code: code, statement: script) }
    }

    /// Refuses to go on where the file was deleted or replaced behind our back.
    ///
    /// On Linux writing to a deleted file succeeds, and nothing of it stays.
    func checkFileIsInPlace() throws(SQLiteError) {
        var isMoved: Int32 = 0
        let code = unsafe sqlite3_file_control(
            handle, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
        guard code == SQLITE_OK, isMoved == 0 else {
            throw .failed(code: sqlite3_shim_file_moved, statement: "write")
        }
    }

    /// Whether a transaction is open; after some errors SQLite has undone it by itself.
    var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// Another value once somebody else has changed the file; for use within a transaction.
    var dataVersion: UInt32? {
        var version: UInt32 = 0
        let code = unsafe sqlite3_file_control(
            handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }

    /// How many rows were changed since it was opened.
    var changeCount: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// Runs what takes rows away that others point to, also within a transaction, where the pragma
    /// does nothing.
    func withoutForeignKeys<Failure: Error>(
        _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        let option = SQLITE_DBCONFIG_ENABLE_FKEY
        var wereOn: Int32 = 0
        unsafe sqlite3_shim_get_option(handle, option, &wereOn)
        _ = unsafe sqlite3_shim_set_option(handle, option, 0)
        defer { _ = unsafe sqlite3_shim_set_option(handle, option, wereOn) }
        try body()
    }

    /// Undoes the open transaction, if there is one.
    func rollBack() {
        guard isInTransaction else { return }
        unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    private func configure() throws(SQLiteError) {
        // The file may hold triggers, views or functions that somebody else put there.
        let options: [(Int32, Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
        ]
        for (option, value) in options {
            let code = unsafe sqlite3_shim_set_option(handle, option, value)
            guard code == SQLITE_OK else { throw .failed(code: code, statement: "configure") }
        }
        // Where the file may not be written SQLite falls back to reading without a word.
        guard unsafe sqlite3_db_readonly(handle, "main") == 0 else {
            throw .failed(code: SQLITE_READONLY, statement: "open")
        }
        // Where the log cannot be had SQLite keeps the mode it has, without an error.
        let mode = try statement("PRAGMA journal_mode = WAL")
        defer { mode.reset() }
        guard try mode.step(), try mode.text(0) == "wal" else { throw .noWriteAheadLog }
        try execute(
            """
            PRAGMA synchronous = FULL;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA cell_size_check = ON;
            PRAGMA temp_store = MEMORY;
            """)
    }
}
