// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningStorage

@Suite struct DatabaseTests {
    let temporary: TemporaryHome
    let database: Database<LedgerError>

    init() throws {
        temporary = try TemporaryHome()
        try SQLiteLedger.create(in: temporary.home)
        database = try Database(path: temporary.home.ledgerPath, schema: .ledger, .existing)
    }

    @Test(
        "Released migrations are never edited",
        arguments: [
            (
                Schema.vault,
                [
                    "5bed85e3363e3e1729b23e7edcfb2f302e94dc97345f9990385bf6d5a6ae688e",
                    "339f1f0de122af585517353b1e47976ad8f87a4bc711a849c35df05e79fe932b",
                    "00c1e7c839903c0a711cb3f9fcf2e2c87a2d6bb0c7f5dc1be2d7bad7c4e45e11",
                    "40adb7537dd35b33450ea0c91d89a1571def1ee88773c13c72d53a98b4576ddb",
                    "3e77880f9b28424a3e7725d0e2796a67f06793a681831ba680fdb92810dca3c1",
                    "28671527e5fd34e9bae8b0a2452fa47838330d7b2717d2f9c4acd1f917e880d1",
                    "0f9b5eba85e7d2eb257a09689196f7687327028ebe97424d987baf211afb303a",
                    "7e83d642448801b2fe8e101592affc8f6915392af90995df8c65b0e916136699",
                    "9b8a3caf29fb20e83d19bbef5cf0dd80a7680b382656ecdabcc8e16f412582dd",
                    "1bd63ef4345c9a76b06a8fa35fbe76722a468671f9b04f05c819878d937d036f",
                ]
            ),
            (
                Schema.ledger,
                [
                    "6f7bda53f325c9c779089a80d497715a1fa65490e26a4cc5d68e0c0ea77f87ed",
                    "e9700105d3429560a7cdbcc3a8dcce807fa1120311c9d68d7266f693215059b3",
                    "8f8aa3dc2bd198344bacdfdc6508a76c28131ad2dff0bc2cb3989757c7af0b57",
                    "f254cb58fa0aa6ea9776ccfc65db934ce7229ffcc10ba1229e521579ce41ca15",
                    "fe831113f645600a4553b20a2d77661d50bf47ae76717bd600558e6d873bd849",
                    "34550a9e5336a41123b010ee3dd46367b7cb121ed0b317478c0f5af43c0f7cff",
                    "01da3e60a14d96861d9f9f6229be6d98ed58823c2171c707f72da6f53ee37b16",
                    "14c10900ad1ac305a2ba2723c0e7d75cea940bfcbfc7164ee4498cf40613ef5c",
                    "cb33c5acda152a1336e9f5500f3a9adb741615ae3780d8f2e8aec821cbef68d7",
                    "9e8a8c46648e9f011fcea4f52f4313192f0934cabf2988b92ab97d0886327856",
                    "f300d12b21072ad3844209f395aa33ebbdc48121a5d76bbbf3f17b2837690d91",
                    "889a68bbb046d70d10fb1901532ac9a2ec3fc27fc13aac62d7b22d84cb38d96d",
                    "2cb5dc56a266c30dd921d05e217b284fd819d9954024758a625d06cc8ff6a6cc",
                    "2bebf1d5631ffbc823fae31b37afdc6aca71b33ed63772eab6e9f54228c809b8",
                ]
            ),
        ])
    func migrationChecksums(schema: Schema, checksums: [String]) {
        let found = schema.migrations.map { script in
            Digest.sha256(script.utf8.span).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
                .joined()
        }
        #expect(found == checksums)
    }

    @Test("Keys of an older vault stay as they are, and may be shared from then on")
    func sharedKeys() throws {
        let home = temporary.home
        try home.makeFile(home.vaultPath)
        let old = Schema(
            file: Schema.vault.file, applicationID: Schema.vault.applicationID,
            migrations: Array(Schema.vault.migrations.prefix(3)))
        func insert(_ id: String, in database: Database<VaultError>) throws(VaultError) {
            try database.write { access throws(VaultError) in
                try access.run(
                    """
                    INSERT INTO keys (id, name, protocol, algorithm, public_key, address, sealed,
                        tags) VALUES (?, ?, 'near', 'ed25519', x'01', 'a.near', x'02', 'one two')
                    """, .text(id), .text("name-" + id))
            }
        }
        do {
            let database = try Database<VaultError>(path: home.vaultPath, schema: old, .new)
            try insert("a", in: database)
            #expect(throws: VaultError.self) { try insert("b", in: database) }
        }
        let database = try Database<VaultError>(
            path: home.vaultPath, schema: .vault, .upgrading)
        try insert("b", in: database)
        let list = try database.read { access throws(VaultError) in try AccountList(in: access) }
        #expect(list.accounts.map(\.name) == ["name-a", "name-b"])
        let first = try #require(list.accounts.first)
        #expect(first.publicKey == [1] && first.address == "a.near" && first.network == nil)
        #expect(first.tags == ["one", "two"] && first.protocolID == near)
    }

    @Test("Connections are durable and trust no file")
    func settings() throws {
        let expected: [(String, Int64)] = [
            ("synchronous", 2), ("foreign_keys", 1), ("trusted_schema", 0), ("secure_delete", 1),
            ("busy_timeout", 5_000), ("user_version", 14), ("cell_size_check", 1),
        ]
        try database.read { access throws(LedgerError) in
            for (name, value) in expected {
                let found = try access.first("PRAGMA \(name)") { row throws(LedgerError) in
                    try row.integer(0)
                }
                #expect(found == value, "\(name)")
            }
            let mode = try access.first("PRAGMA journal_mode") { row throws(LedgerError) in
                try row.text(0)
            }
            #expect(mode == "wal")
        }
    }

