// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import SigningCrypto
import SigningTesting
import SigningVault
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage

@Suite("The record of a shared ledger")
struct SharedRecordTests {
    private static let claim = LimitClaim.count(maximum: 1_000)

    @Test("is made anew from the log, and the damaged file is kept")
    func rebuild() throws {
        var team = try Team(2) { ledger in
            try ledger.reserve(makeIntent(claims: [Self.claim]))
        }
        for _ in 0..<5 { try team[1].reserve(makeIntent(claims: [Self.claim])) }
        let home = team.homes[1]
        try home.editLedger("UPDATE uses SET amount = '0'", "DELETE FROM replay_tokens")
        team.log.setAnswerMax(2)
        #expect(try SQLiteLedger.rebuild(in: home.home, by: .fixture) == "ledger.db.1")
        let rebuilt = try SQLiteLedger.open(home.home)
        team.replace(1, with: rebuilt, in: home)
        #expect(try rebuilt.sharing()?.hub == 2)
        try rebuilt.reserve(makeIntent(claims: [Self.claim]))
        #expect(try team[0].catchUp())
        #expect(try team[0].used(Self.claim, at: 1_000) == 7)
        try team.expectOneTruth()
    }

    @Test("gets the revocations of its entries back, without a batch")
    func revokedAgain() throws {
        let team = try Team(2)
        let grant = GrantTests.grant(1, expires: nil)
        try team[0].record(makeRefusal(remembers: [grant]))
        try team[0].revoke([grant.id], at: Timestamp(seconds: 1_001))
        try team[1].catchUp()
        try team.homes[0].editLedger("UPDATE grants SET revoked = NULL")
        try team[0].revokeAgain([grant.id: Timestamp(seconds: 1_001)])
        try team[0].reserve(makeIntent())
        try team.expectOneTruth()
    }

    @Test("is not made anew from a log that lacks known batches, or another one")
    func rebuildRefused() throws {
        let team = try Team(2)
        let older = team.log.batches
        try team[0].reserve(makeIntent())
        let newer = team.log.batches
        team.log.batches = older
        #expect(throws: LedgerError.putBack) {
            try SQLiteLedger.rebuild(in: team.homes[0].home, by: .fixture)
        }
        try team[1].reserve(makeIntent())
        #expect(throws: LedgerError.putBack) {
            try SQLiteLedger.rebuild(in: team.homes[0].home, by: .fixture)
        }
        team.log.batches = Array(newer.dropFirst())
        #expect(throws: LedgerError.self) {
            try SQLiteLedger.rebuild(in: team.homes[0].home, by: .fixture)
        }
        team.log.batches = newer
        try team[0].reserve(makeIntent())
        let alone = try TemporaryHome()
        _ = try alone.makeLedger()
        #expect(throws: LedgerError.self) { try SQLiteLedger.rebuild(in: alone.home, by: .fixture) }
    }

    @Test("is put in its place by the next call where making it was cut off")
    func rebuildCutOff() throws {
        var team = try Team(2)
        let home = team.homes[1].home
        let whole = Home(path: home.path + "/.rebuilt")
        let kept = try team.copy(of: 1)
        let copy = kept.home.ledgerPath
        try Home.makeDirectory(whole.path)
        try FileManager.default.copyItem(atPath: copy, toPath: whole.ledgerPath)
        for file in Home.withCompanions(home.ledgerPath) {
            try? FileManager.default.removeItem(atPath: file)
        }
        #expect(try SQLiteLedger.rebuild(in: home, by: .fixture) == nil)
        let ledger = try SQLiteLedger.open(home)
        try ledger.reserve(makeIntent())
        // The old ledger is in place again, so the age of the other copy is unknown.
        try Home.makeDirectory(whole.path)
        try FileManager.default.copyItem(atPath: copy, toPath: whole.ledgerPath)
        #expect(try SQLiteLedger.rebuild(in: home, by: .fixture) == "ledger.db.1")
        team.replace(1, with: try SQLiteLedger.open(home), in: team.homes[1])
        try team.expectOneTruth()
    }

    @Test("goes on over the same log at another address, and over no other")
    func address() throws {
        let team = try Team(1)
        let moved = MemoryLog(team.log.batches)
        let other = MemoryLog()
        #expect(throws: LedgerError.putBack) { try team[0].reach(logAt: other.address) }
        try team[0].reach(logAt: moved.address)
        team.log.setAway(true)
        try team[0].reserve(makeIntent())
        #expect(moved.batches.count == team.log.batches.count + 1)
    }

    @Test("A program that cannot reach logs says so, and reads")
    func noOpener() throws {
        let team = try Team(1)
        #expect(throws: LedgerError.unavailable("no such log")) {
            try team[0].reach(logAt: "memory:none")
        }
        #expect(try team[0].freezeReason() == nil)
    }

    @Test("names the hub of each entry")
    func writers() throws {
        let team = try Team(2) { try $0.record(makeRefusal()) }
        try team[1].record(makeRefusal())
        let log = try AuditLog.open(team.homes[1].home)
        #expect(try log.writers(of: log.entries(limit: 9)) == [2: 1, 3: 1, 4: 2])
        #expect(try log.hubs().map(\.number) == [1, 2])
    }

    @Test(
        "is compared with its entries about hubs",
        arguments: [
            "UPDATE hubs SET name = 'x' WHERE number = 2", "DELETE FROM hubs WHERE number = 2",
            "UPDATE hubs SET public_key = zeroblob(32)", "UPDATE hubs SET retired = 1",
            "INSERT INTO hubs VALUES (3, 'y', zeroblob(32), 1, NULL, 0)",
            "UPDATE hubs SET answers_only = 1 WHERE number = 2",
        ])
    func editedHubs(edit: String) throws {
        let team = try Team(2)
        try team[0].catchUp()
        try team.homes[0].editLedger(edit)
        let text = try #require(try team.homes[0].verifiedLedger().problem?.text)
        #expect(text.hasPrefix("table hubs: hub "), "\(text)")
    }

    @Test("is not begun anew")
    func refusals() throws {
        let temporary = try TemporaryHome()
        let vault = try temporary.makeVault(DomainRegistry([]))
        let ledger = try temporary.makeLedger()
        let log = MemoryLog()
        try ledger.share(
            over: log.connect(), address: log.address, hubName: "a", at: sharingTime)
        #expect(throws: LedgerError.self) {
            try HomeRepair.beginLedgerAnew(
                of: temporary.home, vault, because: .missing, at: sharingTime)
        }
        #expect(try ledger.isShared())
        // Checkpoints and vault states belong to each machine and are not shared.
        let count = log.batches.count
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: FixedEnvironment())
        try checkpointer.check()
        try checkpointer.atExit()
        #expect(log.batches.count == count)
        #expect(try vault.lastCheckpoint()?.sequence == 1)
    }
}
