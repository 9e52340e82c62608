// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import SigningCrypto

/// The changes of rows since a recording began.
package struct RowChanges {
    /// True if no row was changed.
    package let isEmpty: Bool
    /// The tables of which rows were changed or deleted.
    package let edited: Set<String>
    /// SHA-256 over the changes, in an order that does not depend on how they were made.
    ///
    /// Two files with the same rows at the beginning have the same rows at the end if their
    /// digests are equal.
    package let digest: [UInt8]
}

extension ChangeRecorder {
    /// The changes since the recording began.
    ///
    /// A last column that is NULL does not count in new rows of the table `grown`, which had no
    /// such column before.
    package func rowChanges(grown: String? = nil) throws(SQLiteError) -> RowChanges {
        var changes = try changes()
        var hashes: [[UInt8]] = []
        var edited: Set<String> = []
        let code = unsafe changes.withUnsafeMutableBytes { bytes -> Int32 in
            var iterator: OpaquePointer?
            let code = unsafe sqlite3changeset_start(
                &iterator, Int32(bytes.count), bytes.baseAddress)
            guard code == SQLITE_OK else { return code }
            while unsafe sqlite3changeset_next(iterator) == SQLITE_ROW {
                // A digest of a part of the changes would say that the rest is equal.
                guard let change = unsafe Self.change(iterator, grown, &edited) else {
                    unsafe sqlite3changeset_finalize(iterator)
                    return SQLITE_CORRUPT
                }
                hashes.append(Digest.sha256(change.span))
            }
            return unsafe sqlite3changeset_finalize(iterator)
        }
        guard code == SQLITE_OK else { throw .failed(code: code, statement: "read changeset") }
        hashes.sort { $0.lexicographicallyPrecedes($1) }
        var all: [UInt8] = []
        for hash in hashes { all += hash }
        return RowChanges(
            isEmpty: hashes.isEmpty, edited: edited, digest: Digest.sha256(all.span))
    }

    /// One change: the name of the table with its length, the operation, and the old and the new
    /// value of each column.
    @unsafe private static func change(
        _ iterator: OpaquePointer?, _ grown: String?, _ edited: inout Set<String>
    ) -> [UInt8]? {
        var name: UnsafePointer<CChar>?
        var columnCount: Int32 = 0
        var operation: Int32 = 0
        let code = unsafe sqlite3changeset_op(iterator, &name, &columnCount, &operation, nil)
        guard code == SQLITE_OK, let name = unsafe name else { return nil }
        var change: [UInt8] = []
        let table = unsafe String(cString: name)
        if operation != SQLITE_INSERT { edited.insert(table) }
        append(Array(table.utf8), to: &change)
        change.append(UInt8(truncatingIfNeeded: operation))
        for column in 0..<columnCount {
            var value: OpaquePointer?
            if operation != SQLITE_INSERT {
                guard unsafe sqlite3changeset_old(iterator, column, &value) == SQLITE_OK else {
                    return nil
                }
                unsafe append(value, to: &change)
            }
            if operation != SQLITE_DELETE {
                guard unsafe sqlite3changeset_new(iterator, column, &value) == SQLITE_OK else {
                    return nil
                }
                if table == grown, column == columnCount - 1, let value = unsafe value,
                    unsafe sqlite3_value_type(value) == SQLITE_NULL
                {
                    continue
                }
                unsafe append(value, to: &change)
            }
        }
        return change
    }

    /// Adds a value: its type, and its integer or its bytes.
    @unsafe private static func append(_ value: OpaquePointer?, to change: inout [UInt8]) {
        // An update has no value for a column that stays as it is.
        guard let value = unsafe value else { return change.append(0) }
        let type = unsafe sqlite3_value_type(value)
        change.append(UInt8(truncatingIfNeeded: type))
        switch type {
        case SQLITE_NULL: break
        case SQLITE_INTEGER:
            let number = unsafe sqlite3_value_int64(value)
            append(number, to: &change)
        default:
            // The bytes come first: the count is that of the form that was asked for last.
            let start = unsafe sqlite3_value_blob(value)
            let count = Int(unsafe sqlite3_value_bytes(value))
            append(
                unsafe Array(UnsafeRawBufferPointer(start: start, count: count)), to: &change)
        }
    }

    private static func append(_ bytes: [UInt8], to change: inout [UInt8]) {
        append(Int64(bytes.count), to: &change)
        change += bytes
    }

    private static func append(_ number: Int64, to change: inout [UInt8]) {
        for shift in stride(from: 56, through: 0, by: -8) {
            change.append(UInt8(truncatingIfNeeded: number >> Int64(shift)))
        }
    }
}