    @Test("A freeze waits longer for a busy ledger than any other change")
    func patience() throws {
        let ledger = try SQLiteLedger.openPatiently(temporary.home)
        let timeout = try ledger.database.read { access throws(LedgerError) in
            try access.first("PRAGMA busy_timeout") { row throws(LedgerError) in
                try row.integer(0)
            }
        }
        #expect(timeout == 30_000)
    }

    @Test("A file system without a write-ahead log is refused, not written to anyway")
    func noWriteAheadLog() throws {
        // A database in memory has no log.
        #expect(throws: SQLiteError.noWriteAheadLog) { try Connection(path: ":memory:") }
        #expect(SQLiteError.noWriteAheadLog.text.contains("local disk"))
    }

    @Test("A failed transaction leaves nothing behind")
    func rollback() throws {
        #expect(throws: LedgerError.replayed) {
            try database.write { access throws(LedgerError) in
                try access.run("INSERT INTO meta (name, value) VALUES ('a', 'b')")
                throw LedgerError.replayed
            }
        }
        let isThere = try database.read { access throws(LedgerError) in
            try access.exists("SELECT 1 FROM meta")
        }
        #expect(!isThere)
        try database.write { access throws(LedgerError) in
            try access.run("INSERT INTO meta (name, value) VALUES ('a', 'b')")
        }
    }

    @Test("An error names the statement without its arguments")
    func errorText() throws {
        do throws(LedgerError) {
            try database.write { access throws(LedgerError) in
                for _ in 0..<2 {
                    try access.run(
                        "INSERT INTO meta (name, value) VALUES (?, ?)",
                        .text("private-name"), .text("private-value"))
                }
            }
            Issue.record("expected a refusal")
        } catch .unavailable(let text) {
            #expect(text.contains("INSERT INTO meta"))
            #expect(!text.contains("private"))
        } catch {
            Issue.record("unexpected \(error)")
        }
    }

    @Test(
        "An error of the environment is reported in plain words, with a hint",
        arguments: [
            (13, "the disk is full or cannot be written"),
            (10, "the disk is full or cannot be written"),
            (778, "the disk is full or cannot be written"),
            (8, "the file cannot be written"), (264, "the file cannot be written"),
            (3, "the file cannot be written"),
            (1_032, "the file was moved or replaced while it was in use"),
            (14, "the file cannot be opened"), (526, "the file cannot be opened"),
            (5, "another process has kept the database locked for 5 s"),
            (261, "another process has kept the database locked for 5 s"),
        ])
    func plainWords(code: Int32, text: String) {
        let found = SQLiteError.failed(code: code, statement: "INSERT INTO a\nVALUES (1)").text
        #expect(found.hasPrefix(text + ":"))
        #expect(!found.contains("INSERT") && !found.contains("\n"))
    }

    @Test("Other errors stay on one line", arguments: [1, 11, 19, 1_555, 9_999])
    func otherCodes(code: Int32) {
        let found = SQLiteError.failed(code: code, statement: "INSERT INTO a\nVALUES (1)").text
        #expect(found.hasSuffix("(\(code)) in \"INSERT INTO a\""))
    }

    @Test("Values come back as they went in, and a column of another type is corrupt")
    func values() throws {
        try database.read { access throws(LedgerError) in
            let found = try access.first(
                "SELECT ?, ?, ?, ?, ?, ?", .integer(.min), .text("a\0\u{1F511}"), .text(""),
                .bytes([0, 255]), .bytes([]), .null
            ) { row throws(LedgerError) in
                #expect(try row.integer(0) == .min)
                #expect(try row.text(1) == "a\0\u{1F511}")
                #expect(try row.text(2) == "")
                #expect(try row.bytes(3) == [0, 255])
                #expect(try row.bytes(4) == [])
                #expect(try row.optionalText(5) == nil)
                return true
            }
            #expect(found == true)
        }
        #expect(throws: LedgerError.corrupt("a value of the wrong type in \"SELECT 'a'\"")) {
            try database.read { access throws(LedgerError) in
                try access.first("SELECT 'a'") { row throws(LedgerError) in try row.integer(0) }
            }
        }
        #expect(throws: LedgerError.self) {
            try database.read { access throws(LedgerError) in
                try access.first("SELECT CAST(x'FF' AS TEXT)") { row throws(LedgerError) in
                    try row.text(0)
                }
            }
        }
    }

    @Test("Triggers that were planted in a file do not run")
    func plantedTrigger() throws {
        try temporary.editLedger(
            """
            CREATE TRIGGER refill AFTER INSERT ON uses BEGIN DELETE FROM uses; END
            """)
        let ledger = try SQLiteLedger.open(temporary.home)
        try ledger.reserve(makeIntent(claims: [.count()]))
        #expect(try ledger.used(.count(), at: 1_000) == 1)
    }

    @Test("A newer format and a file of another kind are refused")
    func otherFormats() throws {
        try temporary.editLedger("PRAGMA user_version = 15")
        #expect(
            throws: LedgerError.unavailable(
                "ledger.db has format 15, this version knows formats up to 14")
        ) { try SQLiteLedger.open(temporary.home) }
        let home = try TemporaryHome()
        try Vault.create(in: home.home, passphrase: secret("pass"), parameters: .floor)
        #expect(throws: LedgerError.corrupt("ledger.db is not a file of this kind")) {
            try Database<LedgerError>(path: home.home.vaultPath, schema: .ledger, .existing)
        }
    }
}
