// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

/// A row of a table that differs from what the entries of the record lead to.
package struct RowDifference: Hashable, Sendable {
    /// The kinds of differences.
    package enum Kind: Sendable {
        case changed, missing, added
    }

    package let kind: Kind
    /// The name of the table.
    package let table: String
    /// The row in the user's terms, such as `a use of limit "day"`.
    package let row: String
    /// The number of the newest entry about the row; nil if the ledger contains none.
    package let sequence: Int64?

    /// The difference in plain words.
    package var text: String {
        let start = "table \(table): \(row)"
        guard let sequence else {
            return switch kind {
            case .changed: "\(start) is not as the log says"
            case .missing: "\(start) is missing"
            case .added: "\(start) is in no entry of the log"
            }
        }
        return switch kind {
        case .changed: "\(start) is not as entry \(sequence) says"
        case .missing: "\(start) is missing, which entry \(sequence) is about"
        case .added: "\(start) should not be there after entry \(sequence)"
        }
    }

    /// The longest name of a row, in characters.
    fileprivate static let rowMax = 160
}

extension ReplayedTables {
    /// The first row of the ledger that differs from the replay; nil if there is none.
    func difference() throws(LedgerError) -> RowDifference? {
        for table in DerivedTable.all {
            if let found = try access.difference(in: table) { return found }
        }
        return nil
    }
}

extension DerivedTable {
    /// The expressions for title, mention and entry of a row, of the ledger or of the replay.
    fileprivate func description(of row: String) -> String {
        let sequence =
            "ifnull(made.sequence, iif(typeof(kept.sequence) = 'integer', kept.sequence, NULL))"
        let quoted = mention.map { "'\"' || \($0) || '\"'" } ?? "NULL"
        // Any program may have written the cells.
        let text = "CAST(\(title) AS BLOB), CAST(\(quoted) AS BLOB)"
        return text.replacing("$.", with: row + ".") + ", \(mention == nil ? sequence : "NULL")"
    }

    /// The query for rows of the ledger that the replay has not, or has otherwise.
    fileprivate var differing: String {
        let isOther = stated.map { " OR kept.\($0) IS NOT made.\($0)" }.joined()
        return """
            SELECT \(description(of: "kept")), made.\(first) IS NULL
            FROM main.\(name) AS kept LEFT JOIN temp.\(name) AS made ON \(isSame)
            WHERE made.\(first) IS NULL\(isOther) ORDER BY \(order(of: "kept")) LIMIT 1
            """
    }

    /// The query for rows that the ledger has not.
    fileprivate var missing: String {
        """
        SELECT \(description(of: "made"))
        FROM temp.\(name) AS made LEFT JOIN main.\(name) AS kept ON \(isSame)
        WHERE kept.\(first) IS NULL ORDER BY \(order(of: "made")) LIMIT 1
        """
    }

    /// The order of rows: by their entries where rows have them, since ids are random.
    private func order(of row: String) -> String {
        let names = key
        let hasEntry = (key + stated).contains("sequence")
        return ((hasEntry ? ["sequence"] : []) + names).map { "\(row).\($0)" }
            .joined(separator: ", ")
    }

    private var first: String { key.first ?? "" }

    private var isSame: String {
        key.map { "kept.\($0) = made.\($0)" }.joined(separator: " AND ")
    }
}

extension Access<LedgerError> {
    fileprivate func difference(in table: DerivedTable) throws(LedgerError) -> RowDifference? {
        let found = try first(table.differing) { row throws(LedgerError) in
            let isAdded = try row.integer(3) != 0
            return try row.difference(in: table, isAdded ? .added : .changed)
        }
        if let found { return try completed(found) }
        // Every row of the ledger is in the replay; with as many rows, none is missing.
        let isWhole = try exists(
            """
            SELECT 1 WHERE (SELECT count(*) FROM main.\(table.name))
                = (SELECT count(*) FROM temp.\(table.name))
            """)
        guard !isWhole else { return nil }
        let missing = try first(table.missing) { row throws(LedgerError) in
            try row.difference(in: table, .missing)
        }
        return try missing.map { (missing) throws(LedgerError) in try completed(missing) }
    }

    /// The difference with the newest entry that mentions its row.
    private func completed(
        _ found: (difference: RowDifference, mention: String?)
    ) throws(LedgerError) -> RowDifference {
        guard let mention = found.mention else { return found.difference }
        let newest = try first(
            "SELECT max(sequence) FROM audit WHERE instr(body, ?)", .text(mention)
        ) { row throws(LedgerError) in try row.optionalInteger(0) }
        return RowDifference(
            kind: found.difference.kind, table: found.difference.table, row: found.difference.row,
            sequence: newest ?? nil)
    }
}

extension Row<LedgerError> {
    fileprivate func difference(
        in table: DerivedTable, _ kind: RowDifference.Kind
    ) throws(LedgerError) -> (difference: RowDifference, mention: String?) {
        let title = try optionalBytes(0) ?? Array("a row".utf8)
        let mention = try optionalBytes(1)
        let difference = RowDifference(
            kind: kind, table: table.name,
            row: VisibleText.escaped(
                String(decoding: title, as: UTF8.self), countMax: RowDifference.rowMax),
            sequence: try optionalInteger(2))
        return (difference, mention.map { String(decoding: $0, as: UTF8.self) })
    }
}
