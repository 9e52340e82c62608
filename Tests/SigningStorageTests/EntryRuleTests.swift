// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

/// Entries as a modified program could write them, with tables that match.
@Suite("An entry that breaks a rule is named")
struct EntryRuleTests {
    let temporary: TemporaryHome
    let ledger: SQLiteLedger
    private static let limit = LimitClaim.count(maximum: 2)

    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
        try ledger.reserve(makeIntent(claims: [Self.limit]))
    }

    private func write(_ intent: Intent, used: [Int128] = []) throws {
        try ledger.database.write { access throws(LedgerError) in
            _ = try access.append(intent.draft, at: intent.time, used: used)
        }
    }

    private var problem: AuditProblem? { get throws { try temporary.verifiedLedger().problem } }

    @Test("if it states a wrong used amount, or none")
    func miscounted() throws {
        try write(makeIntent(claims: [Self.limit]), used: [1])
        #expect(try problem == nil)
        for used in [[], [0], [3]] as [[Int128]] {
            let other = try EntryRuleTests()
            try other.write(makeIntent(claims: [Self.limit]), used: used)
            #expect(try other.problem == .miscounted(sequence: 2, counter: "rule/0"))
        }
    }

    @Test("if it uses more than the limit allows, or less than nothing")
    func overspent() throws {
        try write(makeIntent(claims: [Self.limit]), used: [1])
        try write(makeIntent(claims: [Self.limit]), used: [2])
        #expect(try problem == .overspent(sequence: 3, counter: "rule/0"))
        #expect(try problem?.text == #"entry 3 exceeds limit "rule/0""#)
    }

    @Test("if it uses a single-use token again; another token may come again")
    func tokens() throws {
        let token = ReplayToken([1], isSingleUse: false)
        for _ in 0..<2 { try write(makeIntent(token: token)) }
        #expect(try problem == nil)
        for _ in 0..<2 { try write(makeIntent(token: ReplayToken([2], isSingleUse: true))) }
        #expect(try problem == .repeated(sequence: 5))
    }

    @Test("if it was recorded while signing was frozen")
    func frozen() throws {
        try ledger.freeze("stop", at: Timestamp(seconds: 1_000))
        try write(makeIntent())
        #expect(try problem == .whileFrozen(sequence: 3))
    }

    @Test("if it exports a key while signing was frozen")
    func frozenExport() throws {
        let account = try temporary.makeVault().addNostr("alice", 1)
        let export = ExportEntry(key: account.id, name: "alice", form: "nsec", approval: nil)
        try ledger.freeze("stop", at: Timestamp(seconds: 1_000))
        #expect(throws: LedgerError.frozen) {
            try ledger.recordExport(of: account, form: "nsec", at: Timestamp(seconds: 1_000))
        }
        try ledger.database.write { access throws(LedgerError) in
            _ = try access.append(.export(export), at: Timestamp(seconds: 1_000))
        }
        #expect(try problem == .whileFrozen(sequence: 3))
    }

    @Test("if it draws the last number of a series again; a lower one may be drawn")
    func drawn() throws {
        #expect(try ledger.drawSerials(3, in: "s", above: 9, below: .max) == 10)
        #expect(try ledger.drawSerials(1, in: "s", above: 4, below: 9) == 5)
        #expect(try problem == nil)
        for (first, count) in [(5, 1), (3, 3), (4, 2), (5, 9)] as [(Int64, Int64)] {
            let other = try EntryRuleTests()
            _ = try other.ledger.drawSerials(3, in: "s", above: 2, below: .max)
            let draw = DrawEntry(series: "s", first: first, count: count)
            try other.ledger.database.write { access throws(LedgerError) in
                _ = try access.append(.draw(draw), at: Timestamp(seconds: 1_000))
            }
            #expect(try other.problem == .repeated(sequence: 3), "\(first) \(count)")
        }
    }

    @Test(
        "if it uses a number again, or ends what was not begun",
        arguments: ["result", "second", "number"])
    func again(what: String) throws {
        let intent = makeIntent(serials: [SerialUse(series: "s", number: 1)])
        try ledger.reserve(intent)
        let failed = Settlement.failed(Reason(.keyUnavailable, "locked"))
        try ledger.settle(intent.id, failed, at: 1_000)
        #expect(try problem == nil)
        ReplayCheck.skip(ledger.database.path)
        let entry: Entry =
            switch what {
            case "result": .result(ResultEntry(failed, of: [1]))
            case "second": .result(ResultEntry(failed, of: intent.id))
            default: .intent(IntentEntry(makeIntent(serials: intent.serials)))
            }
        // The tables refuse such an entry, so only the entry is written.
        try ledger.database.write { access throws(LedgerError) in
            let head = try access.auditHead()
            let body = EntryDraft(entry, at: Timestamp(seconds: 1_000)).body(
                at: Timestamp(seconds: 1_000))
            try access.insert(
                AuditEntry(
                    sequence: head.sequence + 1, time: Timestamp(seconds: 1_000),
                    kind: entry.kind.rawValue, body: String(decoding: body, as: UTF8.self),
                    previousHash: head.hash,
                    hash: AuditChain.hash(
                        after: head.hash, sequence: head.sequence + 1, body: body)))
        }
        let expected: AuditProblem =
            what == "number" ? .repeated(sequence: 4) : .unbegun(sequence: 4)
        #expect(try problem == expected)
        #expect(!expected.isInTables)
    }

    @Test("if it is a connection that ended and was put back, by the entry that ended it")
    func endedConnection() throws {
        let intent = makeIntent()
        let connection = ClientConnection(
            id: [UInt8](repeating: 1, count: 16), protocolID: nostr, client: SessionTests.app,
            network: "n", key: KeyID("k"), address: "a", started: Timestamp(seconds: 1_000))
        try ledger.reserve(intent)
        try ledger.settle(
            intent.id, .done(resultDigests: [], connections: [.opens(connection)]), at: 1_000)
        try temporary.editLedger("CREATE TABLE saved AS SELECT * FROM sessions")
        let end = makeIntent()
        try ledger.reserve(end)
        try ledger.settle(
            end.id, .done(resultDigests: [], connections: [.ends(id: connection.id)]), at: 1_000)
        try temporary.editLedger("INSERT INTO sessions SELECT * FROM saved", "DROP TABLE saved")
        let text = #"table sessions: the connection of client "app" should not be there after "#
        #expect(try problem?.text == text + "entry 5")
    }

    @Test("The temporary tables have the columns of the ledger's tables")
    func columns() throws {
        try ledger.database.twin().read { access throws(LedgerError) in
            _ = try ReplayedTables(beside: access, ArchiveEnds())
            for table in DerivedTable.all {
                let columns = try ["main", "temp"].map { (schema) throws(LedgerError) in
                    try access.all(
                        """
                        SELECT name || ' ' || iif(name = '\(table.bytes ?? "")', '', type)
                            || ' ' || "notnull" || ' ' || pk
                        FROM pragma_table_info('\(table.name)', '\(schema)') ORDER BY cid
                        """
                    ) { row throws(LedgerError) in try row.text(0) }
                }
                #expect(columns[0] == columns[1] && !columns[0].isEmpty, "\(table.name)")
            }
        }
    }
}
