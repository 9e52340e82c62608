// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

extension Access<LedgerError> {
    /// Throws if the file of the ledger lacks a table, or has an index of another program.
    func checkTables() throws(LedgerError) {
        let parts = try schemaParts()
        if let name = Self.missingTable(in: parts) {
            throw .corrupt(AuditProblem.missingTable(name).text)
        }
        guard let foreign = Self.foreign(in: parts).first(where: { $0.kind == "index" }) else {
            return
        }
        throw .corrupt(AuditProblem.foreign(foreign.kind, foreign.name).text)
    }

    /// The problem of the tables of the file, without their rows; nil if there is none.
    func schemaProblem() throws(LedgerError) -> AuditProblem? {
        let parts = try schemaParts()
        if let name = Self.missingTable(in: parts) { return .missingTable(name) }
        if let foreign = Self.foreign(in: parts).first {
            return .foreign(foreign.kind, foreign.name)
        }
        for table in OwnTable.all where !Self.hasForm(table, in: parts) {
            return .changedTable(table.name)
        }
        for table in DerivedTable.all where try !hasForm(table, in: parts) {
            return .changedTable(table.name)
        }
        return nil
    }

    /// Removes what other programs added, makes missing tables, empty, and gives the tables of this
    /// machine their form again.
    ///
    /// Throws if the table of entries is missing, or one of a record that is shared.
    func mendSchema(isShared: Bool) throws(LedgerError) {
        let parts = try schemaParts()
        for part in Self.foreign(in: parts) {
            try run(
                "DROP \(part.kind.uppercased()) main.\"\(part.name.replacing("\"", with: "\"\""))\""
            )
        }
        // A view in the place of a table was just removed.
        let names = Self.tableNames(of: parts)
        for table in OwnTable.all where !Self.hasForm(table, in: parts) {
            let exists = names.contains(table.name)
            guard exists || (table.name != OwnTable.audit.name && !isShared) else {
                throw .corrupt(AuditProblem.missingTable(table.name).text)
            }
            try run(table.definition(named: "main.remade"))
            if exists {
                let columns = table.columns.joined(separator: ", ")
                try run(
                    """
                    INSERT INTO main.remade (\(columns)) SELECT \(columns) FROM main.\(table.name)
                    """)
                try run("DROP TABLE main.\(table.name)")
            }
            try run("ALTER TABLE main.remade RENAME TO \(table.name)")
            if let index = table.indexDefinition { try run(index) }
        }
        for table in DerivedTable.all where !names.contains(table.name) {
            try run(table.definition(in: "main"))
        }
    }

    private func schemaParts() throws(LedgerError) -> [SchemaPart] {
        try all(
            """
            SELECT type, name, sql FROM main.sqlite_schema
            WHERE sql IS NOT NULL AND name NOT GLOB 'sqlite_*' ORDER BY type, name
            """
        ) { row throws(LedgerError) in
            SchemaPart(kind: try row.text(0), name: try row.text(1), definition: try row.text(2))
        }
    }

    /// The name of a table that is missing; nil if none is.
    ///
    /// A table that cannot be made again from entries comes first.
    private static func missingTable(in parts: [SchemaPart]) -> String? {
        let names = tableNames(of: parts)
        return (OwnTable.all.map(\.name) + DerivedTable.all.map(\.name))
            .first { !names.contains($0) }
    }

    private static func tableNames(of parts: [SchemaPart]) -> Set<String> {
        Set(parts.lazy.filter { $0.kind == "table" }.map(\.name))
    }

    /// The parts that this program does not make.
    private static func foreign(in parts: [SchemaPart]) -> [SchemaPart] {
        let indexes = DerivedTable.all.compactMap(\.indexName) + ["questions_by_subject"]
        let tables =
            (OwnTable.all.map(\.name) + DerivedTable.all.map(\.name))
            + [Schema.olderTable]
        return parts.filter { part in
            switch part.kind {
            case "index": !indexes.contains(part.name)
            case "table": !tables.contains(part.name)
            default: true
            }
        }
    }

    private static func hasForm(_ table: OwnTable, in parts: [SchemaPart]) -> Bool {
        let part = parts.first { $0.kind == "table" && $0.name == table.name }
        return part?.words == SchemaPart.words(of: table.definition(named: table.name))
    }

    /// Whether a table has the columns, the key and the constraints that this program gives it.
    ///
    /// Older versions gave it defaults and references too.
    private func hasForm(
        _ table: DerivedTable, in parts: [SchemaPart]
    ) throws(LedgerError) -> Bool {
        let part = parts.first { $0.kind == "table" && $0.name == table.name }
        let words = Set(part?.words ?? [])
        let own = Set(SchemaPart.words(of: table.definition(in: "main")))
        let either: Set = ["MAIN", "WITHOUT", "ROWID", "REFERENCES", "AUDIT", "DEFAULT", "0", "X"]
        guard words.symmetricDifference(own).isSubset(of: either) else { return false }
        let columns = try all(
            "SELECT name, type, \"notnull\", pk FROM pragma_table_info(?, 'main') ORDER BY cid",
            .text(table.name)
        ) { row throws(LedgerError) in
            (
                name: try row.text(0),
                definition: "\(try row.text(0)) \(try row.text(1))"
                    + (try row.integer(2) == 0 ? "" : " NOT NULL"), key: try row.integer(3)
            )
        }
        let key = columns.filter { $0.key > 0 }.sorted { $0.key < $1.key }.map(\.name)
        return columns.map(\.definition) == table.definitions && key == table.key
    }
}

/// A table, an index, a trigger or a view of a file.
private struct SchemaPart {
    let kind: String
    let name: String
    /// The statement that made it.
    let definition: String

    /// The words of the statement, without marks between them.
    var words: [String] { Self.words(of: definition) }

    static func words(of statement: String) -> [String] {
        statement.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map { $0.uppercased() }
    }
}

extension AuditReport {
    /// The report of a record that cannot be read because of its tables or indexes.
    init(_ problem: AuditProblem) {
        self.init(
            problem: problem, unverified: [], hasState: false, entryCount: 0, headHash: [],
            checkpointSequence: 0, unsettledCount: 0, isBegunAnew: false, impossibleQuestionCount: 0
        )
    }
}
