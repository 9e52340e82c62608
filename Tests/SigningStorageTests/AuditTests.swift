// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCore
import SigningCrypto
import SigningTesting
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite struct AuditTests {
    let temporary: TemporaryHome
    let vault: Vault
    let ledger: SQLiteLedger
    let checkpointer: Checkpointer

    /// Ten entries: three intents with results, one without, a refusal, a freeze and a thaw.
    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        ledger = try temporary.makeLedger()
        checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: FixedEnvironment())
        let unused = Reason(.keyUnavailable, "locked")
        let settlements: [Settlement] = [
            .done(resultDigests: [[1]]), .notUsed(unused), .failed(unused),
        ]
        for settlement in settlements {
            let intent = makeIntent(claims: [.count(), .count("b")])
            try ledger.reserve(intent)
            try ledger.settle(intent.id, settlement, at: 1_000)
        }
        try ledger.record(makeRefusal())
        try ledger.freeze("pause", at: Timestamp(seconds: 2_000))
        try ledger.thaw(at: Timestamp(seconds: 2_001), signedBy: vault.openLogKey())
        try ledger.reserve(makeIntent(token: ReplayToken([7], isSingleUse: true)))
    }

    func problem(trusting checkpoint: AuditCheckpoint? = nil) throws -> AuditProblem? {
        let key = try vault.logPublicKey()
        let last = try checkpoint ?? vault.lastCheckpoint()
        return try AuditLog.open(temporary.home)
            .verify(logPublicKey: key, lastKnownCheckpoint: last).problem
    }

    @Test("An honest log holds, with and without checkpoints")
    func honest() throws {
        #expect(try problem() == nil)
        try checkpointer.atExit()
        let report = try AuditLog.open(temporary.home).verify(
            logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint())
        #expect(report.problem == nil)
        #expect(report.entryCount == 10)
        #expect(report.checkpointSequence == 10)
        #expect(report.unsettledCount == 1)
        #expect(report.headHash == (try lastEntry().hash))
        try ledger.freeze("still frozen", at: Timestamp(seconds: 3_000))
        #expect(try problem() == nil)
    }

    @Test("Entries are listed newest first, page by page")
    func pages() throws {
        let log = try AuditLog.open(temporary.home)
        #expect(try log.entries(limit: 3).map(\.sequence) == [10, 9, 8])
        #expect(try log.entries(limit: 3, before: 3).map(\.sequence) == [2, 1])
        #expect(try log.entries(limit: 0) == [])
    }

    @Test(
        "A changed column of an entry names the entry",
        arguments: [
            "body = replace(body, 'nostr', 'near')", "body = body || ' '", "body = ''",
            "time = time - 1", "time = time + 1", "kind = 'refusal'", "hash = zeroblob(32)",
            "previous_hash = zeroblob(32)",
        ])
    func changed(edit: String) throws {
        try temporary.editLedger("UPDATE audit SET \(edit) WHERE sequence = 5")
        #expect(try problem() == .changed(sequence: 5))
    }

    @Test("An entry that was changed and hashed again breaks the link to the next")
    func rehashed() throws {
        let entries = try AuditLog.open(temporary.home).entries(limit: 10)
        let entry = try #require(entries.first { $0.sequence == 4 })
        let body = entry.body.replacing("locked", with: "looked")
        let hash = AuditChain.hash(
            after: entry.previousHash, sequence: 4, body: Array(body.utf8))
        let database = ledger.database
        ReplayCheck.skip(database.path)
        try database.write { access throws(LedgerError) in
            try access.run(
                "UPDATE audit SET body = ?, hash = ? WHERE sequence = 4",
                .text(body), .bytes(hash))
        }
        #expect(try problem() == .changed(sequence: 4))
    }

    @Test("A removed entry leaves a gap", arguments: [1, 5, 9])
    func removed(sequence: Int) throws {
        try temporary.editLedger(
            "PRAGMA foreign_keys = OFF",
            "INSERT INTO audit SELECT 1000, time, kind, body, previous_hash, hash FROM audit"
                + " WHERE sequence = \(sequence)",
            "DELETE FROM audit WHERE sequence = \(sequence)")
        #expect(try problem() == .removed(sequence: Int64(sequence)))
    }

    @Test("Two entries that were swapped are named", arguments: [(2, 3), (7, 9)])
    func swapped(one: Int, other: Int) throws {
        try temporary.editLedger(
            """
            CREATE TABLE copy AS SELECT * FROM audit
            """,
            """
            UPDATE audit SET (time, kind, body, previous_hash, hash) = (
                SELECT time, kind, body, previous_hash, hash FROM copy
                WHERE copy.sequence = \(one) + \(other) - audit.sequence)
            WHERE sequence IN (\(one), \(other))
            """, "DROP TABLE copy")
        #expect(try problem() == .reordered(sequence: Int64(one)))
    }

    @Test("A log cut short of its checkpoint is noticed, also where the checkpoint went with it")
    func cutShort() throws {
        try checkpointer.atExit()
        try cutLastEntries()
        #expect(try problem() == .cutShort(last: 7, checkpoint: 10))
        try temporary.editLedger("DELETE FROM checkpoints")
        #expect(try problem() == .cutShort(last: 7, checkpoint: 10))
    }

    @Test("A log that was written anew does not fit its checkpoint")
    func rewritten() throws {
        try checkpointer.atExit()
        try cutLastEntries()
        try temporary.editLedger("DELETE FROM checkpoints")
        for _ in 0..<3 { try ledger.record(makeRefusal(at: 3_000)) }
        #expect(try problem() == .rewritten(sequence: 10))
        // No checkpoint is signed after the gap either.
        try ledger.record(makeRefusal(at: 3_000))
        for act in [checkpointer.check, checkpointer.afterRequest, checkpointer.atExit] {
            #expect(
                throws: CheckpointError.brokenChain(
                    "the audit chain does not contain its last checkpoint")
            ) { try act() }
        }
    }

    @Test("A new ledger in place of the old one is noticed")
    func replacedLedger() throws {
        try checkpointer.atExit()
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: temporary.home.ledgerPath + suffix)
        }
        try SQLiteLedger.create(in: temporary.home)
        #expect(try problem() == .cutShort(last: 0, checkpoint: 10))
        let fresh = Checkpointer(
            vault: vault, ledger: try SQLiteLedger.open(temporary.home),
            environment: FixedEnvironment())
        for act in [fresh.check, fresh.afterRequest, fresh.atExit] {
            #expect(throws: endsTooEarly) { try act() }
        }
    }

    @Test("A ledger that was put back to an older state is noticed before a key is used")
    func rolledBackLedger() throws {
        try checkpointer.check()
        try checkpointer.atExit()
        try checkpointer.check()
        try cutLastEntries()
        #expect(throws: endsTooEarly) { try checkpointer.check() }
        // New entries after the gap do not hide it.
        for _ in 0..<3 { try ledger.record(makeRefusal(at: 3_000)) }
        #expect(throws: CheckpointError.self) { try checkpointer.check() }
    }

    @Test("A new home has a checkpoint of the empty log, signed by its own key")
    func firstCheckpoint() throws {
        let first = try #require(try vault.lastCheckpoint())
        #expect(first.sequence == 0)
        #expect(first.headHash == AuditChain.origin)
        #expect(first.isSigned(by: try vault.logPublicKey()))
        let other = try TemporaryHome()
        try Vault.create(
            in: other.home, passphrase: secret("pass"), parameters: .floor,
            at: Timestamp(seconds: 77))
        #expect(try other.openVault().lastCheckpoint()?.time == Timestamp(seconds: 77))
    }

    @Test("A log cut short together with every checkpoint is noticed")
    func lostCheckpoint() throws {
        try checkpointer.atExit()
        try cutLastEntries()
        try temporary.editLedger("DELETE FROM checkpoints")
        try temporary.editVault("DELETE FROM last_checkpoint")
        #expect(try problem() == .lostCheckpoint)
        for act in [checkpointer.check, checkpointer.afterRequest, checkpointer.atExit] {
            #expect(throws: lostLastCheckpoint) { try act() }
        }
        // Errors in the entries themselves are reported first.
        try temporary.editLedger("UPDATE audit SET body = '' WHERE sequence = 3")
        #expect(try problem() == .changed(sequence: 3))
    }

    @Test(
        "A last checkpoint that the log key did not sign is an error, with any numbers",
        arguments: [
            "sequence = -9223372036854775807 - 1", "sequence = -9223372036854775807",
            "sequence = -1", "sequence = 0", "sequence = 9223372036854775807",
            "time = -9223372036854775807 - 1", "head_hash = zeroblob(32)", "head_hash = x''",
            "signature = x''",
        ])
    func forgedLastCheckpoint(edit: String) throws {
        try checkpointer.atExit()
        try temporary.editVault("UPDATE last_checkpoint SET \(edit)")
        for act in [checkpointer.check, checkpointer.afterRequest, checkpointer.atExit] {
            #expect(throws: lostLastCheckpoint) { try act() }
        }
        guard case .badCheckpoint = try problem() else {
            Issue.record("expected a bad checkpoint")
            return
        }
    }

    @Test("Another log key in the vault vouches for nothing")
    func foreignLogKey() throws {
        let key = try Ed25519Key(seed: secret(of: 5))
        let forged = try key.signCheckpoint(.empty, at: Timestamp(seconds: 1))
        try temporary.editVault("UPDATE log_key SET public_key = ?", .bytes(key.publicKey))
        try temporary.editVault(
            "UPDATE last_checkpoint SET signature = ?, sequence = 0, time = 1",
            .bytes(forged.signature))
        #expect(throws: VaultError.corruptedRecord("log key")) {
            try checkpointer.check()
        }
    }

    @Test("A log that holds no entry with a place is corrupt", arguments: [0, -1, Int64.min + 1])
    func impossiblePlaces(sequence: Int64) throws {
        let other = try TemporaryHome()
        try SQLiteLedger.create(in: other.home)
        try other.editLedger(
            "INSERT INTO audit VALUES (\(sequence), 0, 'refusal', '', x'', x'')")
        let ledger = try SQLiteLedger.open(other.home)
        let corrupt = LedgerError.corrupt("the audit chain does not begin with 1")
        #expect(throws: corrupt) { try ledger.record(makeRefusal()) }
        let vault = try other.makeVault()
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: FixedEnvironment())
        #expect(throws: CheckpointError.brokenChain("the audit chain does not begin with 1")) {
            try checkpointer.check()
        }
    }

    @Test(
        "A row that claims a huge place does not keep the examination busy",
        .timeLimit(.minutes(10))
    )
    func hugePlace() throws {
        try temporary.editLedger(
            "INSERT INTO audit VALUES (9223372036854775807, 0, 'refusal', '', x'', x'')",
            "UPDATE audit SET body = '' WHERE sequence = 5")
        #expect(try problem() == .changed(sequence: 5))
    }

    @Test(
        "A forged checkpoint is named",
        arguments: [
            "signature = zeroblob(64)", "time = time + 1", "head_hash = zeroblob(32)",
            "sequence = 9", "sequence = 0", "sequence = 11",
        ])
    func forgedCheckpoint(edit: String) throws {
        try checkpointer.atExit()
        try temporary.editLedger("UPDATE checkpoints SET \(edit)")
        guard case .badCheckpoint = try problem() else {
            Issue.record("expected a bad checkpoint")
            return
        }
    }

    @Test("A checkpoint by another key does not count")
    func foreignCheckpoint() throws {
        let head = try lastEntry().head
        let key = try Ed25519Key(seed: secret(of: 5))
        let message = AuditCheckpoint.message(
            sequence: head.sequence, headHash: head.hash, time: Timestamp(seconds: 1))
        let checkpoint = AuditCheckpoint(
            sequence: head.sequence, headHash: head.hash, time: Timestamp(seconds: 1),
            signature: try key.sign(message.span))
        #expect(checkpoint.isSigned(by: key.publicKey))
        #expect(try problem(trusting: checkpoint) == .badCheckpoint(sequence: 10))
    }

    @Test("A freeze that was lifted by hand is noticed")
    func liftedFreeze() throws {
        try ledger.freeze("stop", at: Timestamp(seconds: 2_000))
        try temporary.editLedger("DELETE FROM meta WHERE name = 'frozen'")
        let text = try problem()?.text
        #expect(text == "table meta: the freeze is missing, which entry 11 is about")
    }

    @Test("The end of a freeze counts only if the owner signed it", arguments: 0..<4)
    func endOfFreeze(form: Int) throws {
        try ledger.freeze("stop", at: Timestamp(seconds: 2_000))
        let stranger = try Ed25519Key(seed: secret(of: 6))
        if form == 0 {
            try ledger.thaw(at: Timestamp(seconds: 2_001), signedBy: vault.openLogKey())
            #expect(try problem() == nil)
            return
        }
        if form == 1 {
            try ledger.thaw(at: Timestamp(seconds: 2_001), signedBy: stranger)
        } else {
            try ledger.database.write { access throws(LedgerError) in
                // A freeze in the form of an older program asks for no signature of the next ones.
                let older = FreezeEntry(reason: "older", needsSignature: false)
                if form == 3 { _ = try access.append(.freeze(older), at: sharingTime) }
                _ = try access.append(.thaw(ThawEntry()), at: sharingTime)
            }
        }
        #expect(try problem() == .unvouched(sequence: form == 3 ? 13 : 12))
    }

    @Test("The end of a freeze of an older program needs no signature")
    func olderEndOfFreeze() throws {
        let home = try TemporaryHome()
        let ledger = try home.makeLedger()
        try ledger.database.write { access throws(LedgerError) in
            let older = FreezeEntry(reason: "older", needsSignature: false)
            _ = try access.append(.freeze(older), at: sharingTime)
            _ = try access.append(.thaw(ThawEntry()), at: sharingTime)
        }
        #expect(try home.verifiedLedger().problem == nil)
    }

    @Test("A checkpoint is due after 64 entries and at exit, once")
    func checkpointsWhenDue() throws {
        try checkpointer.afterRequest()
        #expect(try ledger.count("checkpoints") == 0)
        for _ in 0..<54 { try ledger.record(makeRefusal(at: 3_000)) }
        try checkpointer.afterRequest()
        #expect(try vault.lastCheckpoint()?.sequence == 64)
        #expect(try ledger.count("checkpoints") == 1)
        try checkpointer.afterRequest()
        try checkpointer.atExit()
        #expect(try ledger.count("checkpoints") == 1)
        try ledger.record(makeRefusal(at: 3_000))
        try checkpointer.atExit()
        #expect(try vault.lastCheckpoint()?.sequence == 65)
        #expect(try problem() == nil)
        vault.lock()
        try ledger.record(makeRefusal(at: 3_000))
        #expect(throws: VaultError.locked) { try checkpointer.atExit() }
    }

    private let endsTooEarly = CheckpointError.brokenChain(
        "the ledger ends before its last checkpoint")
    private let lostLastCheckpoint = VaultError.corruptedRecord("last checkpoint")

    private func lastEntry() throws -> AuditEntry {
        try #require(try AuditLog.open(temporary.home).entries(limit: 1).first)
    }

    /// Deletes all entries after entry 7, with their rows.
    private func cutLastEntries() throws {
        try temporary.editLedger(
            "DELETE FROM replay_tokens",
            "DELETE FROM open_intents WHERE sequence > 7", "DELETE FROM audit WHERE sequence > 7")
    }
}
