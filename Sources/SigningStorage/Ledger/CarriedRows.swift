// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles

/// The rows that entries before format 17 do not state, as the entry of kind `carry` names them.
///
/// A part of them is a text in `blobs`: a JSON list with a list for each row, of the name of its
/// table and its values. A value is `i` with an integer, `t` with a text, `x` with bytes in
/// hexadecimal, `b` with bytes in Base64 (`WholeContent` alone), or `n` for no value.
enum CarriedRows {
    /// A table, with the columns whose values are carried; the first ones are its key.
    struct Table {
        let name: String
        let columns: [String]
        let keyCount: Int
        /// True if entries state the other columns of its rows, and when a row ends.
        let isCompleted: Bool

        fileprivate init(_ name: String, _ columns: String, key: Int, isCompleted: Bool = false) {
            self.name = name
            self.columns = columns.split(separator: ", ").map { String($0) }
            keyCount = key
            self.isCompleted = isCompleted
        }
    }

    static let tables = [
        Table("joint_answers", "digest, public_key, yes, signature", key: 2),
        Table("joint_questions", "digest, body, expires, intent_id", key: 1),
        Table("notes", "subject, name, value, detail", key: 2),
        Table("outbox", "id, sender, bytes, state", key: 1, isCompleted: true),
        Table("serials", "series, last", key: 1),
        Table("sessions", "id, address, time", key: 1, isCompleted: true),
    ]

    /// The size of a part in bytes at which another one begins.
    static let partBytes = 256 << 10

    /// The SQL expression for a value as a text.
    static func value(of column: String) -> String {
        """
        CASE typeof(\(column)) WHEN 'integer' THEN 'i' || \(column)
        WHEN 'text' THEN 't' || \(column)
        WHEN 'blob' THEN 'x' || lower(hex(\(column))) ELSE 'n' END
        """
    }
}

extension Access<LedgerError> {
    /// Stores the rows as texts in `blobs`; returns the SHA-256 of each, none if there is no row.
    ///
    /// Hubs that have equal rows make equal texts.
    func keepCarriedRows() throws(LedgerError) -> [[UInt8]] {
        var digests: [[UInt8]] = []
        var rows: [[String]] = []
        var size = 0
        for table in CarriedRows.tables {
            let key = table.columns.prefix(table.keyCount).joined(separator: ", ")
            let values = table.columns.map(CarriedRows.value(of:)).joined(separator: ", ")
            let found = try all("SELECT \(values) FROM \(table.name) ORDER BY \(key)") {
                row throws(LedgerError) in
                try table.columns.indices.map { (place) throws(LedgerError) in
                    try row.text(place)
                }
            }
            for row in found {
                rows.append([table.name] + row)
                size += row.reduce(0) { $0 + $1.utf8.count }
                guard size >= CarriedRows.partBytes else { continue }
                digests.append(try keep(blob: CarriedRows.text(rows)))
                rows = []
                size = 0
            }
        }
        if !rows.isEmpty { digests.append(try keep(blob: CarriedRows.text(rows))) }
        return digests
    }

    /// The carried rows in these texts; nil if a text is missing or was changed.
    fileprivate func carriedRows(_ digests: [[UInt8]]) throws(LedgerError) -> [[String]]? {
        var rows: [[String]] = []
        for digest in digests {
            guard let text = try blob(digest) else { return nil }
            do throws(EntryError) { rows += try CarriedRows.rows(text) } catch { return nil }
        }
        return rows
    }

    /// Puts rows on record that no entry states, if there are any.
    ///
    /// The new entry has the time of the last one, as a conversion reads no clock.
    ///
    /// `isConversion` is true for a file of an older format. If its entries state rows, a program
    /// set the format back, and nothing is carried: `audit verify` compares the rows.
    func carryOlderRows(isConversion: Bool = false) throws(LedgerError) {
        if isConversion, try hasStatedRows() { return }
        let digests = try keepCarriedRows()
        guard !digests.isEmpty else { return }
        let time = try auditHead().time
        let carry = CarryEntry(policies: [], rows: digests)
        _ = try append(EntryDraft(.carry(carry), at: time), at: time)
    }

