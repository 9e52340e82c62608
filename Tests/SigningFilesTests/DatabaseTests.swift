// SPDX-License-Identifier: Apache-2.0

import SigningCore
import TestHome
import Testing

@testable import SigningFiles

@Suite struct DatabaseTests {
    let temporary: TemporaryHome
    let database: Database<LedgerError>
    /// A file with one table.
    private static let schema = Schema(
        file: "test.db", applicationID: 1,
        migrations: ["CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT"])

    init() throws {
        temporary = try TemporaryHome()
        let path = temporary.home.path + "/test.db"
        try temporary.home.makeFile(path)
        database = try Database(path: path, schema: Self.schema, .new)
    }

    @Test("Connections are durable and trust no file")
    func settings() throws {
        let expected: [(String, Int64)] = [
            ("synchronous", 2), ("foreign_keys", 1), ("trusted_schema", 0), ("secure_delete", 1),
            ("busy_timeout", 5_000), ("user_version", 1), ("cell_size_check", 1),
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

    @Test("A file system without a write-ahead log is refused, not written to anyway")
    func noWriteAheadLog() throws {
        // A database in memory has no log.
        #expect(throws: SQLiteError.noWriteAheadLog) { try SQLiteConnection(path: ":memory:") }
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

    @Test(
        "Damage of the file is reported without a statement, and counts as such",
        arguments: [
            (1, "one of its tables is missing or has another form"),
            (11, "SQLite finds damaged pages in it"), (779, "SQLite finds damaged pages in it"),
            (26, "it is not a SQLite file"),
        ])
    func damage(code: Int32, text: String) {
        let error = SQLiteError.failed(code: code, statement: "INSERT INTO a")
        #expect(error.text == text && error.isCorruption)
    }

    @Test("Other errors stay on one line", arguments: [19, 1_555, 9_999])
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
}
