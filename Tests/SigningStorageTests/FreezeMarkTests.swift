// SPDX-License-Identifier: Apache-2.0

import Foundation
import SigningCore
import SigningTesting
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("A freeze that the record cannot take")
struct FreezeMarkTests {
    private let temporary: TemporaryHome
    private let ledger: SQLiteLedger
    private let mark: FreezeMark

    init() throws {
        temporary = try TemporaryHome()
        ledger = try SQLiteLedger.made(in: temporary.home)
        mark = FreezeMark(besideLedger: temporary.home.ledgerPath)
    }

    private func freezeWhileHeld() throws {
        temporary.home.prepareFreezeMark()
        // A record of a format that this version does not know cannot be written.
        try temporary.setFormat(of: temporary.home.ledgerPath, to: 99)
        let problem = try temporary.home.freeze("lost\nlaptop", at: Timestamp(seconds: 5))
        try temporary.setFormat(of: temporary.home.ledgerPath, to: Schema.ledger.version)
        #expect(problem != nil)
    }

    @Test("stops every reservation at once, also of a ledger that is open")
    func stops() throws {
        try ledger.reserve(makeIntent())
        try freezeWhileHeld()
        #expect(throws: LedgerError.frozen) { try ledger.reserve(makeIntent()) }
        #expect(try ledger.freezeReason()?.hasSuffix("laptop") == true)
        #expect(try ledger.length().entries == 1)
    }

    @Test("comes on record once it can be written, with its time, and holds until the thaw")
    func recorded() throws {
        try freezeWhileHeld()
        try ledger.recordFreezeMark()
        #expect(try mark.read() == nil)
        #expect(throws: LedgerError.frozen) { try ledger.reserve(makeIntent()) }
        let freezes = try ledger.freezes()
        #expect(freezes.map(\.time.seconds) == [5])
        #expect(try ledger.thaw(at: Timestamp(seconds: 9), signedBy: .fixture()))
        try ledger.reserve(makeIntent())
    }

    @Test("is no sign of tampering while it waits for the record")
    func verified() throws {
        let vault = try temporary.makeVault()
        try vault.attest(
            policy: [1], hash: policyHash, at: Timestamp(seconds: 1), in: ledger)
        try Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment()).atExit()
        try freezeWhileHeld()
        #expect(try HomeRepair.ledgerLoss(of: temporary.home, vault) == nil)
    }

    @Test("is put on record by the thaw, and stops requests judged earlier")
    func thawed() throws {
        let judged = try ledger.length()
        try freezeWhileHeld()
        #expect(try ledger.thaw(at: Timestamp(seconds: 9), signedBy: .fixture()))
        let kinds = try AuditLog.open(temporary.home).entries(limit: 9).map(\.kind)
        #expect(kinds == ["thaw", "freeze"])
        #expect(try mark.read() == nil && ledger.freezeReason() == nil)
        var intent = makeIntent()
        intent.judgedAt = judged
        #expect(throws: LedgerError.frozen) { try ledger.reserve(intent) }
    }

    @Test("is a freeze even where the note was damaged; one that is all zeros is not")
    func damaged() throws {
        let path = temporary.home.path + "/freeze.mark"
        temporary.home.prepareFreezeMark()
        try ledger.reserve(makeIntent())
        try Data([0, 0, 7]).write(to: URL(filePath: path))
        #expect(throws: LedgerError.frozen) { try ledger.reserve(makeIntent()) }
        #expect(try ledger.freezeReason() == "freeze.mark is damaged")
        #expect(mark.clear())
        try ledger.reserve(makeIntent())
    }

    @Test("has the room that it needs before, and keeps it")
    func room() throws {
        let path = temporary.home.path + "/freeze.mark"
        temporary.home.prepareFreezeMark()
        func blocks() throws -> (size: Int, blocks: Int) {
            var status = stat()
            try #require(unsafe stat(path, &status) == 0)
            return (Int(status.st_size), Int(status.st_blocks))
        }
        let before = try blocks()
        #expect(before.size == 4_096 && before.blocks >= 8)
        let reason = String(repeating: "\u{1F9CA}", count: 5_000)
        #expect(mark.set(.init(time: Timestamp(seconds: 1), reason: reason)))
        #expect(try blocks() == before)
        #expect(try mark.read() != nil)
    }
}
