// SPDX-License-Identifier: Apache-2.0

/// The format of one kind of database file, as the steps that lead to it.
struct Schema: Sendable {
    /// Which formats a file may have when it is opened, and what is done with an older one.
    enum Opening {
        /// The newest format; an older one is refused.
        case existing
        /// The newest format or an older one, which stays as it is.
        case asFound
        /// The newest format, to which an older one is brought.
        case upgrading
        /// A file without content, which gets the newest format.
        case new
    }

    /// The file's name, for messages.
    let file: String
    /// The mark in the file's header by which its kind is known.
    let applicationID: Int64
    /// One script per format version; what was released is never changed, only added to.
    let migrations: [String]
    /// What a script cannot do, by the version that it leads to.
    var conversions: [Int: Conversion] = [:]

    /// Fills what the script of its version has made.
    typealias Conversion = @Sendable (Connection) throws(SQLiteError) -> Void

    /// The newest format.
    var version: Int { migrations.count }

    /// Checks what kind of file it is, and runs the missing steps where `opening` allows it.
    func bringUpToDate(
        _ connection: Connection, _ opening: Opening
    ) throws(SQLiteError) {
        let missing = try missingSteps(connection, opening)
        guard missing > 0 else { return }
        switch opening {
        case .existing:
            throw .olderFormat(file: file, found: version - missing, supported: version)
        case .asFound: return
        case .upgrading, .new: break
        }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            // Another process may have been faster.
            for step in migrations.indices.suffix(try missingSteps(connection, opening)) {
                try connection.execute(migrations[step])
                if let conversion = conversions[step + 1] { try conversion(connection) }
            }
            try connection.execute("PRAGMA application_id = \(applicationID)")
            try connection.execute("PRAGMA user_version = \(version)")
            try connection.execute("COMMIT")
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Whether a file has an older format.
    func isOlder(_ connection: Connection) throws(SQLiteError) -> Bool {
        try missingSteps(connection, .existing) > 0
    }

    /// Refuses a file to which a newer version has given its format since it was opened.
    func checkIsKnown(_ connection: Connection) throws(SQLiteError) {
        let found = try Self.pragma("user_version", connection)
        guard found <= version else {
            throw .newerFormat(file: file, found: Int(found), supported: version)
        }
    }

    private func missingSteps(
        _ connection: Connection, _ opening: Opening
    ) throws(SQLiteError) -> Int {
        let found = try Self.pragma("user_version", connection)
        let mark = try Self.pragma("application_id", connection)
        if found == 0, mark == 0 {
            // An empty file in place of a full one is no fresh start.
            guard opening == .new else { throw .foreignFile(file) }
            return version
        }
        guard mark == applicationID, found > 0 else { throw .foreignFile(file) }
        try checkIsKnown(connection)
        return version - Int(found)
    }

    private static func pragma(
        _ name: String, _ connection: Connection
    ) throws(SQLiteError) -> Int64 {
        let statement = try connection.statement("PRAGMA \(name)")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
