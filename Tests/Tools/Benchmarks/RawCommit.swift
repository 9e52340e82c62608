// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// SQLite alone, which commits one row of 1 kB after another.
///
/// SAFETY: the benchmark uses it on one thread at a time.
@safe final class RawCommit: @unchecked Sendable {
    private let connection: OpaquePointer
    private let insert: OpaquePointer
    private let row = [UInt8](repeating: 0x5A, count: 1_000)

    init(path: String) {
        var opened: OpaquePointer?
        let code = unsafe sqlite3_open(path, &opened)
        guard code == SQLITE_OK, let connection = unsafe opened else {
            preconditionFailure("no database")
        }
        unsafe self.connection = connection
        let script = """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE rows (id INTEGER PRIMARY KEY, body BLOB NOT NULL);
            """
        precondition(unsafe sqlite3_exec(connection, script, nil, nil, nil) == SQLITE_OK)
        var prepared: OpaquePointer?
        unsafe sqlite3_prepare_v2(
            connection, "INSERT INTO rows (body) VALUES (?)", -1, &prepared, nil)
        guard let insert = unsafe prepared else { preconditionFailure("no statement") }
        unsafe self.insert = insert
    }

    deinit {
        unsafe sqlite3_finalize(insert)
        unsafe sqlite3_close(connection)
    }

    func commit() {
        let bound = unsafe row.withUnsafeBytes { bytes in
            unsafe sqlite3_shim_bind_blob(insert, 1, bytes.baseAddress, UInt64(bytes.count))
        }
        let stepped = unsafe sqlite3_step(insert)
        precondition(bound == SQLITE_OK && stepped == SQLITE_DONE)
        unsafe sqlite3_reset(insert)
    }
}
