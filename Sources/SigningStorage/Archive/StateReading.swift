// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
internal import SigningCore
internal import SigningFiles

extension ArchivedSegment {
    /// Whether the file with the state after the segment is there and unchanged.
    func hasState(besides ledgerPath: String) -> Bool {
        guard let stateDigest,
            let reader = try? SegmentReader(Home.statePath(number, of: ledgerPath))
        else { return false }
        return (try? reader.digest()) == stateDigest
    }
}

extension RecordState {
    /// Reads the state after a segment into the empty tables of a replay.
    ///
    /// Call it if the segment has its state. `rules` are those at the beginning of a record.
    init(
        after segment: ArchivedSegment, besides ledgerPath: String,
        into tables: borrowing ReplayedTables, _ rules: EntryRules
    ) throws(LedgerError) {
        self.rules = rules
        head = AuditHead(behind: segment)
        openIntents = [:]
        kept = []
        var known: [[String]] = []
        let lines = try SegmentLines(stateOf: segment, besides: ledgerPath)
        guard lines.beginning == Array(Self.beginning(head).utf8) else {
            throw Self.unknownForm(segment)
        }
        while let line = try lines.next() {
            guard let rows = try? CarriedRows.rows(line) else { throw Self.unknownForm(segment) }
            for row in rows {
                switch (row.first, row.count) {
                case ("open", 2):
                    guard case .intent(let intent)? = (try? EntryBody(Array(row[1].utf8)))?.entry
                    else { throw Self.unknownForm(segment) }
                    openIntents[intent.id] = OpenEntry(intent: intent, body: row[1])
                case ("kept", 4):
                    guard let entry = AuditEntry(kept: row) else {
                        throw Self.unknownForm(segment)
                    }
                    kept.append(entry)
                case ("rules", _): known.append(row)
                default:
                    guard let table = DerivedTable.all.first(where: { $0.name == row.first }),
                        table.columns.count + 1 == row.count
                    else { throw Self.unknownForm(segment) }
                    try tables.insert(row.dropFirst(), into: table)
                }
            }
        }
        guard try self.rules.resume(known, keeping: kept, in: tables.access) else {
            throw Self.unknownForm(segment)
        }
    }

    private static func unknownForm(_ segment: ArchivedSegment) -> LedgerError {
        .corrupt("\(Home.stateName(segment.number)) has an unknown form")
    }
}

extension AuditEntry {
    /// An entry that the ledger keeps, from its row in a state.
    fileprivate init?(kept row: [String]) {
        let body = Array(row[3].utf8)
        guard let sequence = Int64(row[1]), sequence > 0, let previous = try? Hex.decode(row[2]),
            let content = try? EntryBody(body)
        else { return nil }
        let head = AuditHead(
            sequence: sequence - 1, time: AuditHead.empty.time, hash: previous)
        self.init(archived: body, content, after: head)
    }
}

extension ReplayedTables {
    /// Adds a row of a state.
    fileprivate borrowing func insert(
        _ values: ArraySlice<String>, into table: DerivedTable
    ) throws(LedgerError) {
        var found = try values.map { (text) throws(LedgerError) in try SQLiteValue(carried: text) }
        if table.bytes == "body", case .bytes(let digest) = found[1],
            case .integer(let expires) = found[2]
        {
            found[1] = try access.keptText(of: digest, expires: expires).text(digest)
        }
        let marks = Array(repeating: "?", count: found.count).joined(separator: ", ")
        _ = try access.rows(
            "INSERT INTO temp.\(table.name) (\(table.columnList)) VALUES (\(marks))", found,
            countMax: .max
        ) { _ in }
    }
}
