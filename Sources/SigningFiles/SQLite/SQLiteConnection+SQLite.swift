// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// An SQLite connection to a database file, with its prepared statements; only one thread may use
/// it at a time.
@safe package final class SQLiteConnection {
    let handle: OpaquePointer
    /// The path of the file.
    package let path: String
    private var statements: [Text: Statement] = [:]

    /// The longest wait for another process that writes, in milliseconds.
    package static let busyTimeoutMilliseconds: Int32 = 5_000

    /// Opens an existing file for reading and writing.
    package init(
        path: String, busyTimeoutMilliseconds: Int32 = SQLiteConnection.busyTimeoutMilliseconds
    ) throws(SQLiteError) {
        _ = Self.isMemoryCountOff
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(path, &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            // SQLite returns a handle even if it could not open the file.
            unsafe sqlite3_close_v2(opened)
            throw .failed(code: code, statement: "open")
        }
        unsafe self.handle = handle
        self.path = path
        unsafe sqlite3_busy_timeout(handle, busyTimeoutMilliseconds)
        try configure()
    }

    /// Opens a copy of another program's database file in memory; the file itself stays untouched.
    package init(image: Span<UInt8>) throws(SQLiteError) {
        var opened: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = unsafe sqlite3_open_v2(":memory:", &opened, flags, nil)
        guard code == SQLITE_OK, let handle = unsafe opened else {
            unsafe sqlite3_close_v2(opened)
            throw .failed(code: code, statement: "open")
        }
        unsafe self.handle = handle
        path = ":memory:"
        try distrust()
        let read = unsafe image.withUnsafeBytes { bytes in
            unsafe sqlite3_shim_read_image(handle, bytes.baseAddress, Int64(bytes.count))
        }
        guard read == SQLITE_OK else { throw .failed(code: read, statement: "open") }
    }

    /// True if SQLite's memory statistics are off; the first access turns them off.
    ///
    /// The statistics are not needed and take a lock for each allocation. They stay on if SQLite
    /// was used in this process before.
    private static let isMemoryCountOff = sqlite3_shim_count_no_memory() == SQLITE_OK

    deinit {
        statements.removeAll()
        unsafe sqlite3_close_v2(handle)
    }

    /// The prepared form of a statement; it is prepared once and cached.
    package func statement(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = statements[Text(sql: sql)] { return statement }
        let statement = unsafe try Statement(sql, on: handle)
        statements[Text(sql: sql)] = statement
        return statement
    }

    /// The text of a statement as a key of the cache.
    ///
    /// Only the length is hashed: few statements have the same length, and hashing a whole text
    /// would take longer than running some statements.
    private struct Text: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
    }

    /// Runs statements without arguments and results.
    package func execute(_ script: String) throws(SQLiteError) {
        let code = unsafe sqlite3_exec(handle, script, nil, nil, nil)
        guard code == SQLITE_OK else { throw .failed(code: code, statement: script) }
    }

    /// Throws if the file was deleted or replaced since it was opened.
    ///
    /// On Linux a write to a deleted file succeeds and is lost.
    func checkFileIsInPlace() throws(SQLiteError) {
        var isMoved: Int32 = 0
        let code = unsafe sqlite3_file_control(
            handle, "main", SQLITE_FCNTL_HAS_MOVED, &isMoved)
        guard code == SQLITE_OK, isMoved == 0 else {
            throw .failed(code: sqlite3_shim_file_moved, statement: "write")
        }
    }

    /// True if a transaction is open; some errors make SQLite roll it back automatically.
    package var isInTransaction: Bool { unsafe sqlite3_get_autocommit(handle) == 0 }

    /// True if the last statement that failed would have broken a constraint of a table.
    var failedByConstraint: Bool {
        unsafe sqlite3_errcode(handle) & SQLiteError.primaryCodeMask == SQLITE_CONSTRAINT
    }

    /// A number that changes when another connection changes the file; nil if SQLite does not give
    /// it.
    ///
    /// Read it within a transaction.
    package var dataVersion: UInt32? {
        var version: UInt32 = 0
        let code = unsafe sqlite3_file_control(
            handle, "main", SQLITE_FCNTL_DATA_VERSION, &version)
        return code == SQLITE_OK ? version : nil
    }

    /// The number of rows changed since the file was opened.
    package var changeCount: Int64 { unsafe sqlite3_total_changes64(handle) }

    /// Runs a body without checks of foreign keys, so that it can delete rows to which others
    /// refer.
    ///
    /// Unlike the pragma `foreign_keys`, this works within a transaction too.
    package func withoutForeignKeys<Failure: Error>(
        _ body: () throws(Failure) -> Void
    ) throws(Failure) {
        let option = SQLITE_DBCONFIG_ENABLE_FKEY
        var wereOn: Int32 = 0
        unsafe sqlite3_shim_get_option(handle, option, &wereOn)
        _ = unsafe sqlite3_shim_set_option(handle, option, 0)
        defer { _ = unsafe sqlite3_shim_set_option(handle, option, wereOn) }
        try body()
    }

    /// Rolls back the open transaction, if there is one.
    package func rollBack() {
        guard isInTransaction else { return }
        unsafe sqlite3_exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Turns off what a file of another program could make SQLite do.
    private func distrust() throws(SQLiteError) {
        // The file may contain triggers, views or functions from another program.
        let options: [(Int32, Int32)] = [
            (SQLITE_DBCONFIG_DEFENSIVE, 1), (SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0),
            (SQLITE_DBCONFIG_ENABLE_TRIGGER, 0), (SQLITE_DBCONFIG_ENABLE_VIEW, 0),
            (SQLITE_DBCONFIG_DQS_DML, 0), (SQLITE_DBCONFIG_DQS_DDL, 0),
        ]
        for (option, value) in options {
            let code = unsafe sqlite3_shim_set_option(handle, option, value)
            guard code == SQLITE_OK else { throw .failed(code: code, statement: "configure") }
        }
    }

    private func configure() throws(SQLiteError) {
        try distrust()
        // If the file is not writable, SQLite opens it read-only without an error.
        guard unsafe sqlite3_db_readonly(handle, "main") == 0 else {
            throw .failed(code: SQLITE_READONLY, statement: "open")
        }
        // If write-ahead logging is not available, SQLite keeps the old mode without an error.
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
