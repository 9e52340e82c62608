// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCrypto
import Testing

@testable import SigningCore
@testable import SigningStorage

/// The owner's way back.
@Suite("A damaged home")
struct RepairTests {
    let temporary: TemporaryHome
    let vault: Vault
    let ledger: SQLiteLedger

    static let hash = [UInt8](repeating: 1, count: 32)

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        try SQLiteLedger.create(in: temporary.home)
        ledger = try SQLiteLedger.open(temporary.home)
        try vault.addNostr("alice", 1)
        try vault.addNostr("bob", 2)
        try attest(with: vault)
        try checkpointer(vault).atExit()
    }

    private func attest(with vault: Vault) throws {
        try vault.attest(
            policy: [1], hash: Self.hash, at: Timestamp(seconds: 1_000), in: ledger)
    }

    private func checkpointer(_ vault: Vault) -> Checkpointer {
        Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment())
    }

    private func openForOwner() throws -> Vault {
        let vault = try Vault.open(temporary.home, domains: TestDomains.registry)
        try vault.unlockDespiteDamage(passphrase: secret("pass"))
        return vault
    }

    private func verified(_ vault: Vault) throws -> AuditReport {
        try AuditLog.open(temporary.home).verify(
            logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint())
    }

    @Test("whose policy was damaged takes a new one, and signs again")
    func damagedPolicy() throws {
        try temporary.editVault("UPDATE policy SET seal = zeroblob(32)")
        #expect(throws: VaultError.corruptedRecord("attested policy")) {
            try temporary.openVault()
        }
        let owner = try openForOwner()
        #expect(try owner.damagedParts() == ["attested policy"])
        // Despite its damage it is open to its owner, and to no request.
        #expect(throws: KeyStoreError.damaged(name: "attested policy")) {
            let account = try owner.accounts()[0]
            _ = try owner.perform((account, .sign(TestDomains.note, "note")))
        }
        try attest(with: owner)
        try checkpointer(owner).atExit()
        let mended = try temporary.openVault()
        try checkpointer(mended).check()
        #expect(try verified(mended).problem == nil)
    }

    @Test("exports every key whose own record opens, and keeps those in a repair")
    func damagedRecord() throws {
        try temporary.editVault("UPDATE keys SET algorithm = 'dsa' WHERE name = 'alice'")
        #expect(throws: VaultError.corruptedRecord("account list")) {
            try temporary.openVault()
        }
        let owner = try openForOwner()
        let exported = try owner.exportSecret(of: "bob", passphrase: secret("pass"))
        let isSame = exported.isEqual(to: secret(of: 2))
        #expect(isSame)
        #expect(throws: VaultError.unknownKey(name: "alice")) {
            _ = try owner.exportSecret(of: "alice", passphrase: secret("pass"))
        }
        #expect(throws: VaultError.corruptedRecord("account list")) {
            try owner.addNostr("carol", 3)
        }
        let repair = try HomeRepair(vault: owner, ledger: ledger)
            .repairVault(at: Timestamp(seconds: 2_000))
        #expect(repair.damaged == ["account list"])
        #expect(repair.kept == ["bob"] && repair.setAside == ["alice"] && repair.hasPolicy)
        let mended = try temporary.openVault()
        try checkpointer(mended).check()
        try mended.addNostr("carol", 3)
        #expect(try verified(mended).problem == nil)
    }

    @Test("whose words do not open is found where every record is opened")
    func damagedWords() throws {
        try vault.add(
            name: "carol", protocolID: nostr, algorithm: .bip340, address: "c", network: nil,
            secret: secret(of: 3),
            phrase: KeyPhrase(
                entropy: BIP39.makeEntropy(wordCount: 12), place: .account(0),
                hasPassphrase: false))
        #expect(try vault.damagedKeys().isEmpty)
        try temporary.editVault("UPDATE phrases SET sealed = zeroblob(length(sealed))")
        #expect(try temporary.openVault().damagedKeys() == ["carol"])
    }

    @Test("an edited address, a damaged state, settings and checkpoint are all repaired")
    func everything() throws {
        try temporary.editVault("UPDATE keys SET address = 'mallory' WHERE name = 'alice'")
        try temporary.editVault("UPDATE state SET seal = zeroblob(32)")
        try temporary.editVault("INSERT INTO settings VALUES ('a', 'forged')")
        try temporary.editVault("DELETE FROM last_checkpoint")
        let owner = try openForOwner()
        let repair = try HomeRepair(vault: owner, ledger: ledger)
            .repairVault(at: Timestamp(seconds: 2_000))
        #expect(repair.setAside == ["alice"] && repair.kept == ["bob"])
        let mended = try temporary.openVault()
        #expect(try mended.setting("a") == nil)
        try checkpointer(mended).check()
        #expect(try verified(mended).problem == nil)
    }

    @Test("is not repaired where the record does not hang together")
    func brokenRecord() throws {
        try temporary.editLedger("UPDATE audit SET body = body || ' ' WHERE sequence = 1")
        let owner = try openForOwner()
        #expect(throws: CheckpointError.self) {
            try HomeRepair(vault: owner, ledger: ledger).repairVault(at: Timestamp(seconds: 2_000))
        }
    }

    @Test("whose index was damaged still finds a no, and says so when it is examined")
    func damagedIndex() throws {
        let other = try TemporaryHome()
        try SQLiteLedger.create(in: other.home)
        let hash = GrantRecord.hash(of: GrantTests.scope)
        do {
            let ledger = try SQLiteLedger.open(other.home)
            try ledger.record(makeRefusal(remembers: [GrantTests.grant(2, .no)]))
            #expect(try other.verifiedLedger().problem == nil)
        }
        let path = other.home.ledgerPath
        var bytes = try #require(FileManager.default.contents(atPath: path).map { Array($0) })
        let places = bytes.indices.filter { bytes[$0...].starts(with: hash) }
        #expect(places.count == 2)
        // In the table's row the body follows.
        let index = try #require(
            places.first { bytes[$0 + hash.count] != UInt8(ascii: "{") })
        bytes[index] ^= 1
        try Data(bytes).write(to: URL(filePath: path))
        let damaged = try SQLiteLedger.open(other.home)
        #expect(try damaged.grants(for: [GrantTests.scope]).count == 1)
        guard case .damagedFile = try other.verifiedLedger().problem else {
            Issue.record("the damage was not found")
            return
        }
    }
}

