// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles

extension Schema {
    /// The tables of a ledger whose rows do not follow from entries.
    static let ownTables = [
        "audit", "blobs", "checkpoints", "hub_statements", "local", "log_places", "questions",
        "writers",
    ]
}

extension Access<LedgerError> {
    /// The name of a table that the file of the ledger lacks; nil if it has all of them.
    ///
    /// A table that cannot be made again from entries comes first.
    func missingTable() throws(LedgerError) -> String? {
        let names = try all("SELECT name FROM main.sqlite_schema WHERE type = 'table'") {
            row throws(LedgerError) in try row.text(0)
        }
        return (Schema.ownTables + DerivedTable.all.map(\.name)).first { !names.contains($0) }
    }

    /// The problem of the tables and indexes of the file, without their rows; nil if none.
    func schemaProblem() throws(LedgerError) -> AuditProblem? {
        if let name = try missingTable() { return .missingTable(name) }
        return try foreignIndexes().first.map { .foreignIndex($0) }
    }

    /// The names of indexes that this program does not make.
    private func foreignIndexes() throws(LedgerError) -> [String] {
        let own = DerivedTable.all.compactMap(\.indexName) + ["questions_by_subject"]
        return try all(
            "SELECT name FROM main.sqlite_schema WHERE type = 'index' AND sql IS NOT NULL"
        ) { row throws(LedgerError) in try row.text(0) }
        .filter { !own.contains($0) }
    }

    /// Throws if the file of the ledger lacks a table, or has an index of another program.
    func checkTables() throws(LedgerError) {
        guard let problem = try schemaProblem() else { return }
        throw .corrupt(problem.text)
    }

    /// Removes the indexes of other programs.
    func dropForeignIndexes() throws(LedgerError) {
        for name in try foreignIndexes() {
            try run("DROP INDEX main.\"\(name.replacing("\"", with: "\"\""))\"")
        }
    }

    /// Makes the missing ones of the tables that follow from entries, empty; throws if another
    /// table is missing.
    func makeMissingTables() throws(LedgerError) {
        while let name = try missingTable() {
            guard let table = DerivedTable.all.first(where: { $0.name == name }) else {
                throw .corrupt(AuditProblem.missingTable(name).text)
            }
            try run(table.definition(in: "main"))
        }
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
