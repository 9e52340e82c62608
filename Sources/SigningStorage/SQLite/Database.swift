// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One open database file; whoever reads or writes has it alone for that time.
///
/// Every error comes out as the `Failure` of the store that the file belongs to.
final class Database<Failure: StorageFailure>: @unchecked Sendable {
    // SAFETY: The connection is touched only while the lock is held.
    private let connection: Connection
    private let lock = Mutex(())

    /// Opens a file and brings it to the newest format.
    init(
        path: String, schema: Schema, _ opening: Schema.Opening,
        busyTimeoutMilliseconds: Int32 = Connection.busyTimeoutMilliseconds
    ) throws(Failure) {
        do throws(SQLiteError) {
            connection = try Connection(
                path: path, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
            try schema.bringUpToDate(connection, opening)
        } catch {
            throw Failure(error)
        }
    }

    /// Lends a consistent view of the file.
    func read<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try transaction("BEGIN", body)
    }

    /// Lends the file for one query, which is a consistent view by itself.
    func query<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try lock.withLock { (_) throws(Failure) in
            let access = Access<Failure>(connection)
            try access.checkFileIsInPlace()
            return try body(access)
        }
    }

    /// Lends the file for changes: all of them become durable together, or none is made.
    func write<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try transaction("BEGIN IMMEDIATE", body)
    }

    /// What SQLite itself finds wrong with the file's pages and indexes; nil where nothing is.
    func integrityProblem() throws(Failure) -> String? {
        let found = try read { access throws(Failure) in
            try access.first("PRAGMA integrity_check(1)") { row throws(Failure) in
                try row.text(0)
            }
        }
        return found == "ok" ? nil : found ?? "nothing was found out"
    }

    private func transaction<R: Sendable>(
        _ begin: String, _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try lock.withLock { (_) throws(Failure) in
            let access = Access<Failure>(connection)
            try access.checkFileIsInPlace()
            try access.run(begin)
            do throws(Failure) {
                let result = try body(access)
                try access.run("COMMIT")
                return result
            } catch {
                connection.rollBack()
                throw error
            }
        }
    }
}
