// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningHome
@testable import SigningStorage
@testable import SigningVault

@Suite("The rows that entries of formats up to 16 do not state")
struct CarriedRowTests {
    private static let older = Schema(
        file: Schema.ledger.file, applicationID: Schema.ledger.applicationID,
        migrations: Array(Schema.ledger.migrations.prefix(16)),
        conversions: Schema.ledger.conversions)

    private static let rows = [
        "INSERT INTO notes VALUES ('key k', 'list/3', 7, x'0102')",
        "INSERT INTO notes VALUES ('client claimed \"a\"', 'seen', 1, x'')",
        "INSERT INTO serials VALUES ('s', 40)",
        "INSERT INTO joint_questions VALUES (x'01', '{}', 9, x'02')",
        "INSERT INTO joint_answers VALUES (x'01', x'03', 1, x'04')",
        "UPDATE sessions SET address = 'a', time = 900",
        "UPDATE outbox SET sender = 'a', bytes = x'05', state = 'unknown'",
    ]

    /// Makes a ledger of the format before entries stated all rows.
    private static func makeOlder(_ home: Home) throws {
        try home.makeFile(home.ledgerPath)
        let database = try Database<LedgerError>(path: home.ledgerPath, schema: older, .new)
        let intent = makeIntent()
        let connection = ConnectionEntry.opens(
            [1], client: ClientEntry(SessionTests.app), key: KeyID("k"), network: "n",
            expires: nil, begun: nil)
        let done = ResultEntry.Done(
            digests: [[1]], connections: [connection],
            broadcast: BroadcastItems(network: "n", items: ["item"]))
        var result = ResultEntry(.done(resultDigests: []), of: intent.id)
        result.outcome = .done(done)
        try database.write { [result] access throws(LedgerError) in
            _ = try access.append(.intent(IntentEntry(intent)), at: intent.time)
            _ = try access.append(.result(result), at: intent.time)
            for row in rows { try access.run(row) }
        }
    }

    private static func entries(_ home: Home) throws -> [AuditEntry] {
        try Database<LedgerError>(path: home.ledgerPath, schema: .ledger, .asFound)
            .read { access throws(LedgerError) in try access.entries(after: 0, countMax: 99) }
    }

    /// The carried columns of all rows.
    private static func content(_ home: Home) throws -> [String] {
        try Database<LedgerError>(path: home.ledgerPath, schema: .ledger, .asFound)
            .read { access throws(LedgerError) in
                var found: [String] = []
                for table in CarriedRows.tables {
                    let values = table.columns.map { "quote(\($0))" }
                        .joined(separator: " || ',' || ")
                    found += try access.all("SELECT \(values) FROM \(table.name) ORDER BY 1") {
                        row throws(LedgerError) in "\(table.name) " + (try row.text(0))
                    }
                }
                return found
            }
    }