/// A clock that once ran ahead.
@Suite("The latest time on record")
struct ClockTests {
    let temporary: TemporaryHome
    let vault: Vault
    let ledger: SQLiteLedger
    static let far: Int64 = 10_000_000

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        try SQLiteLedger.create(in: temporary.home)
        ledger = try SQLiteLedger.open(temporary.home)
    }

    private func problem() throws -> AuditProblem? {
        try AuditLog.open(temporary.home).verify(
            logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint()
        ).problem
    }

    @Test("is moved by nothing that used no key")
    func refusal() throws {
        try ledger.record(makeRefusal(at: Self.far))
        try ledger.freeze("a", at: Timestamp(seconds: Self.far))
        try ledger.thaw(at: Timestamp(seconds: Self.far))
        #expect(try ledger.latestTime() == nil)
        try ledger.reserve(makeIntent(at: 1_000, claims: [.count(maximum: 1)]))
        #expect(try ledger.latestTime() == Timestamp(seconds: 1_000))
        #expect(throws: LedgerError.limitExceeded(counter: "rule/0")) {
            try ledger.reserve(makeIntent(at: 1_050, claims: [.count(maximum: 1)]))
        }
        try ledger.reserve(makeIntent(at: 1_200, claims: [.count(maximum: 1)]))
        #expect(try problem() == nil)
    }

    @Test("is repaired with the log key: nothing used is given back, and the record holds")
    func repair() throws {
        try ledger.reserve(makeIntent(at: Self.far, claims: [.count(maximum: 1)]))
        let yes = GrantTests.grant(1, .yes, expires: nil)
        let late = Grant(
            id: [UInt8](repeating: 9, count: 8), answer: .yes, scope: yes.scope, dangers: [],
            created: Timestamp(seconds: Self.far), expires: nil, session: nil, usesMax: nil)
        let intent = makeIntent(at: Self.far)
        try ledger.reserve(intent)
        try ledger.settle(
            intent.id,
            .done(resultDigests: [], remembers: [yes, late].map { SealedGrant($0, seal: [1]) }),
            at: Timestamp(seconds: Self.far))
        let now = Timestamp(seconds: 2_000)
        #expect(try HomeRepair(vault: vault, ledger: ledger).repairClock(to: now))
        #expect(try !HomeRepair(vault: vault, ledger: ledger).repairClock(to: now))
        #expect(try ledger.latestTime() == now)
        #expect(try ledger.grants(for: [yes.scope]).map(\.grant) == [yes])
        #expect(throws: LedgerError.limitExceeded(counter: "rule/0")) {
            try ledger.reserve(makeIntent(at: 2_050, claims: [.count(maximum: 1)]))
        }
        try ledger.reserve(makeIntent(at: 2_150, claims: [.count(maximum: 1)]))
        #expect(try problem() == nil)
        try temporary.editLedger("UPDATE meta SET value = '4 1' WHERE name = 'clock'")
        #expect(try problem() == .unrecorded(table: "meta"))
    }

    @Test("that no clock shows is damage, not a trap")
    func impossible() throws {
        try ledger.reserve(makeIntent())
        try temporary.editLedger("UPDATE audit SET time = 9223372036854775807")
        #expect(throws: LedgerError.self) { try ledger.latestTime() }
        #expect(throws: LedgerError.self) { try ledger.reserve(makeIntent()) }
    }

    @Test("A yes that was taken back does not come back by an edit")
    func revokedGrant() throws {
        let account = try vault.addNostr("alice", 1)
        let grant = try vault.seal([GrantTests.grant(1, .yes, expires: nil)])
        let intent = makeIntent()
        try ledger.reserve(intent)
        try ledger.settle(
            intent.id, .done(resultDigests: [], remembers: grant), at: Timestamp(seconds: 1_000))
        func sign() throws(KeyStoreError) {
            let operation = RequestedOperation(
                account: account, operation: .sign(TestDomains.note, "note"), facts: [],
                effects: [], dangers: [])
            _ = try vault.perform(
                SigningPermit(for: [operation], on: grant, judgedBy: policyHash))
        }
        try sign()
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: FixedEnvironment())
        try ledger.revoke([grant[0].grant.id], at: Timestamp(seconds: 1_001))
        try temporary.editLedger("UPDATE grants SET revoked = NULL")
        // Before a checkpoint the entry itself tells.
        #expect(throws: CheckpointError.self) { try checkpointer.check() }
        try temporary.editLedger("UPDATE grants SET revoked = 1001")
        try checkpointer.atExit()
        try temporary.editLedger("UPDATE grants SET revoked = NULL")
        #expect(throws: KeyStoreError.forgedGrant(grant[0].grant.idText)) { try sign() }
    }
}
