// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCrypto
import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningHome
@testable import SigningStorage
@testable import SigningVault

/// The ways in which an owner repairs a home.
@Suite("A damaged home")
struct RepairTests {
    let temporary: TemporaryHome
    let vault: Vault
    let ledger: SQLiteLedger

    static let hash = [UInt8](repeating: 1, count: 32)

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        ledger = try temporary.makeLedger()
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

    @Test("with a damaged policy takes a new one, and signs again")
    func damagedPolicy() throws {
        try temporary.editVault("UPDATE policy SET seal = zeroblob(32)")
        #expect(throws: VaultError.corruptedRecord("attested policy")) {
            try temporary.openVault()
        }
        let owner = try openForOwner()
        #expect(try owner.damagedParts() == ["attested policy"])
        // A damaged vault opens for its owner, but carries out no request.
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
        let sound = try temporary.openVault()
        let (alice, bob) = (try sound.account(named: "alice"), try sound.account(named: "bob"))
        try temporary.editVault("UPDATE keys SET algorithm = 'dsa' WHERE name = 'alice'")
        #expect(throws: VaultError.corruptedRecord("account list")) {
            try temporary.openVault()
        }
        let owner = try openForOwner()
        let exported = try owner.exportSecret(of: bob, passphrase: secret("pass"))
        let isSame = exported.isEqual(to: secret(of: 2))
        #expect(isSame)
        #expect(throws: VaultError.corruptedRecord("alice")) {
            _ = try owner.exportSecret(of: alice, passphrase: secret("pass"))
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

    @Test("with words that do not open is found where every record is opened")
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

    @Test("drops a key whose secret was destroyed, and takes it in again under its name")
    func destroyedSecret() throws {
        try vault.tag("bob", with: ["kept"])
        try checkpointer(vault).noteVault()
        try temporary.editVault("UPDATE keys SET sealed = zeroblob(72) WHERE name = 'alice'")
        let owner = try openForOwner()
        #expect(throws: VaultError.alreadyExists("alice")) { try owner.addNostr("alice", 1) }
        let repair = try HomeRepair(vault: owner, ledger: ledger)
            .repairVault(at: Timestamp(seconds: 2_000))
        #expect(repair.damaged.isEmpty && repair.lostWords.isEmpty)
        #expect(repair.kept == ["bob"] && repair.setAside == ["alice"])
        // The list was sealed: an entry without a seal stays.
        #expect(try owner.accounts().first?.tags == ["kept"])
        try owner.addNostr("alice", 1)
        #expect(try temporary.openVault().damagedKeys().isEmpty)
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

    @Test("with a damaged index still finds a no, and says so when it is examined")
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
        // In the row of the table, the body comes after the hash.
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

@Suite("A lost record")
struct LostRecordTests {
    let temporary: TemporaryHome
    let vault: Vault

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        let ledger = try temporary.makeLedger()
        try vault.addNostr("alice", 1)
        try vault.attest(
            policy: [1], hash: policyHash, at: Timestamp(seconds: 1_000), in: ledger)
        try ledger.record(makeRefusal())
        try checkpointer(ledger).atExit()
    }

    private func checkpointer(_ ledger: SQLiteLedger) -> Checkpointer {
        Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment())
    }

    private func report() throws -> AuditReport {
        try AuditLog.open(temporary.home).verify(
            logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint())
    }

    private func loss() throws -> LedgerLoss? {
        try HomeRepair.ledgerLoss(of: temporary.home, vault)
    }

    private func destroy(_ bytes: [UInt8]?) throws {
        for path in Home.withCompanions(temporary.home.ledgerPath) {
            try? FileManager.default.removeItem(atPath: path)
        }
        guard let bytes else { return }
        #expect(
            FileManager.default.createFile(
                atPath: temporary.home.ledgerPath, contents: Data(bytes),
                attributes: [.posixPermissions: 0o600]))
    }

    @Test(
        "is begun anew, bound to the vault, and says so; the old one is kept",
        arguments: [nil, [], [UInt8](repeating: 7, count: 5_000)] as [[UInt8]?])
    func begunAnew(bytes: [UInt8]?) throws {
        try destroy(bytes)
        let loss = try #require(try loss())
        let repair = try HomeRepair.beginLedgerAnew(
            of: temporary.home, vault, because: loss, at: Timestamp(seconds: 2_000))
        #expect(repair.setAside == (bytes == nil ? nil : "ledger.db.1"))
        let aside = FileManager.default.contents(atPath: temporary.home.ledgerPath + ".1")
        #expect((aside == nil) == (bytes == nil))
        // SQLite writes a beginning into an empty file.
        let isKept = bytes == [] || aside.map { Array($0) } == bytes
        #expect(isKept)
        #expect(repair.vault.kept == ["alice"] && repair.vault.hasPolicy)
        let first = try #require(try AuditLog.open(temporary.home).entries(limit: 1).first)
        #expect(first.sequence == 1 && first.kind == "repair" && first.body.contains("ledger"))
        #expect(first.body.contains(#""lost":2"#))
        #expect(try report().problem == nil && report().isBegunAnew)
        // No policy judges before it is attested again.
        let ledger = try SQLiteLedger.open(temporary.home)
        #expect(throws: CheckpointError.olderPolicy) { try checkpointer(ledger).check() }
        try vault.attest(
            policy: [1], hash: policyHash, at: Timestamp(seconds: 2_001), in: ledger)
        try checkpointer(ledger).atExit()
        try checkpointer(ledger).check()
        #expect(try report().problem == nil && self.loss() == nil)
    }

    @Test("is one whose entries were changed, and not one replaced by an older file")
    func broken() throws {
        #expect(try loss() == nil && !report().isBegunAnew)
        // A claim of the vault alone does not count as a loss.
        try temporary.editVault("UPDATE last_checkpoint SET sequence = 9")
        #expect(try report().problem != nil && loss() == nil)
        try temporary.editLedger("UPDATE audit SET body = body || ' ' WHERE sequence = 1")
        #expect(try loss() == .broken(.changed(sequence: 1)))
    }

    @Test("is distinguished from a file that cannot be opened just now, and nothing is moved")
    func unavailable() throws {
        try destroy(nil)
        try FileManager.default.createDirectory(
            atPath: temporary.home.ledgerPath, withIntermediateDirectories: false)
        #expect(throws: LedgerError.self) { try loss() }
    }

    @Test("is not begun anew without the passphrase, and the files stay")
    func locked() throws {
        try destroy([1, 2, 3])
        let locked = try Vault.open(temporary.home, domains: TestDomains.registry)
        #expect(throws: VaultError.locked) {
            try HomeRepair.beginLedgerAnew(
                of: temporary.home, locked, because: .missing, at: Timestamp(seconds: 2_000))
        }
        #expect(
            FileManager.default.contents(atPath: temporary.home.ledgerPath) == Data([1, 2, 3]))
    }

    @Test("is named by a backup that cannot be made without it")
    func backup() throws {
        try destroy(nil)
        #expect(throws: BackupError.ledger(.corrupt("there is no such file"))) {
            try Backup.create(
                of: temporary.home, vault, to: temporary.home.path + "/a.backup",
                passphrase: secret("pass"), parameters: .floor)
        }
    }
}

