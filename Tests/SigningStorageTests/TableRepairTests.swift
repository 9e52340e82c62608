// SPDX-License-Identifier: Apache-2.0

import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

@Suite("Tables that differ from the entries")
struct TableRepairTests {
    let temporary: TemporaryHome
    let vault: Vault

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        let ledger = try temporary.makeLedger()
        try vault.attest(
            policy: [1], hash: policyHash, at: Timestamp(seconds: 1_000), in: ledger)
        try ledger.freeze("lost laptop", at: Timestamp(seconds: 1_000))
        try Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment()).atExit()
        try temporary.editLedger("DELETE FROM meta")
    }

    private var loss: LedgerLoss? {
        get throws { try HomeRepair.ledgerLoss(of: temporary.home, vault) }
    }

    private func repair(_ vault: Vault) throws {
        _ = try HomeRepair.repairTables(of: temporary.home, vault, at: Timestamp(seconds: 2_000))
    }

    @Test("are made again with the passphrase, on record; a freeze stays")
    func mended() throws {
        #expect(try loss?.text == "table meta: the freeze is missing, which entry 2 is about")
        let locked = try Vault.open(temporary.home, domains: TestDomains.registry)
        #expect(HomeRepair.canRepairTables(of: temporary.home, locked))
        #expect(throws: VaultError.locked) { try repair(locked) }
        #expect(try loss != nil)
        try repair(vault)
        #expect(try loss == nil)
        let entry = try #require(try AuditLog.open(temporary.home).entries(limit: 1).first)
        #expect(entry.kind == "repair" && entry.body.contains(#""what":"tables""#))
        #expect(try SQLiteLedger.open(temporary.home).freezeReason() == "lost laptop")
    }

    @Test("are made again without a mark that the record is shared, unless the vault says so")
    func falseMark() throws {
        try repair(vault)
        #expect(try loss == nil)
        try temporary.editLedger("INSERT INTO local VALUES ('log mark', x'01')")
        guard case .unreadable = try loss else {
            Issue.record("the mark is no loss")
            return
        }
        try vault.noteSharing(true)
        #expect(!HomeRepair.canRepairTables(of: temporary.home, vault))
        try vault.noteSharing(false)
        #expect(HomeRepair.canRepairTables(of: temporary.home, vault))
        try repair(vault)
        #expect(try loss == nil)
        #expect(try SQLiteLedger.open(temporary.home).sharing() == nil)
    }

    @Test(
        "stay as they are if the entries are not intact up to the vault's checkpoint",
        arguments: [
            "DELETE FROM audit WHERE sequence = 2", "UPDATE audit SET body = body || ' '",
            "UPDATE audit SET kind = 'thaw' WHERE sequence = 2",
        ])
    func broken(edit: String) throws {
        try temporary.editLedger(edit)
        #expect(!HomeRepair.canRepairTables(of: temporary.home, vault))
        #expect(throws: LedgerError.self) { try repair(vault) }
        #expect(try SQLiteLedger.open(temporary.home).freezeReason() == nil)
    }

    @Test(
        "are made again where rows say that entries were removed; the stricter state stays",
        arguments: [
            (
                "INSERT INTO meta (name, value) VALUES ('frozen', 'lost')",
                "the entry of a freeze may have been removed"
            ),
            ("UPDATE uses SET sequence = 99", "entries after number 4 may have been removed"),
            ("UPDATE grants SET sequence = 99", "entries after number 4 may have been removed"),
            ("UPDATE grants SET revoked = 1", nil),
            ("UPDATE checkpoints SET time = time + 1", nil),
            ("INSERT INTO checkpoints VALUES (99, zeroblob(32), 5, zeroblob(64))", nil),
        ])
    func removed(edit: String, freeze: String?) throws {
        let home = try TemporaryHome()
        let vault = try home.makeVault()
        let ledger = try home.makeLedger()
        try vault.attest(
            policy: [1], hash: policyHash, at: Timestamp(seconds: 1_000), in: ledger)
        let intent = makeIntent(claims: [.count()])
        try ledger.reserve(intent)
        try ledger.settle(intent.id, .done(resultDigests: [[1]]), at: 1_000)
        try ledger.record(makeRefusal(remembers: [GrantTests.grant(2, .no)]))
        try Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment()).atExit()
        ReplayCheck.skip(home.home.ledgerPath)
        let connection = try SQLiteConnection(path: home.home.ledgerPath)
        try connection.execute("PRAGMA foreign_keys = OFF")
        try connection.execute(edit)
        #expect(try HomeRepair.ledgerLoss(of: home.home, vault) != nil)
        #expect(HomeRepair.canRepairTables(of: home.home, vault))
        let reason = try HomeRepair.repairTables(
            of: home.home, vault, at: Timestamp(seconds: 2_000))
        #expect(reason == freeze)
        #expect(try HomeRepair.ledgerLoss(of: home.home, vault) == nil)
        #expect(try ledger.freezeReason() == freeze)
        #expect(try ledger.used(.count(), at: 1_000) == 1)
        let isRevoked = edit.contains("revoked")
        #expect(try ledger.allGrants().map { $0.revoked != nil } == [isRevoked])
    }

    @Test(
        "are made again where cells cannot be read or rows are missing",
        arguments: [
            ("UPDATE uses SET amount = 'much'", 0), ("UPDATE uses SET total = x'01'", 0),
            ("UPDATE grants SET body = '{'", 0), ("DELETE FROM grants", 0),
            ("INSERT INTO segments VALUES (-1, 0, 0, x'', 0, 0, x'', x'', NULL)", 0),
            ("UPDATE meta SET value = 'noon' WHERE name = 'floor'", 0),
            ("UPDATE meta SET value = 'noon' WHERE name = 'policy'", 0),
            ("DELETE FROM sessions", 0), ("UPDATE sessions SET address = 'b'", 0),
            ("UPDATE outbox SET sender = 'b'", 0), ("DELETE FROM outbox", 1),
            ("UPDATE outbox SET bytes = x'02'", 1),
            ("DELETE FROM sessions; DELETE FROM outbox", 1),
        ])
    func unreadable(edit: String, entriesMore: Int64) throws {
        let home = try TemporaryHome()
        let vault = try home.makeVault()
        let ledger = try home.makeLedger()
        try vault.attest(
            policy: [1], hash: policyHash, at: Timestamp(seconds: 1_000), in: ledger)
        let intent = makeIntent(claims: [.count()])
        try ledger.reserve(intent)
        let connection = ClientConnection(
            id: [UInt8](repeating: 1, count: 16), protocolID: nostr, client: SessionTests.app,
            network: "n", key: KeyID("k"), address: "a", started: Timestamp(seconds: 1_000))
        let item = Broadcast.Item(id: "item", sender: "a", bytes: [1])
        try ledger.settle(
            intent.id,
            .done(resultDigests: [[1]], broadcast: Broadcast(network: "n", items: [item])),
            at: 1_000)
        let other = makeIntent()
        try ledger.reserve(other)
        try ledger.settle(
            other.id,
            .done(
                resultDigests: [], remembers: [SealedGrant(GrantTests.grant(2, .no), seal: [])],
                connections: [.opens(connection)]), at: 1_000)
        try Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment()).atExit()
        ReplayCheck.skip(home.home.ledgerPath)
        let database = try SQLiteConnection(path: home.home.ledgerPath)
        try database.execute("PRAGMA foreign_keys = OFF; \(edit)")
        #expect(try HomeRepair.ledgerLoss(of: home.home, vault) != nil)
        #expect(HomeRepair.canRepairTables(of: home.home, vault))
        let freeze = try HomeRepair.repairTables(
            of: home.home, vault, at: Timestamp(seconds: 2_000))
        #expect(freeze == nil)
        #expect(try HomeRepair.ledgerLoss(of: home.home, vault) == nil)
        #expect(try ledger.length().entries == 6 + entriesMore)
        #expect(try ledger.used(.count(), at: 1_000) == 1)
        #expect(try ledger.allConnections() == [connection])
        #expect(try ledger.unsent().map(\.item) == (entriesMore == 1 ? [] : [item]))
    }

    @Test("are not made again if the record is shared")
    func shared() throws {
        let log = MemoryLog()
        let ledger = try SQLiteLedger.open(temporary.home)
        try ledger.share(
            over: log.connect(), address: log.address, hubName: "a", at: Timestamp(seconds: 2_000))
        #expect(!HomeRepair.canRepairTables(of: temporary.home, vault))
        #expect(throws: LedgerError.self) { try repair(vault) }
    }
}
