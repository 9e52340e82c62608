// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Glibc

/// The copy of a database in its previous format, for the previous version of this program.
///
/// An upgrade makes it and deletes the copy of the upgrade before.
package struct FormatCopy: Hashable, Sendable {
    /// The path of the copy.
    package let path: String
    private let database: String
    private let format: Int

    private init(of database: String, in format: Int) {
        self.database = database
        self.format = format
        path = "\(database).format-\(format)"
    }

    /// The copies that a database with this schema can have, oldest first.
    package static func possible(of database: String, _ schema: Schema) -> [FormatCopy] {
        (1..<max(1, schema.version)).map { FormatCopy(of: database, in: $0) }
    }

    /// True if the copy was made.
    package var exists: Bool { unsafe access(path, F_OK) == 0 }

    /// Copies a database durably; the caller's transaction keeps other processes from writing.
    static func make(of database: String, in format: Int) throws(SQLiteError) -> FormatCopy {
        let copy = FormatCopy(of: database, in: format)
        do throws(HomeError) {
            try copy.write()
        } catch {
            _ = unsafe unlink(copy.partPath)
            throw .failed(code: SQLITE_IOERR, statement: "copy")
        }
        return copy
    }

    /// Deletes the copies of older formats than this one; ignores errors.
    func deleteOlder() {
        for older in 1..<max(1, format) { _ = unsafe unlink(Self(of: database, in: older).path) }
    }

    /// The path of a copy that is not complete.
    package var partPath: String { path + ".part" }

    private func write() throws(HomeError) {
        // A killed process may have left it.
        guard unsafe unlink(partPath) == 0 || errno == ENOENT else {
            throw .failed(path: partPath, code: errno)
        }
        // The copy gets the mode of the empty file.
        let part = unsafe open(partPath, O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0o600)
        guard part >= 0 else { throw .failed(path: partPath, code: errno) }
        close(part)
        let quoted = partPath.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "''")
        do throws(SQLiteError) {
            try SQLiteConnection(path: database).execute("VACUUM INTO '\(quoted)'")
        } catch {
            throw .failed(path: partPath, code: EIO)
        }
        try Home.sync(partPath)
        try Home.move(partPath, to: path)
        try Home.sync(database.lastIndex(of: "/").map { String(database[...$0]) } ?? ".")
    }
}
