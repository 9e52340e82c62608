// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage

@Suite("Hubs come and go")
struct HubTests {
    @Test("A retired hub writes nothing, and its key is not believed")
    func retired() throws {
        let team = try Team(3)
        try team[0].retire(hub: 2, at: sharingTime)
        #expect {
            try team[1].reserve(makeIntent())
        } throws: { error in
            "\(error)".contains("this hub was retired")
        }
        #expect(try team[1].freezeReason() == nil)
        // The retired hub still reads.
        try team[2].reserve(makeIntent())
        try team.expectOneTruth()
        #expect(try team[1].hubs().map { $0.retired == nil } == [true, false, true])
        try team[1].resign(team.log) { $0 }
        #expect {
            try team[0].reserve(makeIntent())
        } throws: { error in
            "\(error)".contains("by a hub that was retired")
        }
    }

    @Test("A hub does not retire itself, nor a missing one")
    func retiring() throws {
        let team = try Team(2)
        for number: Int32 in [1, 3] {
            #expect(throws: LedgerError.self) {
                try team[0].retire(hub: number, at: sharingTime)
            }
        }
        try team[0].retire(hub: 2, at: sharingTime)
        #expect(throws: LedgerError.self) { try team[0].retire(hub: 2, at: sharingTime) }
    }

    @Test("A name is one hub's, and is one")
    func names() throws {
        let team = try Team(2)
        for name in ["hub-1", "", "a b", String(repeating: "n", count: 65)] {
            #expect(throws: LedgerError.self) { try team[1].join(as: name, at: sharingTime) }
        }
        #expect(try team[1].sharing()?.hub == 2)
    }

    @Test("A hub whose joining was not answered joins again under another number")
    func joinsAgain() throws {
        let team = try Team(1)
        let home = try team.copy(of: 0)
        let ledger = try SQLiteLedger.open(home.home)
        team.log.fail(.lostAfter)
        #expect(throws: LedgerError.self) { try ledger.join(as: "two", at: sharingTime) }
        #expect(try ledger.sharing()?.hub == 1)
        #expect(throws: LedgerError.self) { try ledger.join(as: "two", at: sharingTime) }
        try ledger.join(as: "three", at: sharingTime)
        try ledger.retire(hub: 2, at: sharingTime)
        try ledger.reserve(makeIntent())
        #expect(try ledger.sharing()?.hub == 3)
        try team.expectOneTruth()
    }

    @Test("A new hub does not know the key of the one that it was restored from")
    func forgetsKey() throws {
        let team = try Team(2)
        let keys = try team.ledgers.map { ledger in
            try ledger.database.query { access throws(LedgerError) in
                try access.local(.hubKey)
            }
        }
        #expect(keys[0] != keys[1])
        let marks = try team.ledgers.map { ledger in
            try ledger.database.query { access throws(LedgerError) in try access.local(.mark) }
        }
        #expect(marks[0] != marks[1])
    }

    @Test("A log that holds anything is not shared over, and nothing has changed then")
    func usedLog() throws {
        let team = try Team(1)
        let other = try TemporaryHome()
        let ledger = try other.makeLedger()
        try ledger.record(makeRefusal())
        let rows = try ledger.sharedRows()
        #expect(throws: LedgerError.self) {
            try ledger.share(
                over: team.log.connect(), address: team.log.address, hubName: "a",
                at: sharingTime)
        }
        #expect(try ledger.sharedRows() == rows)
        #expect(try !ledger.isShared())
        try ledger.record(makeRefusal())
        #expect(throws: LedgerError.self) {
            try team[0].share(
                over: team.log.connect(), address: team.log.address, hubName: "a",
                at: sharingTime)
        }
    }

    @Test("Sharing that is cut off leaves the ledger as it was", arguments: [true, false])
    func cutOff(isDurable: Bool) throws {
        let temporary = try TemporaryHome()
        let ledger = try temporary.makeLedger()
        try ledger.record(makeRefusal())
        let log = MemoryLog()
        log.fail(isDurable ? .lostAfter : .lostBefore)
        let rows = try ledger.sharedRows()
        #expect(throws: LedgerError.self) {
            try ledger.share(
                over: log.connect(), address: log.address, hubName: "a", at: sharingTime)
        }
        #expect(try ledger.sharedRows() == rows)
        #expect(try !ledger.isShared())
        try ledger.record(makeRefusal())
        let fresh = MemoryLog()
        try ledger.share(
            over: fresh.connect(), address: fresh.address, hubName: "a", at: sharingTime)
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("Another process that has the file open writes to the log as well")
    func otherProcess() throws {
        let temporary = try TemporaryHome()
        let ledger = try temporary.makeLedger()
        let other = try SQLiteLedger.open(temporary.home)
        try other.record(makeRefusal())
        let log = MemoryLog()
        try ledger.share(
            over: log.connect(), address: log.address, hubName: "a", at: sharingTime)
        let count = log.batches.count
        try other.record(makeRefusal())
        try ledger.record(makeRefusal())
        #expect(log.batches.count == count + 2)
        #expect(try temporary.verifiedLedger().problem == nil)
    }

    @Test("A large ledger goes over in several batches")
    func large() throws {
        let team = try Team(2) { ledger in
            for place in 0..<12 {
                try ledger.reserve(makeIntent())
                _ = try ledger.database.writeAll([keeping("n\(place)", 200_000)])
            }
        }
        #expect(team.log.batches.count > 3)
        #expect(team.log.batches.allSatisfy { $0.body.count <= LogBatch.bodyBytesMax })
        try team.expectOneTruth()
    }

    @Test("A ledger that is one hub's alone again stops the others")
    func unshare() throws {
        let team = try Team(2)
        try team[1].reserve(makeIntent())
        try team[0].unshare(at: sharingTime)
        #expect(try !team[0].isShared())
        let count = team.log.batches.count
        try team[0].reserve(makeIntent())
        #expect(team.log.batches.count == count)
        #expect(try team.homes[0].verifiedLedger().problem == nil)
        #expect {
            try team[1].reserve(makeIntent())
        } throws: { error in
            "\(error)".contains("was moved to hub 1 alone")
        }
        #expect(throws: LedgerError.self) { try team[1].unshare(at: sharingTime) }
        // The ledger can be shared again, over another log.
        let log = MemoryLog()
        try team[0].share(
            over: log.connect(), address: log.address, hubName: "hub-1", at: sharingTime)
        try team[0].reserve(makeIntent())
        #expect(try team[0].hubs().map { $0.retired == nil } == [false, false, true])
        #expect(try team.homes[0].verifiedLedger().problem == nil)
    }

    @Test("Leaving the log is finished where its answer got lost")
    func unshareAgain() throws {
        let team = try Team(2)
        team.log.fail(.lostAfter)
        #expect(throws: LedgerError.self) { try team[0].unshare(at: sharingTime) }
        #expect(try team[0].isShared())
        #expect(throws: LedgerError.self) { try team[0].reserve(makeIntent()) }
        try team[0].unshare(at: sharingTime)
        try team[0].reserve(makeIntent())
        #expect(try team.homes[0].verifiedLedger().problem == nil)
    }
}
