// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningHome
@testable import SigningStorage
@testable import SigningVault

@Suite("Tables of another version")
struct RemadeTableTests {
    private let temporary: TemporaryHome
    private let vault: Vault
    /// The format of a program whose tables have another version.
    private static let other = Schema(
        file: Schema.ledger.file, applicationID: Schema.ledger.applicationID,
        migrations: Schema.ledger.migrations, conversions: Schema.ledger.conversions,
        remade: RemadeTables(
            version: DerivedTable.version + 1,
            make: { (connection) throws(SQLiteError) in
                try Schema.makeDerivedTables(connection)
            }))

    /// A record with archived entries, and with rows in every table that follows from entries or
    /// from none.
    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        let ledger = try temporary.makeLedger()
        try vault.attest(
            policy: [1], hash: policyHash, at: Timestamp(seconds: 1_000), in: ledger)
        let session = ClientConnection(
            id: [UInt8](repeating: 1, count: 16), protocolID: nostr, client: SessionTests.app,
            network: "n", key: KeyID("k"), address: "a", started: Timestamp(seconds: 1_000))
        let item = Broadcast.Item(id: "item", sender: "a", bytes: [1])
        for second in Int64(1_000)..<1_006 {
            let intent = makeIntent(
                at: second, claims: [.count(maximum: 99)],
                token: ReplayToken([UInt8(second % 100)], isSingleUse: true),
                serials: [SerialUse(series: "s", number: UInt64(second))])
            try ledger.reserve(intent)
            guard second < 1_004 else { continue }
            try ledger.settle(
                intent.id,
                .done(
                    resultDigests: [[1]],
                    remembers: second == 1_000
                        ? vault.seal([GrantTests.grant(1, expires: nil)]) : [],
                    connections: second == 1_000 ? [.opens(session)] : [],
                    broadcast: second == 1_001 ? Broadcast(network: "n", items: [item]) : nil),
                at: second)
        }
        _ = try ledger.drawSerials(3, in: "s", above: 5, below: 9_000)
        _ = try ledger.accept([5], at: Timestamp(seconds: 1_006))
        try ledger.freeze("pause", at: Timestamp(seconds: 1_006))
    }

    private func archive() throws {
        _ = try RecordArchive(
            vault: vault, ledger: SQLiteLedger.open(temporary.home),
            environment: FixedEnvironment(seconds: 9_000)
        ).archive(until: Timestamp(seconds: 1_002))
    }

    /// The rows of all tables and the definitions of tables and indexes.
    private func content() throws -> [String: [String]] {
        let connection = try SQLiteConnection(path: temporary.home.ledgerPath)
        let access = Access<LedgerError>(connection)
        let tables = try access.all(
            "SELECT name FROM main.sqlite_schema WHERE type = 'table' ORDER BY name"
        ) { row throws(LedgerError) in try row.text(0) }
        var found: [String: [String]] = [:]
        for table in tables {
            let columns = try access.all("SELECT name FROM pragma_table_info('\(table)')") {
                row throws(LedgerError) in try row.text(0)
            }
            let values = columns.map { "quote(\($0))" }.joined(separator: " || ',' || ")
            found[table] = try access.all("SELECT \(values) FROM \(table) ORDER BY 1") {
                row throws(LedgerError) in try row.text(0)
            }
            found["form of \(table)"] = try access.all(
                """
                SELECT name || ' ' || type || ' ' || "notnull" || ' ' || pk
                FROM pragma_table_info('\(table)')
                """
            ) { row throws(LedgerError) in try row.text(0) }
        }
        found["indexes"] = try access.all(
            "SELECT sql FROM main.sqlite_schema WHERE sql LIKE 'CREATE INDEX%' ORDER BY name"
        ) { row throws(LedgerError) in try row.text(0) }
        return found
    }

    private func open(_ schema: Schema, _ opening: Schema.Opening) throws {
        _ = try Database<LedgerError>(
            path: temporary.home.ledgerPath, schema: schema, opening)
    }

    private var number: Int64 {
        get throws {
            try Access<LedgerError>(SQLiteConnection(path: temporary.home.ledgerPath)).first(
                "PRAGMA user_version"
            ) { row throws(LedgerError) in try row.integer(0) } ?? 0
        }
    }

    @Test(
        "are made again from the entries, with the form and the rows of before",
        arguments: [false, true])
    func remade(isArchived: Bool) throws {
        if isArchived { try archive() }
        let before = try content()
        #expect(before["sessions"]?.count == 1 && before["segments"]?.isEmpty == !isArchived)
        try open(Self.other, .upgrading)
        #expect(try content() == before)
        let format = Int64(Schema.ledger.version)
        #expect(try number == Int64(DerivedTable.version + 1) << 16 | format)
        // A program with the version of before neither reads nor writes them.
        #expect {
            try SQLiteLedger.open(temporary.home)
        } throws: { "\($0)".contains("tables of version \(DerivedTable.version + 1)") }
        #expect(try temporary.home.bringUpToDate())
        #expect(try content() == before)
        #expect(try number == format)
        #expect(
            try AuditLog.open(temporary.home).verify(
                logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint()
            ).problem == nil)
    }

    @Test("stop a program of the version before that has the file open")
    func opened() throws {
        let ledger = try SQLiteLedger.open(temporary.home)
        try open(Self.other, .upgrading)
        #expect(ledger.formatProblem != nil)
        #expect(throws: LedgerError.self) { try ledger.record(makeRefusal()) }
    }

    @Test("keep the rows of archived entries whose file is missing")
    func missing() throws {
        try archive()
        let before = try content()
        try FileManager.default.removeItem(atPath: temporary.home.ledgerPath + ".archive-1")
        ReplayCheck.skip(temporary.home.ledgerPath)
        try open(Self.other, .upgrading)
        #expect(try content() == before)
    }

    @Test("have no row that the entries do not lead to")
    func damaged() throws {
        let before = try content()
        try temporary.editLedger(
            "DELETE FROM uses", "DELETE FROM meta", "UPDATE grants SET revoked = 1",
            "DELETE FROM open_intents", "INSERT INTO accepted VALUES (x'09', 1)")
        try open(Self.other, .upgrading)
        #expect(try content() == before)
    }

    @Test(
        "stay as they are if the entries are not a whole chain",
        arguments: [
            "UPDATE audit SET body = body || ' ' WHERE sequence = 3",
            "UPDATE audit SET sequence = -3 WHERE sequence = 3",
            "UPDATE audit SET kind = 'refusal' WHERE sequence = 3",
        ])
    func broken(edit: String) throws {
        ReplayCheck.skip(temporary.home.ledgerPath)
        let connection = try SQLiteConnection(path: temporary.home.ledgerPath)
        try connection.execute("PRAGMA foreign_keys = OFF; \(edit)")
        let (before, mark) = (try content(), try number)
        #expect {
            try open(Self.other, .upgrading)
        } throws: { "\($0)".contains("cannot be made again from its entries") }
        #expect(try content() == before && number == mark)
        #expect(throws: LedgerError.self) { try open(Self.other, .existing) }
    }

    @Test("are made for a new file as well")
    func new() throws {
        let home = try TemporaryHome()
        try home.home.makeFile(home.home.ledgerPath)
        _ = try Database<LedgerError>(path: home.home.ledgerPath, schema: Self.other, .new)
        _ = try Database<LedgerError>(path: home.home.ledgerPath, schema: Self.other, .existing)
        ReplayCheck.skip(home.home.ledgerPath)
    }
}