    private let temporary: TemporaryHome
    private let vault: Vault
    private let content: [String]

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        try Self.makeOlder(temporary.home)
        content = try Self.content(temporary.home)
        let before = try Self.entries(temporary.home)
        #expect(try temporary.home.bringUpToDate())
        let after = try Self.entries(temporary.home)
        #expect(after.dropLast() == before[...] && after.last?.kind == "carry")
        try Checkpointer(
            vault: vault, ledger: SQLiteLedger.open(temporary.home),
            environment: FixedEnvironment()
        ).atExit()
    }

    private var problem: String? {
        get throws {
            try AuditLog.open(temporary.home).verify(
                logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint()
            ).problem?.text
        }
    }

    @Test("are as they were after the upgrade, and go on from there")
    func carried() throws {
        #expect(try Self.content(temporary.home) == content && content.count == 7)
        #expect(try problem == nil)
        let ledger = try SQLiteLedger.open(temporary.home)
        #expect(try ledger.drawSerials(2, in: "s", above: 0, below: 99) == 41)
        let key = Note.Subject.key(KeyID("k"))
        #expect(try ledger.noted("list/3", about: key)?.detail == [1, 2])
        let intent = makeIntent()
        try ledger.reserve(intent)
        let note = Note(key, "list/3", 8, detail: [3])
        try ledger.settle(intent.id, .done(resultDigests: [], notes: [note]), at: 1_000)
        #expect(try problem == nil)
        #expect(try ledger.noted("list/3", about: key) == note)
    }

    @Test(
        "are compared with the carried ones, and repaired without a loss",
        arguments: [
            ("UPDATE notes SET value = 8 WHERE name = 'list/3'", "table notes"),
            ("UPDATE notes SET detail = x'03' WHERE name = 'list/3'", "table notes"),
            ("DELETE FROM serials", "table serials"),
            ("UPDATE serials SET last = 3", "table serials"),
            ("UPDATE joint_questions SET intent_id = NULL", "table joint_questions"),
            ("DELETE FROM joint_answers", "table joint_answers"),
            ("UPDATE sessions SET address = 'b'", "table sessions"),
            ("UPDATE outbox SET bytes = x'06'", "table outbox"),
            ("UPDATE outbox SET state = 'signed'", "table outbox"),
            ("DELETE FROM meta WHERE name = 'carried'", "table meta"),
            ("DELETE FROM blobs", "table blobs: the content of an older version is missing"),
            ("UPDATE blobs SET bytes = x'5b5d'", "table blobs: the content of an older"),
        ])
    func repaired(edit: String, text: String) throws {
        try temporary.editLedger(edit)
        ReplayCheck.skip(temporary.home.ledgerPath)
        #expect(try #require(try problem).hasPrefix(text))
        #expect(HomeRepair.canRepairTables(of: temporary.home, vault))
        _ = try HomeRepair.repairTables(of: temporary.home, vault, at: Timestamp(seconds: 2_000))
        #expect(try problem == nil)
        #expect(try Self.content(temporary.home) == content)
    }

    @Test("go on record once, or the file stays as it was, if processes are killed")
    func killed() throws {
        for _ in 0..<4 {
            let other = try TemporaryHome()
            try Self.makeOlder(other.home)
            let probes = try (0..<4).map { _ in
                try ProbeProcess(other.home, maximum: 9, requests: 0)
            }
            for probe in probes.prefix(3) { probe.kill() }
            for probe in probes { _ = probe.finish() }
            _ = try other.home.bringUpToDate()
            #expect(try Self.entries(other.home).map(\.kind) == ["intent", "result", "carry"])
            #expect(try Self.content(other.home) == content)
            #expect(try other.verifiedLedger().problem == nil)
        }
    }

    // MARK: Shared ledgers

    /// Two hubs whose log has no batch of this format so far.
    private static func olderTeam() throws -> Team {
        let team = try Team(2) { ledger in
            try ledger.database.write { access throws(LedgerError) in
                for row in rows.prefix(5) { try access.run(row) }
            }
        }
        for (home, ledger) in zip(team.homes, team.ledgers) {
            try ledger.catchUp()
            try home.editLedger("DELETE FROM local WHERE name = 'log format'")
        }
        return team
    }

    @Test("of hubs of a team are carried by the first that writes, for all")
    func shared() throws {
        let team = try Self.olderTeam()
        for home in team.homes { #expect(try home.verifiedLedger().problem == nil) }
        try team[1].freeze("lost", at: sharingTime)
        try team[0].catchUp()
        try team[0].record(makeRefusal())
        try team[1].catchUp()
        for home in team.homes {
            #expect(try Self.entries(home.home).count { $0.kind == "carry" } == 1)
            #expect(try home.verifiedLedger().problem == nil)
            try home.editLedger("UPDATE notes SET value = 8 WHERE name = 'list/3'")
            #expect(try home.verifiedLedger().problem != nil)
            try home.editLedger("UPDATE notes SET value = 7 WHERE name = 'list/3'")
        }
        try team.expectOneTruth()
    }

    @Test("of a hub that has others, or that carries late, are refused", arguments: [true, false])
    func lying(isLate: Bool) throws {
        let team = try Self.olderTeam()
        for home in team.homes { ReplayCheck.skip(home.home.ledgerPath) }
        if isLate {
            try team.homes[0].editLedger(
                "INSERT INTO local VALUES ('log format', CAST('18' AS BLOB))")
        } else {
            try team.homes[1].editLedger("UPDATE notes SET value = 8 WHERE name = 'list/3'")
        }
        try team[1].freeze("lost", at: sharingTime)
        #expect {
            try team[0].catchUp()
        } throws: { "\($0)".contains("does not carry the rows that this hub has") }
        #expect(try team[0].freezeReason() == nil)
    }

    @Test("stay with a hub that leaves its team")
    func left() throws {
        let team = try Self.olderTeam()
        try team[0].unshare(at: sharingTime)
        #expect(try team.homes[0].verifiedLedger().problem == nil)
        #expect(try Self.entries(team.homes[0].home).count { $0.kind == "carry" } == 1)
    }
}
