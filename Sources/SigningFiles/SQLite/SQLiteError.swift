// SPDX-License-Identifier: Apache-2.0

/// An error of SQLite; never contains an argument of a statement.
package enum SQLiteError: Error, Hashable, Sendable {
    /// A call failed; the text is the statement without its arguments.
    case failed(code: Int32, statement: String)
    /// A column's value is not of the declared type.
    case unexpectedValue(statement: String)
    /// The file system does not support write-ahead logging.
    case noWriteAheadLog
    /// The file has a format that this version does not know.
    case newerFormat(file: String, found: Int, supported: Int)
    /// The file has an older format, and was not opened for upgrading.
    case olderFormat(file: String, found: Int, supported: Int)
    /// Another version of this program made the tables that follow from others, in another form.
    case otherTables(file: String, found: Int, supported: Int)
    /// Tables cannot be made again from others; the file is unchanged.
    case notRemade(file: String, reason: String, isCorruption: Bool)
    /// The file is not a database of the expected kind.
    case foreignFile(String)
    /// The content of an older format cannot be converted, for this reason.
    case notConverted(String, isDamaged: Bool)
}

/// The error type of a store, which can represent every error of SQLite.
package protocol StorageError: Error {
    /// Converts an error of SQLite.
    init(_ error: SQLiteError)
}
