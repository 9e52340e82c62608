// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// One open database file; whoever reads or writes has it alone for that time.
///
/// Every error comes out as the `Failure` of the store that the file belongs to.
final class Database<Failure: StorageError>: @unchecked Sendable {
    // SAFETY: The connection is touched only while the lock is held.
    private let connection: Connection
    private let lock = Mutex(())
    let path: String
    private let schema: Schema
    /// Nil where nobody else has copies.
    private let journal: (any Journal<Failure>)?

    /// What one of several changes does.
    typealias Change = @Sendable (borrowing Access<Failure>) throws(Failure) -> Void

    /// Opens a file; `opening` says which formats it may have.
    init(
        path: String, schema: Schema, _ opening: Schema.Opening,
        busyTimeoutMilliseconds: Int32 = Connection.busyTimeoutMilliseconds,
        journal: (any Journal<Failure>)? = nil
    ) throws(Failure) {
        self.path = path
        self.schema = schema
        self.journal = journal
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
        try lock.withLock { (_) throws(Failure) in try unlockedQuery(body) }
    }

    /// Lends the file for changes: all of them become durable together, or none is made.
    func write<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        guard let journal else { return try transaction("BEGIN IMMEDIATE", body) }
        return try lock.withLock { (_) throws(Failure) in
            try unlockedTransaction("BEGIN IMMEDIATE") { access throws(Failure) in
                guard let turn = try journal.begin(connection) else { return try body(access) }
                defer { turn.giveBack() }
                let result = try body(access)
                try journal.end(turn, connection)
                return result
            }
        }
    }

    /// Lends the file for changes that are nobody else's.
    func writeLocally<R: Sendable>(
        _ body: (borrowing Access<Failure>, Connection) throws(Failure) -> R
    ) throws(Failure) -> R {
        try transaction("BEGIN IMMEDIATE") { access throws(Failure) in
            try body(access, connection)
        }
    }

    /// Lends the connection, outside of any transaction.
    func alone<R: Sendable>(
        _ body: (Connection) throws(Failure) -> R
    ) throws(Failure) -> R {
        try lock.withLock { (_) throws(Failure) in try body(connection) }
    }

    /// Makes changes durable with one commit: for each, why it was refused; nil where it was not.
    ///
    /// One that is refused undoes nothing of the others. Where nothing can be committed all fail,
    /// except that what is too much for one batch of a shared log is committed in parts.
    func writeAll(_ changes: [Change]) throws(Failure) -> [Failure?] {
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
                    // After some errors SQLite has undone all of it.
                    guard access.isInTransaction else { throw error }
                    try access.run("ROLLBACK TO change")
                    try access.run("RELEASE change")
                    return error
                }
            }
        }
    }

    /// Lends a consistent view if nobody has the file just now; nil where somebody has.
    func readIfFree<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R? {
        try lock.withLockIfAvailable { (_) throws(Failure) in
            try unlockedTransaction("BEGIN", body)
        }
    }

    /// The same for one query.
    func queryIfFree<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R? {
        try lock.withLockIfAvailable { (_) throws(Failure) in try unlockedQuery(body) }
    }

    /// The file's stamp, which has to be in its place; nil where there is none.
    func stampInPlace() throws(Failure) -> FileStamp? {
        try lock.withLock { (_) throws(Failure) in
            try Access<Failure>(connection).checkFileIsInPlace()
            return connection.stamp
        }
    }

    /// The stamp of the file that was opened, wherever it is now; for what is looked at between
    /// two looks at its place.
    var stamp: FileStamp? { lock.withLock { _ in connection.stamp } }

    /// The same if nobody has the file just now; nil in nil where somebody has.
    var stampIfFree: FileStamp?? { lock.withLockIfAvailable { _ in connection.stamp } }

    /// Another connection to the same file.
    func twin() throws(Failure) -> Database {
        try Database(path: path, schema: schema, .existing, journal: journal?.twin())
    }

    /// The newer format that the file was given since it was opened; nil if it has none, or if the
    /// connection is in use.
    var formatProblem: SQLiteError? {
        lock.withLockIfAvailable { _ in
            do throws(SQLiteError) { try schema.checkIsKnown(connection) } catch {
                if case .newerFormat = error { return error }
            }
            return nil
        } ?? nil
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
            // A newer version may have changed the format since the file was opened.
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

/// Reads past whoever writes: by the writer's own connection where it is free, else by another.
final class SpareReader<Failure: StorageError>: Sendable {
    private let writer: Database<Failure>
    private let spare = Mutex<Database<Failure>?>(nil)

    init(of writer: Database<Failure>) {
        self.writer = writer
    }

    /// Lends a consistent view, with all that was committed.
    func read<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        if let result = try writer.readIfFree(body) { return result }
        return try other().read(body)
    }

    /// The same for one query.
    func query<R: Sendable>(
        _ body: (borrowing Access<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R {
        if let result = try writer.queryIfFree(body) { return result }
        return try other().query(body)
    }

    /// The file's stamp; nil where it is not to be had.
    func stamp() throws(Failure) -> FileStamp? {
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
