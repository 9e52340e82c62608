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

/// The kind of change that a changeset makes to a row of a table.
package struct RowChange: Hashable {
    /// The name of the table.
    package let table: String
    /// True if the change inserts a row; false if it updates or deletes one.
    package let isInsertion: Bool
}

/// The tables that a changeset changes, and the kinds of changes.
package struct ChangedTables {
    /// The kinds of changes, each once for a table.
    package private(set) var rows: Set<RowChange> = []
    /// For each changed table, one value for each column: true if it is in the primary key.
    private(set) var keys: [String: [Bool]] = [:]

    /// Reads a whole changeset.
    package init(in changes: [UInt8]) throws(SQLiteError) {
        var copy = changes
        let code = unsafe copy.withUnsafeMutableBytes { bytes -> Int32 in
            var iterator: OpaquePointer?
            let code = unsafe sqlite3changeset_start(
                &iterator, Int32(bytes.count), bytes.baseAddress)
            guard code == SQLITE_OK else { return code }
            while unsafe sqlite3changeset_next(iterator) == SQLITE_ROW {
                guard unsafe take(iterator) else { break }
            }
            // Returns the error that ended the loop, if there was one.
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

extension SQLiteConnection {
    /// Applies a changeset as a whole; throws without any change if a row does not fit.
    ///
    /// Also throws if a table has another primary key here: SQLite would skip its changes.
    package func apply(
        _ changes: [UInt8], of tables: ChangedTables, except other: String? = nil
    ) throws(SQLiteError) {
        for (table, key) in tables.keys {
            guard try hasKey(key, in: table) else {
                throw .failed(code: SQLITE_ABORT, statement: "apply changeset")
            }
        }
        var copy = changes
        let code = unsafe (other ?? "").withCString { other in
            unsafe copy.withUnsafeMutableBytes { bytes in
                unsafe sqlite3changeset_apply(
                    handle, Int32(bytes.count), bytes.baseAddress,
                    { other, table in
                        guard let other = unsafe other, let table = unsafe table else { return 1 }
                        let name = unsafe other.assumingMemoryBound(to: CChar.self)
                        return unsafe sqlite3_stricmp(name, table) == 0 ? 0 : 1
                    },
                    { _, _, _ in SQLITE_CHANGESET_ABORT }, UnsafeMutableRawPointer(mutating: other))
            }
        }
        guard code == SQLITE_OK else { throw .failed(code: code, statement: "apply changeset") }
    }
}

extension SQLiteConnection {
    /// Whether the table's primary key consists of exactly the columns that are true in `key`;
    /// further columns of the table must not be in the primary key.
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
    /// True if a changeset did not fit the database that it was applied to.
    package var isMismatch: Bool {
        guard case .failed(let code, _) = self else { return false }
        return code & 0xFF == SQLITE_ABORT || code & 0xFF == SQLITE_CONSTRAINT
    }
}
