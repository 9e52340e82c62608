// SPDX-License-Identifier: Apache-2.0

/// Why SQLite did not do what it was asked; never holds an argument of a statement.
enum SQLiteError: Error, Hashable, Sendable {
    /// A call did not succeed; the text is the statement without its arguments.
    case failed(code: Int32, statement: String)
    /// A column does not hold a value of its declared type.
    case unexpectedValue(statement: String)
    /// The file system does not offer what a durable log needs.
    case noWriteAheadLog
    /// The file is of a format that this version does not know.
    case newerFormat(file: String, found: Int, supported: Int)
    /// The file is of an older format, and whoever opened it does not change it.
    case olderFormat(file: String, found: Int, supported: Int)
    /// The file is no database of the expected kind.
    case foreignFile(String)
}

/// The error of a store, which can stand for whatever SQLite reports.
protocol StorageError: Error {
    init(_ error: SQLiteError)
}
