// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("A ledger that lacks a table")
struct MissingTableTests {
    let temporary: TemporaryHome
    let vault: Vault

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        let ledger = try temporary.makeLedger()
        try vault.attest(
            policy: [1], hash: policyHash, at: Timestamp(seconds: 1_000), in: ledger)
        let intent = makeIntent(claims: [.count()])
        try ledger.reserve(intent)
        try ledger.settle(intent.id, .done(resultDigests: [[1]]), at: 1_000)
        try ledger.freeze("lost laptop", at: Timestamp(seconds: 1_000))
        try Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment()).atExit()
    }

    private var loss: LedgerLoss? {
        get throws { try HomeRepair.ledgerLoss(of: temporary.home, vault) }
    }

    private func drop(_ table: String) throws {
        ReplayCheck.skip(temporary.home.ledgerPath)
        let connection = try SQLiteConnection(path: temporary.home.ledgerPath)
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute("DROP TABLE \(table)")
    }

    @Test("with an index of another program is opened for nothing, and the repair removes it")
    func index() throws {
        let connection = try SQLiteConnection(path: temporary.home.ledgerPath)
        try connection.execute(
            "CREATE UNIQUE INDEX \"a\"\"b\" ON audit (iif(sequence > 5, -1, sequence))")
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(temporary.home) }
        #expect(try loss == .broken(.foreign("index", "a\"b")))
        #expect(HomeRepair.canRepairTables(of: temporary.home, vault))
        _ = try HomeRepair.repairTables(of: temporary.home, vault, at: Timestamp(seconds: 2_000))
        #expect(try loss == nil)
        let ledger = try SQLiteLedger.open(temporary.home)
        #expect(try ledger.freezeReason() == "lost laptop")
    }

    @Test(
        "is opened for nothing, and gets the table again from its entries; nothing is lost",
        arguments: DerivedTable.all.map(\.name))
    func derived(table: String) throws {
        try drop(table)
        #expect(throws: LedgerError.corrupt("the table \(table) is missing")) {
            try SQLiteLedger.open(temporary.home)
        }
        #expect(try loss == .broken(.missingTable(table)))
        #expect(HomeRepair.canRepairTables(of: temporary.home, vault))
        // Looking changes nothing.
        #expect(try loss == .broken(.missingTable(table)))
        _ = try HomeRepair.repairTables(of: temporary.home, vault, at: Timestamp(seconds: 2_000))
        #expect(try loss == nil)
        let ledger = try SQLiteLedger.open(temporary.home)
        #expect(try ledger.freezeReason() == "lost laptop")
        #expect(try ledger.used(.count(), at: 1_000) == 1)
    }

    @Test(
        "gets a table of this machine again, empty; the vault's checkpoint vouches for the entries",
        arguments: OwnTable.all.map(\.name).filter { $0 != "audit" })
    func own(table: String) throws {
        try drop(table)
        #expect(throws: LedgerError.corrupt("the table \(table) is missing")) {
            try SQLiteLedger.open(temporary.home)
        }
        #expect(try loss == .broken(.missingTable(table)))
        #expect(AuditProblem.missingTable(table).isInTables)
        #expect(HomeRepair.canRepairTables(of: temporary.home, vault))
        _ = try HomeRepair.repairTables(of: temporary.home, vault, at: Timestamp(seconds: 2_000))
        #expect(try loss == nil)
        let ledger = try SQLiteLedger.open(temporary.home)
        #expect(try ledger.freezeReason() == "lost laptop")
        #expect(try ledger.used(.count(), at: 1_000) == 1)
        let key = try vault.logPublicKey()
        #expect(try ledger.policyText(signedBy: key)?.source == [1])
    }

    @Test("is named, and not repaired, if the entries are missing, or another hub has the table")
    func lost() throws {
        try drop("audit")
        #expect(try loss == .broken(.missingTable("audit")))
        #expect(!AuditProblem.missingTable("audit").isInTables)
        #expect(!HomeRepair.canRepairTables(of: temporary.home, vault))
        // A freeze has to be possible in any case.
        #expect(throws: Never.self) { _ = try SQLiteLedger.openPatiently(temporary.home) }
        let shared = try MissingTableTests()
        try shared.vault.noteSharing(true)
        try shared.drop("local")
        #expect(!HomeRepair.canRepairTables(of: shared.temporary.home, shared.vault))
    }

    @Test(
        "or has other constraints or columns, or parts of another program, is named and repaired",
        arguments: [
            ("CREATE TABLE extra (a)", "added the table \"extra\""),
            ("CREATE VIEW extra AS SELECT 1", "added the view \"extra\""),
            (
                "CREATE TRIGGER extra AFTER INSERT ON uses BEGIN DELETE FROM uses; END",
                "added the trigger \"extra\""
            ),
            ("DROP TABLE uses; CREATE VIEW uses AS SELECT 1", "the table uses"),
            (
                "DROP TABLE hub_statements; CREATE VIEW hub_statements AS SELECT 1",
                "the table hub_statements"
            ),
            (
                "ALTER TABLE grants RENAME TO g; CREATE VIEW grants AS SELECT * FROM g",
                "the table grants"
            ),
            (
                "DROP TABLE uses; CREATE TRIGGER uses AFTER INSERT ON grants BEGIN SELECT 1; END",
                "the table uses"
            ),
            ("ALTER TABLE uses ADD COLUMN a INTEGER CHECK (a IS NULL)", "of the table uses"),
            ("ALTER TABLE uses DROP COLUMN total", "of the table uses"),
            (
                """
                CREATE TABLE made (name TEXT NOT NULL PRIMARY KEY CHECK (name <> 'x'),
                    value TEXT NOT NULL) STRICT, WITHOUT ROWID;
                INSERT INTO made SELECT * FROM meta; DROP TABLE meta;
                ALTER TABLE made RENAME TO meta
                """, "of the table meta"
            ),
            (
                """
                CREATE TABLE made (series TEXT NOT NULL, number INTEGER NOT NULL,
                    intent_id BLOB NOT NULL, PRIMARY KEY (number, series)) STRICT;
                DROP TABLE serial_uses; ALTER TABLE made RENAME TO serial_uses
                """, "of the table serial_uses"
            ),
            ("ALTER TABLE audit ADD COLUMN a INTEGER CHECK (a > 0)", "of the table audit"),
            ("ALTER TABLE checkpoints ADD COLUMN a ANY", "of the table checkpoints"),
        ])
    func changed(statements: String, text: String) throws {
        ReplayCheck.skip(temporary.home.ledgerPath)
        let connection = try SQLiteConnection(path: temporary.home.ledgerPath)
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute(statements)
        let found = try #require(try loss)
        #expect(found.text.contains(text), "\(found.text)")
        #expect(HomeRepair.canRepairTables(of: temporary.home, vault))
        _ = try HomeRepair.repairTables(of: temporary.home, vault, at: Timestamp(seconds: 2_000))
        #expect(try loss == nil)
        let ledger = try SQLiteLedger.open(temporary.home)
        #expect(try ledger.freezeReason() == "lost laptop")
        #expect(try ledger.used(.count(), at: 1_000) == 1)
    }

    @Test("is one that lacks any table of a new ledger")
    func complete() throws {
        let connection = try SQLiteConnection(path: temporary.home.ledgerPath)
        let names = try Access<LedgerError>(connection).all(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
        ) { row throws(LedgerError) in try row.text(0) }
        #expect(Set(names) == Set(OwnTable.all.map(\.name) + DerivedTable.all.map(\.name)))
    }
}
