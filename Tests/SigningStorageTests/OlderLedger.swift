// SPDX-License-Identifier: Apache-2.0

import TestHome

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage

extension TemporaryHome {
    /// Gives the ledger the last format with a row for every intent and every result.
    func makeLedgerOlder() throws {
        let database = try Database<LedgerError>(path: home.ledgerPath, schema: .ledger, .asFound)
        try database.alone { connection throws(LedgerError) in
            let access = Access<LedgerError>(connection)
            // Uses of archived intents refer to no row.
            try access.run("PRAGMA foreign_keys = OFF")
            try access.run("BEGIN IMMEDIATE")
            for statement in Self.olderTables { try access.run(statement) }
            for entry in try access.entries(after: 0, countMax: .max) {
                switch entry.change {
                case .intent(let intent):
                    try access.run(
                        "INSERT INTO intents VALUES (?, ?)", .bytes(intent.id),
                        .integer(entry.sequence))
                case .result(let result):
                    try access.run(
                        "INSERT INTO results VALUES (?, ?, ?)", .bytes(result.id),
                        .integer(entry.sequence), .text(result.outcome.word))
                case .repair(let repair) where repair.part == RepairEntry.clock:
                    try access.run(
                        "INSERT OR REPLACE INTO meta VALUES ('clock', ?)",
                        .text("\(entry.sequence) \(entry.time.seconds)"))
                default: break
                }
            }
            try access.run("PRAGMA user_version = 14")
            try access.run("COMMIT")
        }
    }

    private static let olderTables = [
        "DROP TABLE blobs", "DROP TABLE policies",
        """
        CREATE TABLE policy_text (
            id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
            sequence INTEGER NOT NULL,
            source BLOB NOT NULL
        ) STRICT
        """,
        """
        CREATE TABLE intents (
            id BLOB NOT NULL PRIMARY KEY,
            sequence INTEGER NOT NULL UNIQUE REFERENCES audit
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE results (
            intent_id BLOB NOT NULL PRIMARY KEY REFERENCES intents,
            sequence INTEGER NOT NULL,
            outcome TEXT NOT NULL
        ) STRICT, WITHOUT ROWID
        """,
        """
        CREATE TABLE older_uses (
            counter TEXT NOT NULL,
            time INTEGER NOT NULL,
            sequence INTEGER NOT NULL,
            position INTEGER NOT NULL,
            intent_id BLOB NOT NULL REFERENCES intents,
            amount TEXT NOT NULL,
            total BLOB NOT NULL,
            PRIMARY KEY (counter, time, sequence, position)
        ) STRICT, WITHOUT ROWID
        """,
        "INSERT INTO older_uses SELECT * FROM uses", "DROP TABLE uses",
        "ALTER TABLE older_uses RENAME TO uses",
        "CREATE INDEX uses_by_intent ON uses (intent_id, position)",
        """
        CREATE TABLE older_serial_uses (
            series TEXT NOT NULL,
            number INTEGER NOT NULL,
            intent_id BLOB NOT NULL REFERENCES intents,
            PRIMARY KEY (series, number)
        ) STRICT, WITHOUT ROWID
        """,
        "INSERT INTO older_serial_uses SELECT * FROM serial_uses", "DROP TABLE serial_uses",
        "ALTER TABLE older_serial_uses RENAME TO serial_uses",
        "CREATE INDEX serial_uses_by_intent ON serial_uses (intent_id)",
        "ALTER TABLE segments DROP COLUMN state",
        "DROP TABLE open_intents", "DELETE FROM meta WHERE name = 'floor'",
    ]
}
