// SPDX-License-Identifier: Apache-2.0

package import SigningCrypto

/// The database operations that the body of a transaction can use.
package struct Access<Failure: StorageError>: ~Copyable {
    private let connection: SQLiteConnection

    /// Makes the operations of a connection.
    package init(_ connection: SQLiteConnection) {
        self.connection = connection
    }

    /// Makes the operations of the same connection.
    package init(of other: borrowing Access) { connection = other.connection }

    /// The path of the database file.
    package var path: String { connection.path }

    /// True if the transaction has not been rolled back.
    package var isInTransaction: Bool { connection.isInTransaction }

    /// True if the last statement that failed would have broken a constraint of a table.
    package var failedByConstraint: Bool { connection.failedByConstraint }

    /// The number of rows that this connection has changed since it was opened.
    package var changeCount: Int64 { connection.changeCount }

    /// Runs a statement to its end.
    package func run(_ sql: String, _ values: SQLiteValue...) throws(Failure) {
        _ = try rows(sql, values, countMax: .max) { _ in }
    }

    /// The first row of a query; nil if it has none.
    package func first<R>(
        _ sql: String, _ values: SQLiteValue..., read: (borrowing Row<Failure>) throws(Failure) -> R
    ) throws(Failure) -> R? {
        try rows(sql, values, countMax: 1, read: read).first
    }

    /// All rows of a query.
    package func all<R>(
        _ sql: String, _ values: SQLiteValue..., read: (borrowing Row<Failure>) throws(Failure) -> R
    ) throws(Failure) -> [R] {
        try rows(sql, values, countMax: .max, read: read)
    }

    /// Whether a query has rows.
    package func exists(_ sql: String, _ values: SQLiteValue...) throws(Failure) -> Bool {
        try !rows(sql, values, countMax: 1) { _ in }.isEmpty
    }

    /// Runs a statement whose only argument is a secret.
    package func run(_ sql: String, _ secret: borrowing SecretBytes) throws(Failure) {
        do throws(SQLiteError) {
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            try statement.bind(secret, at: 1)
            _ = try statement.step()
        } catch {
            throw Failure(error)
        }
    }

    /// The secret in the first column of the first row; nil if there is no row.
    package func secret(_ sql: String) throws(Failure) -> SecretBytes? {
        do throws(SQLiteError) {
            let statement = try connection.statement(sql)
            defer { statement.reset() }
            return try statement.step() ? try statement.secret(0) : nil
        } catch {
            throw Failure(error)
        }
    }

    /// Throws if the file was deleted or replaced.
    func checkFileIsInPlace() throws(Failure) {
        do throws(SQLiteError) {
            try connection.checkFileIsInPlace()
        } catch {
            throw Failure(error)
        }
    }

    /// The first rows of a query, at most `countMax`.
    package func rows<R>(
        _ sql: String, _ values: [SQLiteValue], countMax: Int,
        read: (borrowing Row<Failure>) throws(Failure) -> R
    ) throws(Failure) -> [R] {
        let statement: Statement
        do throws(SQLiteError) {
            statement = try connection.statement(sql)
            try statement.bind(values)
        } catch {
            throw Failure(error)
        }
        defer { statement.reset() }
        let row = Row<Failure>(statement)
        var results: [R] = []
        while results.count < countMax {
            guard try row.next() else { break }
            results.append(try read(row))
        }
        return results
    }
}

/// The current row of a query.
package struct Row<Failure: StorageError>: ~Copyable {
    private let statement: Statement

    init(_ statement: Statement) {
        self.statement = statement
    }

    /// The integer in a column.
    package func integer(_ column: Int) throws(Failure) -> Int64 {
        do throws(SQLiteError) { return try statement.integer(column) } catch {
            throw Failure(error)
        }
    }

    /// The text in a column.
    package func text(_ column: Int) throws(Failure) -> String {
        do throws(SQLiteError) { return try statement.text(column) } catch { throw Failure(error) }
    }

    /// The text in a column that may be null.
    package func optionalText(_ column: Int) throws(Failure) -> String? {
        statement.isNull(column) ? nil : try text(column)
    }

    /// The integer in a column that may be null.
    package func optionalInteger(_ column: Int) throws(Failure) -> Int64? {
        statement.isNull(column) ? nil : try integer(column)
    }

    /// The bytes in a column.
    package func bytes(_ column: Int) throws(Failure) -> [UInt8] {
        do throws(SQLiteError) { return try statement.bytes(column) } catch { throw Failure(error) }
    }

    /// The bytes in a column that may be null.
    package func optionalBytes(_ column: Int) throws(Failure) -> [UInt8]? {
        statement.isNull(column) ? nil : try bytes(column)
    }

    /// Advances to the next row; false after the last.
    fileprivate func next() throws(Failure) -> Bool {
        do throws(SQLiteError) { return try statement.step() } catch { throw Failure(error) }
    }
}
