// SPDX-License-Identifier: Apache-2.0

/// A table of the ledger whose rows do not follow from entries; no value in it may be NULL.
struct OwnTable: Sendable {
    let name: String
    /// The names of its columns; the first is the primary key.
    let columns: [String]
    private let definitions: [String]
    private let options: String
    /// The statement that makes the table's index; nil if it has none.
    let indexDefinition: String?

    private init(
        _ name: String, _ columns: String, options: String = "STRICT", index: String? = nil
    ) {
        self.name = name
        definitions = columns.split(separator: ", ").map { String($0) }
        self.columns = definitions.map { String($0.prefix { $0 != " " }) }
        self.options = options
        indexDefinition = index.map { "CREATE INDEX main.\($0)" }
    }

    /// The statement that makes the empty table under a name.
    func definition(named name: String) -> String {
        let columns = definitions.enumerated().map { place, column in
            column + (place == 0 ? " NOT NULL PRIMARY KEY" : " NOT NULL")
        }
        return "CREATE TABLE \(name) (\(columns.joined(separator: ", "))) \(options)"
    }

    /// The table of entries, which nothing can make again.
    static let audit = OwnTable(
        "audit",
        "sequence INTEGER, time INTEGER, kind TEXT, body TEXT, previous_hash BLOB, hash BLOB")

    /// All of these tables, the entries first.
    static let all = [
        audit, OwnTable("blobs", "sha256 BLOB, bytes BLOB"),
        OwnTable("checkpoints", "sequence INTEGER, head_hash BLOB, time INTEGER, signature BLOB"),
        OwnTable("hub_statements", "hub INTEGER, sequence INTEGER, hash BLOB, time INTEGER"),
        OwnTable("local", "name TEXT, value BLOB", options: "STRICT, WITHOUT ROWID"),
        OwnTable("log_places", "sequence INTEGER, hash BLOB"),
        OwnTable(
            "questions", "number INTEGER, about BLOB, time INTEGER",
            index: "questions_by_subject ON questions (about, time)"),
        OwnTable("writers", "first_sequence INTEGER, hub INTEGER"),
    ]
}
