// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One open database file, which several threads may use; a lock lets one at a time access it.
///
/// Errors of SQLite are thrown as `Failure`, the error type of the store that the file belongs to.
package final class Database<Failure: StorageError>: @unchecked Sendable {
    // SAFETY: the connection is used only while the lock is held.
    private let connection: SQLiteConnection
    private let lock = Mutex(())
    /// The path of the file.
    package let path: String
    private let schema: Schema
    /// The journal that sends changes to other hubs; nil if the file is not shared.
    private let journal: (any Journal<Failure>)?

    /// One of several changes that are committed together.
    package typealias Change = @Sendable (borrowing Access<Failure>) throws(Failure) -> Void

    /// Opens a file; `opening` selects the formats that it may have.
    package init(
        path: String, schema: Schema, _ opening: Schema.Opening,
        busyTimeoutMilliseconds: Int32 = SQLiteConnection.busyTimeoutMilliseconds,
        journal: (any Journal<Failure>)? = nil
    ) throws(Failure) {
        self.path = path
        self.schema = schema
        self.journal = journal
        do throws(SQLiteError) {
            connection = try SQLiteConnection(
                path: path, busyTimeoutMilliseconds: busyTimeoutMilliseconds)
            try schema.bringUpToDate(connection, opening)
        } catch {
            throw Failure(error)
        }
    }

    /// Runs a body in a read transaction, which sees a consistent state.
    package func read<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try transaction("BEGIN", body)
    }

    /// Runs a body without a transaction; it may run a single query, which needs none.
    package func query<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try lock.withLock { (_) throws(Failure) in try unlockedQuery(body) }
    }

    /// Runs a body in a write transaction: either all of its changes become durable or none does.
    ///
    /// If the file is shared, the changes are also sent to the other hubs.
    package func write<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        guard let journal else { return try transaction("BEGIN IMMEDIATE", body) }
        return try lock.withLock { (_) throws(Failure) in
            try unlockedTransaction("BEGIN IMMEDIATE") { access throws(Failure) in
                try journal.share(connection) { () throws(Failure) in try body(access) }
            }
        }
    }

    /// Runs a body in a write transaction whose changes are not sent to other hubs.
    package func writeLocally<R: Sendable>(
        _ body: (borrowing Access<Failure>, SQLiteConnection) throws(Failure) -> R
    ) throws(Failure) -> R {
        try transaction("BEGIN IMMEDIATE") { access throws(Failure) in
            try body(access, connection)
        }
    }

    /// Runs a body on the connection, outside of any transaction.
    package func alone<R: Sendable>(
        _ body: (SQLiteConnection) throws(Failure) -> R
    ) throws(Failure) -> R {
        try lock.withLock { (_) throws(Failure) in try body(connection) }
    }

    /// Commits several changes together; returns for each change its error, or nil if it was made.
    ///
    /// A change that throws does not undo the others. If the commit fails, no change is made and
    /// the method throws. Changes that are together too large for one batch of a shared log are
    /// committed in parts.
    package func writeAll(_ changes: [Change]) throws(Failure) -> [Failure?] {
        do throws(Failure) {
            return try writeTogether(changes[...])
        } catch {
            guard let journal, journal.isTooMuch(error), changes.count > 1 else { throw error }
            return writeInParts(changes[...], because: error)
        }
    }

    private func writeInParts(
        _ changes: ArraySlice<Change>, because failure: Failure
    ) -> [Failure?] {
        guard changes.count > 1 else { return [failure] }
        let middle = changes.startIndex + changes.count / 2
        return [changes[..<middle], changes[middle...]].flatMap { part -> [Failure?] in
            do throws(Failure) {
                return try writeTogether(part)
            } catch {
                guard journal?.isTooMuch(error) == true else {
                    return part.map { _ in error }
                }
                return writeInParts(part, because: error)
            }
        }
    }

    private func writeTogether(_ changes: ArraySlice<Change>) throws(Failure) -> [Failure?] {
        try write { access throws(Failure) in
            try changes.map { (change) throws(Failure) in
                try access.run("SAVEPOINT change")
                do throws(Failure) {
                    try change(access)
                    try access.run("RELEASE change")
                    return nil
                } catch {
                    // Some errors make SQLite roll back the whole transaction.
                    guard access.isInTransaction else { throw error }
                    try access.run("ROLLBACK TO change")
                    try access.run("RELEASE change")
                    return error
                }
            }
        }
    }

    /// Runs a body in a read transaction if the connection is free; nil if it is in use.
    func readIfFree<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R? {
        try lock.withLockIfAvailable { (_) throws(Failure) in
            try unlockedTransaction("BEGIN", body)
        }
    }

    /// Runs a body with a single query if the connection is free; nil if it is in use.
    func queryIfFree<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R? {
        try lock.withLockIfAvailable { (_) throws(Failure) in try unlockedQuery(body) }
    }

    /// The file's stamp; nil if there is none at the moment.
    ///
    /// Throws if the file was deleted or replaced since it was opened.
    package func stampInPlace() throws(Failure) -> FileStamp? {
        try lock.withLock { (_) throws(Failure) in
            try Access<Failure>(connection).checkFileIsInPlace()
            return connection.stamp
        }
    }

    /// The file's stamp, without checking whether the file was deleted or replaced.
    ///
    /// For callers that check this before and afterwards.
    package var stamp: FileStamp? { lock.withLock { _ in connection.stamp } }

    /// The file's stamp as an inner optional; the outer optional is nil if the connection is in
    /// use.
    var stampIfFree: FileStamp?? { lock.withLockIfAvailable { _ in connection.stamp } }

    /// Opens a second connection to the file.
    package func twin() throws(Failure) -> Database {
        try Database(path: path, schema: schema, .existing, journal: journal?.twin())
    }

    /// The error that another version of this program has upgraded the file since it was opened.
    ///
    /// Nil if that did not happen, or if the connection is in use.
    package var formatProblem: SQLiteError? {
        lock.withLockIfAvailable { _ in
            do throws(SQLiteError) { try schema.checkIsKnown(connection) } catch {
                switch error {
                case .newerFormat, .otherTables: return error
                default: break
                }
            }
            return nil
        } ?? nil
    }

    /// The first damage that SQLite finds in the file's pages and indexes; nil if the file is
    /// intact.
    package func integrityProblem() throws(Failure) -> String? {
        let found = try read { access throws(Failure) in
            try access.first("PRAGMA integrity_check(1)") { row throws(Failure) in
                try row.text(0)
            }
        }
        return found == "ok" ? nil : found ?? "the check gave no result"
    }

    private func transaction<R: Sendable>(
        _ begin: String, _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        try lock.withLock { (_) throws(Failure) in try unlockedTransaction(begin, body) }
    }

    private func unlockedQuery<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        let access = Access<Failure>(connection)
        try access.checkFileIsInPlace()
        return try body(access)
    }

    private func unlockedTransaction<R: Sendable>(
        _ begin: String, _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        let access = Access<Failure>(connection)
        try access.checkFileIsInPlace()
        try access.run(begin)
        do throws(Failure) {
            // Another version may have changed the format since the file was opened.
            do throws(SQLiteError) {
                try schema.checkIsKnown(connection)
            } catch {
                throw Failure(error)
            }
            let result = try body(access)
            try access.run("COMMIT")
            return result
        } catch {
            connection.rollBack()
            throw error
        }
    }
}

/// Reads without waiting for a writer: with the writer's connection if it is free, otherwise with
/// another one.
package final class SpareReader<Failure: StorageError>: Sendable {
    private let writer: Database<Failure>
    private let spare = Mutex<Database<Failure>?>(nil)

    /// Makes a reader of the file that the writer has open.
    package init(of writer: Database<Failure>) {
        self.writer = writer
    }

    /// Runs a body in a read transaction, which sees all committed changes.
    package func read<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        if let result = try writer.readIfFree(body) { return result }
        return try other().read(body)
    }

    /// Runs a body without a transaction; it may run a single query.
    package func query<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        if let result = try writer.queryIfFree(body) { return result }
        return try other().query(body)
    }

    /// The file's stamp; nil if there is none at the moment.
    package func stamp() throws(Failure) -> FileStamp? {
        if let stamp = writer.stampIfFree { return stamp }
        return try other().stamp
    }

    private func other() throws(Failure) -> Database<Failure> {
        try spare.withLock { (spare) throws(Failure) in
            if let other = spare { return other }
            let other = try writer.twin()
            spare = other
            return other
        }
    }
}
