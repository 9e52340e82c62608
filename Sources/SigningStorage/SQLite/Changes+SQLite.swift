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

    /// Reads a whole changeset.
    static func all(in changes: [UInt8]) throws(SQLiteError) -> Set<RowChange> {
        var found: Set<RowChange> = []
        var copy = changes
        let code = unsafe copy.withUnsafeMutableBytes { bytes -> Int32 in
            var iterator: OpaquePointer?
            let code = unsafe sqlite3changeset_start(
                &iterator, Int32(bytes.count), bytes.baseAddress)
            guard code == SQLITE_OK else { return code }
            while unsafe sqlite3changeset_next(iterator) == SQLITE_ROW {
                var name: UnsafePointer<CChar>?
                var columnCount: Int32 = 0
                var operation: Int32 = 0
                var isIndirect: Int32 = 0
                let code = unsafe sqlite3changeset_op(
                    iterator, &name, &columnCount, &operation, &isIndirect)
                guard code == SQLITE_OK, let name = unsafe name else { break }
                unsafe found.insert(
                    RowChange(
                        table: String(cString: name), isInsertion: operation == SQLITE_INSERT))
            }
            // It repeats whatever stopped the walk.
            return unsafe sqlite3changeset_finalize(iterator)
        }
        guard code == SQLITE_OK else { throw .failed(code: code, statement: "read changeset") }
        return found
    }
}

extension Connection {
    /// Makes the changes of a changeset; whatever does not fit what is here undoes all of them.
    func apply(_ changes: [UInt8]) throws(SQLiteError) {
        var copy = changes
        let code = unsafe copy.withUnsafeMutableBytes { bytes in
            unsafe sqlite3changeset_apply(
                handle, Int32(bytes.count), bytes.baseAddress, nil,
                { _, _, _ in SQLITE_CHANGESET_ABORT }, nil)
        }
        guard code == SQLITE_OK else { throw .failed(code: code, statement: "apply changeset") }
    }
}

extension SQLiteError {
    /// Whether a changeset did not fit what it was applied to.
    var isMisfit: Bool {
        guard case .failed(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_ABORT || code & 0xFF == SQLITE_CONSTRAINT
    }
}
