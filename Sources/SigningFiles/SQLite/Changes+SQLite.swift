// SPDX-License-Identifier: Apache-2.0

internal import CSQLite

/// Records the rows of some tables that a connection changes, until this object is deallocated.
@safe package final class ChangeRecorder {
    private let session: OpaquePointer
    // A session must not outlive its connection.
    private let connection: SQLiteConnection

    /// Starts recording; `tables` are tables of one of the connection's databases.
    package init(
        _ connection: SQLiteConnection, tables: [String], of database: String = "main"
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

    /// The changes since the recording began, as a changeset of SQLite; empty without a change.
    package func changes() throws(SQLiteError) -> [UInt8] {
        var count: Int32 = 0
        var bytes: UnsafeMutableRawPointer?
        let code = unsafe sqlite3session_changeset(session, &count, &bytes)
        defer { unsafe sqlite3_free(bytes) }
        guard code == SQLITE_OK else { throw .failed(code: code, statement: "changeset") }
        return unsafe Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
    }
}
