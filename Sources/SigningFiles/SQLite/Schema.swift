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
    /// The tables that are made again, instead of converted, if they have another form; nil if
    /// there are none.
    package let remade: RemadeTables?
    /// Conversions that SQL cannot do, by the format version that they are part of.
    package let conversions: [Int: Conversion]

    /// Fills tables that the script of the same version has created.
    package typealias Conversion = @Sendable (SQLiteConnection) throws(SQLiteError) -> Void

    /// Makes a format.
    package init(
        file: String, applicationID: Int64, migrations: [String],
        conversions: [Int: Conversion] = [:], remade: RemadeTables? = nil
    ) {
        self.file = file
        self.applicationID = applicationID
        self.migrations = migrations
        self.conversions = conversions
        self.remade = remade
    }

    /// The number of the newest format.
    package var version: Int { migrations.count }

    /// The number in the header of a file with the newest format, and with tables of this form.
    private var mark: FormatMark { FormatMark(format: version, tables: remade?.version ?? 0) }

    /// Checks the kind and the format of a file, and upgrades an older format if `opening` says so.
    package func bringUpToDate(
        _ connection: SQLiteConnection, _ opening: Opening
    ) throws(SQLiteError) {
        let found = try foundMark(connection, opening)
        guard found != mark else { return }
        switch opening {
        case .existing:
            throw found.format < version
                ? .olderFormat(file: file, found: found.format, supported: version)
                : .otherTables(file: file, found: found.tables, supported: mark.tables)
        case .asFound: return
        case .upgrading, .new: break
        }
        try connection.execute("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            // Another process may have upgraded the file first.
            let found = try foundMark(connection, opening)
            let copy =
                (1..<version).contains(found.format)
                ? try FormatCopy.make(of: connection.path, in: found.format) : nil
            do throws(SQLiteError) {
                for step in migrations.indices.dropFirst(found.format) {
                    try connection.execute(migrations[step])
                    if let conversion = conversions[step + 1] { try conversion(connection) }
                }
            } catch {
                guard error.isOfOtherTables else { throw error }
                throw .notConverted(
                    "\(file) says that it has format \(found.format), but its tables are not of "
                        + "that format: put a good \(file) back, or restore the home from a backup",
                    isDamaged: false)
            }
            if let remade, remade.version != found.tables { try remade.make(connection) }
            try connection.execute("PRAGMA application_id = \(applicationID)")
            try connection.execute("PRAGMA user_version = \(mark.number)")
            try connection.execute("COMMIT")
            copy?.deleteOlder()
        } catch {
            connection.rollBack()
            throw error
        }
    }

    /// Whether a file has an older format, or tables of another form.
    package func isOlder(_ connection: SQLiteConnection) throws(SQLiteError) -> Bool {
        try foundMark(connection, .existing) != mark
    }

    /// Throws if another version has upgraded the file since it was opened.
    func checkIsKnown(_ connection: SQLiteConnection) throws(SQLiteError) {
        let number = try Self.pragma("user_version", connection)
        guard number != mark.number else { return }
        let found = FormatMark(number)
        guard found.format <= version else {
            throw .newerFormat(file: file, found: found.format, supported: version)
        }
        guard found.format < version || found.tables == mark.tables else {
            throw .otherTables(file: file, found: found.tables, supported: mark.tables)
        }
    }

    /// The format and the form of the tables of a file; 0 for an empty one.
    private func foundMark(
        _ connection: SQLiteConnection, _ opening: Opening
    ) throws(SQLiteError) -> FormatMark {
        let found = FormatMark(try Self.pragma("user_version", connection))
        let kind = try Self.pragma("application_id", connection)
        if found.number == 0, kind == 0 {
            // If a file with data was replaced by an empty one, that must be an error.
            guard opening == .new else { throw .foreignFile(file) }
            return found
        }
        guard kind == applicationID, found.format > 0 else { throw .foreignFile(file) }
        guard found.format <= version else {
            throw .newerFormat(file: file, found: found.format, supported: version)
        }
        return found
    }

    private static func pragma(
        _ name: String, _ connection: SQLiteConnection
    ) throws(SQLiteError) -> Int64 {
        let statement = try connection.statement("PRAGMA \(name)")
        defer { statement.reset() }
        return try statement.step() ? statement.integer(0) : 0
    }
}

/// The tables of a file whose rows follow from its other rows.
///
/// Their form has a version of its own. A file with tables of another version keeps all other
/// rows, and gets these tables anew.
package struct RemadeTables: Sendable {
    /// The version of their form, at most 32,767; 0 is the form that the migrations make.
    package let version: Int
    /// Makes the tables again, in a transaction; throws if they do not follow from the other rows.
    package let make: Schema.Conversion

    /// Creates the description of the tables.
    package init(version: Int, make: @escaping Schema.Conversion) {
        self.version = version
        self.make = make
    }
}

/// The number in a file's header: its format, and the version of its remade tables.
private struct FormatMark: Hashable {
    let format: Int
    let tables: Int

    init(format: Int, tables: Int) {
        self.format = format
        self.tables = tables
    }

    init(_ number: Int64) {
        format = Int(number & 0xFFFF)
        tables = Int(number >> 16)
    }

    var number: Int64 { Int64(tables) << 16 | Int64(format) }
}
