// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage

@Suite("Facts about a file are kept as long as it is unchanged")
struct StampTests {
    let temporary: TemporaryHome
    let ledger: SQLiteLedger
    /// The ledger as another process opens it.
    let other: SQLiteLedger

    init() throws {
        temporary = try TemporaryHome()
        try SQLiteLedger.create(in: temporary.home)
        ledger = try SQLiteLedger.open(temporary.home)
        other = try SQLiteLedger.open(temporary.home)
    }

    @Test("A stamp changes with every commit of any process, and never otherwise")
    func stamps() throws {
        try ledger.reserve(makeIntent())
        var last = try #require(ledger.database.stamp)
        for turn in 0..<200 {
            #expect(ledger.database.stamp == last)
            #expect(try ledger.length().entries == turn + 1)
            try (turn % 2 == 0 ? other : ledger).reserve(makeIntent())
            let next = try #require(ledger.database.stamp)
            #expect(next != last)
            #expect(try other.database.stampInPlace() == next)
            last = next
            // The write-ahead log restarts now and then.
            if turn % 20 == 19 {
                try other.database.alone { connection throws(LedgerError) in
                    try Access<LedgerError>(connection).run("PRAGMA wal_checkpoint(RESTART)")
                }
            }
            last = try #require(ledger.database.stamp)
        }
    }

    @Test("A commit without a change leaves the stamp")
    func undone() throws {
        try ledger.reserve(makeIntent())
        let before = try #require(ledger.database.stamp)
        #expect(throws: LedgerError.self) {
            try other.database.write { access throws(LedgerError) in
                try access.run("INSERT INTO meta (name, value) VALUES ('a', 'b')")
                throw LedgerError.policyChanged
            }
        }
        #expect(ledger.database.stamp == before)
    }

    @Test("A value read with every request is the one that other processes wrote")
    func glances() throws {
        #expect(try ledger.length().entries == 0)
        #expect(try ledger.latestTime() == nil)
        #expect(try ledger.grants(for: []) == [])
        for turn in 1...20 {
            let time = Timestamp(seconds: 1_800_000_000 + Int64(turn))
            try other.reserve(makeIntent(at: time.seconds))
            #expect(try ledger.length().entries == turn)
            #expect(try ledger.latestTime() == time)
        }
        try other.freeze("a test", at: Timestamp(seconds: 1_800_000_100))
        #expect(try ledger.length().entries == 21)
    }

    @Test("No intent is written to a ledger that another file took the place of")
    func replaced() throws {
        try ledger.reserve(makeIntent())
        #expect(try ledger.length().entries == 1)
        let path = temporary.home.ledgerPath
        try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
        #expect(throws: LedgerError.self) { try ledger.reserve(makeIntent()) }
    }
}
