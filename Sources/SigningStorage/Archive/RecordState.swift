// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningCrypto
internal import SigningFiles

/// All that the entries up to one lead to: the rows of the derived tables, and what a replay knows
/// beside them.
///
/// Its text has a first line with the number and the hash of that entry. Each further line is a
/// JSON list of rows in the form of `CarriedRows`: rows of the tables in the order of
/// `DerivedTable.all` and of their keys, then `open` (the entry of an intent without a result),
/// `kept` (an entry that the ledger keeps) and `rules` (what `EntryRules` knows). The bytes of
/// notes, items and questions stay in the ledger: their SHA-256 is in their place.
struct RecordState {
    /// The entry up to which the state reaches.
    var head: AuditHead
    var rules: EntryRules
    /// The intents without a result, with the texts of their entries.
    var openIntents: [[UInt8]: OpenEntry]
    /// The newest entries that put a policy in force and that froze signing, and every repair.
    var kept: [AuditEntry]

    /// An intent that has no result, with the text of its entry.
    struct OpenEntry {
        var intent: IntentEntry
        var body: String
    }

    /// The state at the beginning of a record.
    init(_ rules: EntryRules) {
        head = .empty
        self.rules = rules
        openIntents = [:]
        kept = []
    }

    /// The first line of the text.
    static func beginning(_ head: AuditHead) -> String {
        "countersign state v1 \(head.sequence) \(Hex.encode(head.hash.span))"
    }
}

/// Takes rows and puts them out as lines, whose SHA-256 it computes.
struct StateLines {
    private var hash = SHA256State()
    private var rows: [[String]] = []
    private var size = 0

    /// Takes a line, with its end.
    typealias Output = (_ line: [UInt8]) throws(LedgerError) -> Void

    mutating func begin(at head: AuditHead, _ output: Output) throws(LedgerError) {
        try put(Array(RecordState.beginning(head).utf8), output)
    }

    mutating func add(_ row: [String], _ output: Output) throws(LedgerError) {
        rows.append(row)
        size += row.reduce(0) { $0 + $1.utf8.count }
        if size >= CarriedRows.partBytes { try putRows(output) }
    }

    /// Puts out the last line; returns the SHA-256 of all lines.
    mutating func end(_ output: Output) throws(LedgerError) -> [UInt8] {
        if !rows.isEmpty { try putRows(output) }
        return hash.finish()
    }

    private mutating func putRows(_ output: Output) throws(LedgerError) {
        try put(CarriedRows.text(rows), output)
        rows = []
        size = 0
    }

    private mutating func put(_ text: [UInt8], _ output: Output) throws(LedgerError) {
        let line = text + [UInt8(ascii: "\n")]
        hash.update(line.span)
        try output(line)
    }
}

extension RecordState {
    /// Puts out the text of the state, with the rows of the replayed tables; returns its SHA-256.
    func write(
        _ tables: borrowing ReplayedTables, _ output: StateLines.Output
    ) throws(LedgerError) -> [UInt8] {
        var lines = StateLines()
        try lines.begin(at: head, output)
        for table in DerivedTable.all {
            let values = table.columns.map(table.stateValue).joined(separator: ", ")
            let place = table.columns.firstIndex { $0 == table.bytes }
            _ = try tables.access.all(
                """
                SELECT \(values) FROM temp.\(table.name)
                ORDER BY \(table.key.joined(separator: ", "))
                """
            ) { row throws(LedgerError) in
                var texts = try table.columns.indices.map { (column) throws(LedgerError) in
                    try row.text(column)
                }
                if let place { texts[place] = Self.named(texts[place]) }
                try lines.add([table.name] + texts, output)
            }
        }
        for row in try openRows(in: tables.access) + keptRows + rules.rows {
            try lines.add(row, output)
        }
        return try lines.end(output)
    }

    /// The value of a column with named bytes: carried bytes become their SHA-256.
    private static func named(_ text: String) -> String {
        guard text.hasPrefix("x"), text.utf8.count > 1,
            let bytes = try? Hex.decode(String(text.dropFirst()), countMax: .max)
        else { return text }
        return "t" + Digest.sha256(bytes.span).hexText
    }

    private func openRows(
        in access: borrowing Access<LedgerError>
    ) throws(LedgerError) -> [[String]] {
        // An intent whose entry is in the ledger is not among those that the replay keeps.
        try access.all(
            """
            SELECT id, (SELECT CAST(body AS BLOB) FROM main.audit AS entry
                WHERE entry.sequence = open.sequence)
            FROM temp.open_intents AS open ORDER BY id
            """
        ) { row throws(LedgerError) in
            let id = try row.bytes(0)
            if let open = openIntents[id] { return ["open", open.body] }
            let body = try row.optionalBytes(1) ?? []
            return ["open", String(decoding: body, as: UTF8.self)]
        }
    }

    private var keptRows: [[String]] {
        kept.sorted { $0.sequence < $1.sequence }.map { entry in
            ["kept", String(entry.sequence), entry.previousHash.hexText, entry.body]
        }
    }
}

extension DerivedTable {
    /// The SQL expression for the value of a column in the text of a state.
    fileprivate func stateValue(of column: String) -> String {
        // A question has the SHA-256 of itself as its key; a repair may have given up its text.
        if column == bytes, column == "body" {
            return "iif(body = '', 't', 'x' || lower(hex(digest)))"
        }
        return CarriedRows.value(of: column)
    }
}
