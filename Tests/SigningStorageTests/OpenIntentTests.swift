// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningHome
@testable import SigningStorage

@Suite("Open intents")
struct OpenIntentTests {
    private let temporary: TemporaryHome
    private let ledger: SQLiteLedger
    private let unused = Settlement.notUsed(Reason(.keyUnavailable, "locked"))
    /// Intents without a result from before two repairs of the clock, and from after them.
    private let open: [Intent]

    init() throws {
        temporary = try TemporaryHome()
        ledger = try temporary.makeLedger()
        let key = try Ed25519Key(seed: secret(of: 5))
        var made = try Self.reserve(0..<4, at: 5_000, in: ledger)
        try #require(try ledger.repairClock(to: Timestamp(seconds: 3_000), signedBy: key))
        made += try Self.reserve(4..<8, at: 3_500, in: ledger)
        try #require(try ledger.repairClock(to: Timestamp(seconds: 3_200), signedBy: key))
        made += try Self.reserve(8..<12, at: 3_300, in: ledger)
        for place in [2, 5, 8] {
            try ledger.settle(made[place].id, .done(resultDigests: []), at: 3_300)
        }
        for place in [3, 6, 9] { try ledger.settle(made[place].id, unused, at: 3_300) }
        open = [0, 1, 4, 7, 10, 11].map { made[$0] }
    }

    private static func reserve(
        _ bytes: Range<UInt8>, at seconds: Int64, in ledger: SQLiteLedger
    ) throws -> [Intent] {
        try bytes.map { byte in
            let intent = makeIntent(
                at: seconds, claims: [.count(window: nil, maximum: 99), .count("b", maximum: 99)],
                token: ReplayToken([byte], isSingleUse: true),
                serials: [SerialUse(series: "s", number: UInt64(byte))])
            try ledger.reserve(intent)
            return intent
        }
    }

    private func rows(_ table: String) throws -> Int64 { try ledger.count(table) }

    @Test("are the only intents with rows, and give back all that they used after a repair")
    func giveBack() throws {
        #expect(try rows("open_intents") == 6 && ledger.unsettledIntents() == 6)
        #expect(try rows("uses") == 18 && rows("serial_uses") == 9 && rows("replay_tokens") == 9)
        for intent in open { try ledger.settle(intent.id, unused, at: 3_300) }
        #expect(try rows("open_intents") == 0 && rows("uses") == 6)
        #expect(try rows("serial_uses") == 3 && rows("replay_tokens") == 3)
        #expect(try ledger.used(.count(window: nil), at: 3_300) == 3)
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("get one result")
    func second() throws {
        let intent = open[0]
        try ledger.settle(intent.id, .done(resultDigests: []), at: 3_300)
        for settlement in [Settlement.done(resultDigests: []), unused] {
            #expect(throws: LedgerError.corrupt("a second result of one intent")) {
                try ledger.settle(intent.id, settlement, at: 3_300)
            }
            #expect(throws: LedgerError.corrupt("a result without its intent")) {
                try ledger.settle([1, 2, 3], settlement, at: 3_300)
            }
        }
        #expect(throws: LedgerError.self) { try ledger.reserve(open[1]) }
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    /// Appends an entry as a program does that checks nothing.
    private func append(_ entry: Entry) throws {
        ReplayCheck.skip(temporary.home.ledgerPath)
        try ledger.database.write { access throws(LedgerError) in
            let head = try access.auditHead()
            let body = EntryDraft(entry, at: head.time).body(at: head.time, used: [])
            try access.insert(
                AuditEntry(
                    sequence: head.sequence + 1, time: head.time, kind: entry.kind.rawValue,
                    body: String(decoding: body, as: UTF8.self), previousHash: head.hash,
                    hash: AuditChain.hash(
                        after: head.hash, sequence: head.sequence + 1, body: body)))
        }
    }

    @Test("A second result and one without an intent are found by verify")
    func found() throws {
        let length = try ledger.length().entries
        let done = Settlement.done(resultDigests: [])
        let intent = open[5]
        try ledger.settle(intent.id, done, at: 3_300)
        for id in [intent.id, [9, 9]] {
            try append(.result(ResultEntry(done, of: id)))
            #expect(
                try temporary.verifiedLedger().problem == .unbegun(sequence: length + 2))
            try temporary.editLedger("DELETE FROM audit WHERE sequence > \(length + 1)")
        }
        // The id of a settled request is free again.
        try ledger.reserve(makeIntent(id: intent.id, at: 3_300))
        try ledger.settle(intent.id, done, at: 3_300)
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("have the same rows after the upgrade of a ledger with rows for all intents")
    func upgrade() throws {
        let before = try ReplayCheck.rows(of: ledger.database)
        let expected = try ledger.database.query { access throws(LedgerError) in
            try access.all("SELECT sequence, time FROM open_intents ORDER BY sequence") {
                row throws(LedgerError) in [try row.integer(0), try row.integer(1)]
            }
        }
        #expect(expected.map { $0[1] } == [3_000, 3_000, 3_200, 3_200, 3_300, 3_300])
        try temporary.makeLedgerOlder()
        // A freeze is recorded before the upgrade, with the time floor of the older format.
        let older = try SQLiteLedger.openPatiently(temporary.home)
        #expect(try older.latestTime() == Timestamp(seconds: 3_300))
        #expect(throws: LedgerError.self) { try SQLiteLedger.open(temporary.home) }
        #expect(try temporary.home.bringUpToDate())
        let upgraded = try SQLiteLedger.open(temporary.home)
        #expect(try ReplayCheck.rows(of: upgraded.database) == before)
        #expect(try temporary.verifiedLedger().problem == nil)
        for intent in open { try upgraded.settle(intent.id, unused, at: 3_300) }
        #expect(try upgraded.count("uses") == 6 && upgraded.count("serial_uses") == 3)
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("An upgrade that is killed leaves the older format or this one")
    func killed() throws {
        for _ in 0..<3 {
            try temporary.makeLedgerOlder()
            let probes = try (0..<3).map { _ in
                try ProbeProcess(temporary.home, maximum: 1_000, requests: 1)
            }
            for probe in probes.prefix(2) { probe.kill() }
            for probe in probes { #expect(!probe.finish().contains("failed")) }
            try temporary.home.bringUpToDate()
            #expect(try temporary.verifiedLedger().problem == nil)
        }
    }
}