/// The latest time on record, after a clock that was once ahead.
@Suite("The latest time on record")
struct ClockTests {
    let temporary: TemporaryHome
    let vault: Vault
    let ledger: SQLiteLedger
    static let far: Int64 = 10_000_000

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        ledger = try temporary.makeLedger()
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
        try ledger.thaw(at: Timestamp(seconds: Self.far), signedBy: vault.openLogKey())
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
            created: Timestamp(seconds: Self.far), expires: nil, login: nil, usesMax: nil)
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
        try temporary.editLedger("UPDATE meta SET value = '1' WHERE name = 'floor'")
        let text = try problem()?.text
        #expect(text?.hasPrefix("table meta: the earliest time of entries is not as entry") == true)
    }

    @Test("that no clock shows is damage, not a trap")
    func impossible() throws {
        try ledger.reserve(makeIntent())
        try temporary.editLedger(
            "UPDATE meta SET value = '9223372036854775807' WHERE name = 'floor'")
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
        // Before a checkpoint, the entry itself shows the change.
        #expect(throws: CheckpointError.self) { try checkpointer.check() }
        try temporary.editLedger("UPDATE grants SET revoked = 1001")
        try checkpointer.atExit()
        try temporary.editLedger("UPDATE grants SET revoked = NULL")
        #expect(throws: KeyStoreError.forgedGrant(grant[0].grant.idText)) { try sign() }
    }
}
