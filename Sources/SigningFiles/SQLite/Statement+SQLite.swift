// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
package import SigningCrypto

/// One prepared statement, which is finalised when this object is deallocated.
@safe package final class Statement {
    package let sql: String
    private let handle: OpaquePointer

    /// Prepares a statement for many uses.
    init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = unsafe sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle = unsafe handle else {
            throw .failed(code: code, statement: sql)
        }
        self.sql = sql
        unsafe self.handle = handle
    }

    deinit { unsafe sqlite3_finalize(handle) }

    /// Binds all arguments, the first to position 1.
    package func bind(_ values: [SQLiteValue]) throws(SQLiteError) {
        precondition(
            values.count == Int(unsafe sqlite3_bind_parameter_count(handle)),
            "the number of values differs from the number of the statement's parameters")
        for (index, value) in values.enumerated() {
            let code = bind(value, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw .failed(code: code, statement: sql) }
        }
    }

    /// Binds a secret, of which SQLite then keeps a copy.
    package func bind(_ secret: borrowing SecretBytes, at position: Int32) throws(SQLiteError) {
        let code = secret.withSpan { bytes in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe sqlite3_shim_bind_blob(
                    handle, position, bytes.baseAddress, UInt64(bytes.count))
            }
        }
        guard code == SQLITE_OK else { throw .failed(code: code, statement: sql) }
    }

    /// Binds all columns of another statement's current row; returns their approximate size in
    /// bytes.
    package func bind(rowOf other: Statement) throws(SQLiteError) -> Int {
        var size = 0
        for column in 0..<Int32(other.columnCount) {
            size += unsafe Int(sqlite3_column_bytes(other.handle, column)) + Self.columnBytesMax
            let code = unsafe sqlite3_bind_value(
                handle, column + 1, sqlite3_column_value(other.handle, column))
            guard code == SQLITE_OK else { throw .failed(code: code, statement: sql) }
        }
        return size
    }

    /// The size in bytes that a column adds to a changeset besides its text or bytes.
    private static let columnBytesMax = 10

    /// The number of columns in a row.
    package var columnCount: Int { unsafe Int(sqlite3_column_count(handle)) }

    /// Advances to the next row; false after the last.
    package func step() throws(SQLiteError) -> Bool {
        let code = unsafe sqlite3_step(handle)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default: throw .failed(code: code, statement: sql)
        }
    }

    /// Prepares the statement for its next use and clears the arguments.
    package func reset() {
        // Both functions return the error of the last step again, which `step` has already thrown.
        unsafe sqlite3_reset(handle)
        unsafe sqlite3_clear_bindings(handle)
    }

    private func bind(_ value: SQLiteValue, at position: Int32) -> Int32 {
        switch value {
        case .null: return unsafe sqlite3_bind_null(handle, position)
        case .integer(let number): return unsafe sqlite3_bind_int64(handle, position, number)
        case .text(var text):
            return text.withUTF8 { bytes in
                unsafe sqlite3_shim_bind_text(
                    handle, position, bytes.baseAddress, UInt64(bytes.count))
            }
        case .bytes(let bytes):
            return unsafe bytes.withUnsafeBytes { bytes in
                unsafe sqlite3_shim_bind_blob(
                    handle, position, bytes.baseAddress, UInt64(bytes.count))
            }
        }
    }
}

extension Statement {
    /// Whether a column of the current row is null.
    package func isNull(_ column: Int) -> Bool {
        unsafe sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    /// The integer in a column of the current row.
    package func integer(_ column: Int) throws(SQLiteError) -> Int64 {
        try check(column, is: SQLITE_INTEGER)
        return unsafe sqlite3_column_int64(handle, Int32(column))
    }

    /// The text in a column of the current row.
    package func text(_ column: Int) throws(SQLiteError) -> String {
        try check(column, is: SQLITE_TEXT)
        let start = unsafe sqlite3_column_text(handle, Int32(column))
        let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
        let bytes = unsafe UnsafeBufferPointer(start: start, count: count)
        guard let text = unsafe String(validating: bytes, as: UTF8.self) else {
            throw .unexpectedValue(statement: sql)
        }
        return text
    }

    /// The bytes in a column of the current row.
    package func bytes(_ column: Int) throws(SQLiteError) -> [UInt8] {
        try check(column, is: SQLITE_BLOB)
        let start = unsafe sqlite3_column_blob(handle, Int32(column))
        let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// The secret in a column of the current row.
    package func secret(_ column: Int) throws(SQLiteError) -> SecretBytes {
        try check(column, is: SQLITE_BLOB)
        let start = unsafe sqlite3_column_blob(handle, Int32(column))
        let count = unsafe Int(sqlite3_column_bytes(handle, Int32(column)))
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe SecretBytes(copying: bytes.bindMemory(to: UInt8.self).span)
    }

    // The tables are STRICT, but another program may have written the file.
    private func check(_ column: Int, is type: Int32) throws(SQLiteError) {
        guard unsafe sqlite3_column_type(handle, Int32(column)) == type else {
            throw .unexpectedValue(statement: sql)
        }
    }
}
