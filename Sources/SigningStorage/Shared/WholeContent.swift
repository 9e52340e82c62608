// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles

/// All rows of a shared ledger, and the state after its newest archived part, as texts in the form
/// of `CarriedRows`: the content of the first batches of a log, and of snapshots.
///
/// The name of a row is that of its table, or `state` for a line of the state.
enum WholeContent {
    /// Hands over one text after the other.
    static func read(
        _ access: borrowing Access<LedgerError>, _ take: ([UInt8]) throws(LedgerError) -> Void
    ) throws(LedgerError) {
        var rows: [[String]] = []
        var size = 0
        func put(_ row: [String]) throws(LedgerError) {
            rows.append(row)
            size += row.reduce(0) { $0 + $1.utf8.count }
            guard size >= CarriedRows.partBytes else { return }
            try take(CarriedRows.text(rows))
            rows = []
            size = 0
        }
        if let segment = try access.segments().last(where: { $0.hasState(besides: access.path) }) {
            let lines = try SegmentLines(stateOf: segment, besides: access.path)
            try put([state, String(decoding: lines.beginning, as: UTF8.self)])
            while let line = try lines.next() {
                try put([state, String(decoding: line, as: UTF8.self)])
            }
        }
        for table in Schema.sharedTables {
            let columns = try access.columns(of: table)
            let values = columns.map(CarriedRows.value(of:)).joined(separator: ", ")
            _ = try access.all("SELECT \(values) FROM \(table)") { row throws(LedgerError) in
                let texts = try columns.indices.map { (place) throws(LedgerError) in
                    try row.text(place)
                }
                try put([table] + texts.map(shorter))
            }
        }
        if !rows.isEmpty { try take(CarriedRows.text(rows)) }
    }

    /// Adds the rows of a text to an empty copy; false if they do not fit.
    static func add(
        _ text: [UInt8], to access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> Bool {
        guard let rows = try? CarriedRows.rows(text) else { return false }
        for row in rows {
            if row.count == 2, row[0] == state {
                try StatePart.add(Array("\(row[1])\n".utf8), besides: access.path)
                continue
            }
            guard let table = row.first, Schema.sharedTables.contains(table) else { return false }
            // A newer version may have more columns; each is NULL in rows of older ones.
            let columns = try access.columns(of: table).prefix(row.count - 1)
            guard columns.count == row.count - 1 else { return false }
            let marks = Array(repeating: "?", count: columns.count).joined(separator: ", ")
            let values = try row.dropFirst().map { (text) throws(LedgerError) in
                try SQLiteValue(carried: text)
            }
            do throws(LedgerError) {
                _ = try access.rows(
                    """
                    INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(marks))
                    """, values, countMax: .max
                ) { _ in }
            } catch {
                guard access.failedByConstraint else { throw error }
                return false
            }
        }
        return true
    }

    private static let state = "state"

    /// The value with large bytes in Base64, as hexadecimal would not fit in a batch.
    private static func shorter(_ value: String) -> String {
        guard value.hasPrefix("x"), value.utf8.count > hexBytesMax,
            let bytes = try? Hex.decode(String(value.dropFirst()), countMax: .max)
        else { return value }
        return "b" + Base64.encode(bytes.span)
    }

    private static let hexBytesMax = 1_024
}

extension Access<LedgerError> {
    /// The names of the columns of a table, in their order.
    fileprivate func columns(of table: String) throws(LedgerError) -> [String] {
        try all("SELECT name FROM pragma_table_info(?, 'main') ORDER BY cid", .text(table)) {
            row throws(LedgerError) in try row.text(0)
        }
    }
}
