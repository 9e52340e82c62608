// SPDX-License-Identifier: Apache-2.0

/// The format of one kind of database file, as the steps that create it.
package struct Schema: Sendable {
    /// The formats that a file may have when it is opened, and the treatment of older ones.
    package enum Opening {
        /// Only the newest format; an older one is refused.
        case existing
        /// The newest or an older format; the file is not upgraded.
        case asFound
        /// The newest format; an older one is upgraded, and a copy of the file stays beside it.
        case upgrading
        /// An empty file, which is given the newest format.
        case new
    }

    /// The file's name, for messages.
    package let file: String
    /// The application id in the file's header, which identifies its kind.
    package let applicationID: Int64
    /// The SQL scripts that lead from each format version to the next; a released script is never
    /// changed.
    package let migrations: [String]
    /// Conversions that SQL cannot do, by the format version that they are part of.
    package let conversions: [Int: Conversion]

    /// Fills tables that the script of the same version has created.
    package typealias Conversion = @Sendable (SQLiteConnection) throws(SQLiteError) -> Void

    /// Makes a format.
    package init(
        file: String, applicationID: Int64, migrations: [String],
        conversions: [Int: Conversion] = [:]
    ) {
        self.file = file
        self.applicationID = applicationID
        self.migrations = migrations
        self.conversions = conversions
    }

    /// The number of the newest format.
    package var version: Int { migrations.count }

    /// Checks the kind and the format of a file, and upgrades an older format if `opening` says so.
    package func bringUpToDate(
        _ connection: SQLiteConnection, _ opening: Opening
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
            // Another process may have upgraded the file first.
            let missing = try missingSteps(connection, opening)
            let copy =
                missing > 0 && missing < version
                ? try FormatCopy.make(of: connection.path, in: version - missing) : nil
            for step in migrations.indices.suffix(missing) {
                try connection.execute(migrations[step])
                if let conversion = conversions[step + 1] { try conversion(connection) }
            }
            try connection.execute("PRAGMA application_id = \(applicationID)")
            try connection.execute("PRAGMA user_version = \(version)")
            try connection.execute("COMMIT")
            copy?.deleteOlder()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Whether a file has an older format.
    package func isOlder(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        try missingSteps(connection, .existing) > 0
    }

    /// Throws if a newer version has upgraded the file since it was opened.
    func checkIsKnown(_ connection: SQLiteConnection) throws(SQLiteError) {
        let found = try Self.pragma("user_version", connection)
        guard found <= version else {
            throw .newerFormat(file: file, found: Int(found), supported: version)
        }
    }

    private func missingSteps(
        _ connection: SQLiteConnection, _ opening: Opening
    ) throws(SQLiteError) -> Int {
        let found = try Self.pragma("user_version", connection)
        let mark = try Self.pragma("application_id", connection)
        if found == 0, mark == 0 {
            // If a file with data was replaced by an empty one, that must be an error.
            guard opening == .new else { throw .foreignFile(file) }
            return version
        }
        guard mark == applicationID, found > 0 else { throw .foreignFile(file) }
        try checkIsKnown(connection)
        return version - Int(found)
    }

    private static func pragma(
        _ name: String, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> Int64 {
        let statement = try connection.statement("PRAGMA \(name)")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}