    /// Whether an entry has members or a kind that came with format 17.
    private func hasStatedRows() throws(LedgerError) -> Bool {
        try exists(
            """
            SELECT 1 FROM audit WHERE kind IN ('draw', 'ask', 'answer', 'withdraw')
            OR (kind = 'carry' AND instr(body, ',"rows":["'))
            OR (kind = 'result' AND (instr(body, ',"notes":[{') OR instr(body, ',"items":[{')
                OR instr(body, ',"started":')))
            """)
    }

    /// The SHA-256 of the texts with the carried rows.
    func carriedDigests() throws(LedgerError) -> [[UInt8]] {
        let text = try first("SELECT value FROM meta WHERE name = 'carried'") {
            row throws(LedgerError) in try row.text(0)
        }
        return (text ?? "").split(separator: " ").map { (try? Hex.decode(String($0))) ?? [] }
    }
}

extension Index {
    func apply(_ carry: CarryEntry) throws(LedgerError) {
        for text in carry.policies { try insert(text: text.digest, of: text.sequence) }
        guard !carry.rows.isEmpty else { return }
        let known = try access.carriedDigests()
        try setCarried(known + carry.rows.filter { !known.contains($0) })
        guard let rows = try access.carriedRows(carry.rows) else { return }
        for table in CarriedRows.tables where !table.isCompleted {
            try access.run("DELETE FROM \(table.name)")
        }
        for row in rows { try put(carried: row) }
    }

    private func put(carried row: [String]) throws(LedgerError) {
        guard let table = CarriedRows.tables.first(where: { $0.name == row.first }),
            row.count == table.columns.count + 1
        else { throw .corrupt("a carried row has an unknown form") }
        let values = try row.dropFirst().map { (text) throws(LedgerError) in
            try SQLiteValue(carried: text)
        }
        let marks = table.columns.indices.map { "?\($0 + 1)" }
        if table.isCompleted {
            let pairs = zip(table.columns, marks).map { "\($0) = \($1)" }
            try change(
                """
                UPDATE \(table.name) SET \(pairs.dropFirst(table.keyCount).joined(separator: ", "))
                WHERE \(pairs.prefix(table.keyCount).joined(separator: " AND "))
                """, values)
        } else {
            try change(
                """
                INSERT INTO \(table.name) (\(table.columns.joined(separator: ", ")))
                VALUES (\(marks.joined(separator: ", ")))
                """, values)
        }
    }

    private func change(_ sql: String, _ values: [SQLiteValue]) throws(LedgerError) {
        _ = try access.rows(sql, values, countMax: .max) { _ in }
    }

    /// Forgets bytes that a repair names as lost.
    func lose(_ digest: [UInt8]) throws(LedgerError) {
        try access.run("DELETE FROM policies WHERE sha256 = ?", .bytes(digest))
        // Only a replay has the SHA-256 in place of the bytes.
        try access.run(
            "UPDATE notes SET detail = x'' WHERE detail = ?", .text(digest.hexText))
        try access.run(
            "UPDATE joint_questions SET body = '' WHERE digest = ?1 AND body = ?1",
            .bytes(digest))
        try setCarried(access.carriedDigests().filter { $0 != digest })
    }

    private func setCarried(_ digests: [[UInt8]]) throws(LedgerError) {
        guard !digests.isEmpty else { return try clear("carried") }
        try set("carried", to: digests.map(\.hexText).joined(separator: " "))
    }
}

extension CarriedRows {
    static func text(_ rows: [[String]]) -> [UInt8] {
        var writer = EntryWriter(copying: [], moreBytes: partBytes)
        writer.put(rows) { writer, row in
            writer.put(row) { writer, value in writer.put(value) }
        }
        return writer.bytes
    }

    static func rows(_ text: [UInt8]) throws(EntryError) -> [[String]] {
        var reader = EntryReader(text)
        return try reader.list { reader throws(EntryError) in
            try reader.list { reader throws(EntryError) in try reader.text() }
        }
    }
}

extension SQLiteValue {
    /// The value that a text of `CarriedRows` stands for.
    init(carried text: String) throws(LedgerError) {
        let rest = String(text.dropFirst())
        switch text.first {
        case "i": self = Int64(rest).map { .integer($0) } ?? .null
        case "t": self = .text(rest)
        case "b": self = .bytes((try? Base64.decode(rest, countMax: .max)) ?? [])
        case "x": self = .bytes((try? Hex.decode(rest, countMax: .max)) ?? [])
        case "n": self = .null
        default: throw .corrupt("a carried value has an unknown form")
        }
    }
}
