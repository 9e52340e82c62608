// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import SigningCrypto
import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningFiles
@testable import SigningStorage
@testable import SigningVault

/// Changes by a program that can write to the home folder and has no passphrase.
@Suite("A home that another program wrote to")
struct RollbackTests {
    let temporary: TemporaryHome
    let vault: Vault
    let ledger: SQLiteLedger
    let alice: Account

    static let lax = [UInt8](repeating: 1, count: 32)
    static let strict = [UInt8](repeating: 2, count: 32)

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        ledger = try temporary.makeLedger()
        alice = try vault.addNostr("alice", 1)
        try attest(Self.lax)
    }

    private func attest(_ hash: [UInt8], with vault: Vault? = nil) throws {
        try (vault ?? self.vault).attest(
            policy: hash, hash: hash, at: Timestamp(seconds: 1_000), in: ledger)
    }

    private func checkpointer(_ vault: Vault) -> Checkpointer {
        Checkpointer(vault: vault, ledger: ledger, environment: FixedEnvironment())
    }

    private func sign(with vault: Vault, judgedBy hash: [UInt8]) throws(KeyStoreError) {
        let operation = RequestedOperation(
            account: alice, operation: .sign(TestDomains.note, "note"), facts: [], effects: [],
            dangers: [])
        _ = try vault.perform(SigningPermit(for: [operation], judgedBy: hash))
    }

    private func problem() throws -> AuditProblem? {
        try AuditLog.open(temporary.home).verify(
            logPublicKey: vault.logPublicKey(), lastKnownCheckpoint: vault.lastCheckpoint()
        ).problem
    }

    @Test("a policy that stood in the vault only while a request was judged signs nothing")
    func swappedPolicy() throws {
        let locked = try Vault.open(temporary.home, domains: TestDomains.registry)
        try temporary.editVault("CREATE TABLE kept AS SELECT * FROM policy")
        try temporary.editVault("UPDATE policy SET hash = ?", .bytes(Self.strict))
        let judging = try #require(try locked.attestedPolicy()?.hash)
        try temporary.editVault("DELETE FROM policy")
        try temporary.editVault("INSERT INTO policy SELECT * FROM kept")
        try temporary.editVault("DROP TABLE kept")
        try locked.unlock(passphrase: secret("pass"))
        #expect(throws: KeyStoreError.foreignPolicy) {
            try sign(with: locked, judgedBy: judging)
        }
        try sign(with: locked, judgedBy: Self.lax)
    }

    @Test("a policy changed under an unlocked vault signs nothing")
    func changedWhileOpen() throws {
        try sign(with: vault, judgedBy: Self.lax)
        try temporary.editVault("UPDATE policy SET hash = ?", .bytes(Self.strict))
        #expect(throws: KeyStoreError.damaged(name: "attested policy")) {
            try sign(with: vault, judgedBy: Self.strict)
        }
    }

    @Test("a vault that is put back whole while it is open signs nothing, until it is opened anew")
    func putBackWhileOpen() throws {
        try sign(with: vault, judgedBy: Self.lax)
        for table in ["policy", "state"] {
            try temporary.editVault("CREATE TABLE kept_\(table) AS SELECT * FROM \(table)")
        }
        try attest(Self.strict)
        try sign(with: vault, judgedBy: Self.strict)
        for table in ["policy", "state"] {
            try temporary.editVault("DELETE FROM \(table)")
            try temporary.editVault("INSERT INTO \(table) SELECT * FROM kept_\(table)")
        }
        // Alone, the file is one that was validly sealed before.
        let fresh = try temporary.openVault()
        try sign(with: fresh, judgedBy: Self.lax)
        for judge in [Self.lax, Self.strict] {
            #expect(throws: KeyStoreError.damaged(name: "vault state")) {
                try sign(with: vault, judgedBy: judge)
            }
        }
        #expect(throws: VaultError.corruptedRecord("vault state")) { try vault.terms() }
        vault.lock()
        #expect(try vault.terms().policy?.hash == Self.lax)
        try vault.unlock(passphrase: secret("pass"))
        #expect(throws: CheckpointError.self) { try checkpointer(vault).check() }
    }

    @Test("the permissions of keys follow the sealed settings, also while the vault is open")
    func domainsUnderSettings() throws {
        let open = try Vault.open(temporary.home) { settings in
            DomainRegistry(settings["notes"] == "on" ? [TestDomains.note] : [])
        }
        try open.unlock(passphrase: secret("pass"))
        let refused = KeyStoreError.domain(.notRegistered(TestDomains.note.id))
        #expect(throws: refused) { try sign(with: open, judgedBy: Self.lax) }
        try vault.setSetting("notes", to: "on")
        try sign(with: open, judgedBy: Self.lax)
        #expect(try open.terms().settings == ["notes": "on"])
        try temporary.editVault("UPDATE settings SET value = 'off'")
        #expect(throws: KeyStoreError.damaged(name: "settings")) {
            try sign(with: open, judgedBy: Self.lax)
        }
    }

    @Test("an earlier policy that was put back is noticed, with or without an entry for it")
    func rolledBackPolicy() throws {
        let saved = try #require(try vault.attestedPolicy())
        try checkpointer(vault).atExit()
        try attest(Self.strict)
        try checkpointer(vault).atExit()
        try checkpointer(vault).check()
        try temporary.editVault(
            "UPDATE policy SET source = ?", .bytes(saved.source))
        try temporary.editVault("UPDATE policy SET hash = ?", .bytes(saved.hash))
        try temporary.editVault("UPDATE policy SET sequence = \(saved.sequence)")
        try temporary.editVault("UPDATE policy SET entry_hash = ?", .bytes(saved.entryHash))
        try temporary.editVault("UPDATE policy SET seal = ?", .bytes(saved.seal))
        #expect(try vault.attestedPolicy() == saved)
        let locked = try Vault.open(temporary.home, domains: TestDomains.registry)
        #expect(throws: VaultError.corruptedRecord("attested policy")) {
            try locked.unlock(passphrase: secret("pass"))
        }
        // An entry about it is not valid without the log key.
        let database = ledger.database
        try database.write { access throws(LedgerError) in
            _ = try access.append(
                .attest(
                    AttestEntry(
                        policyHash: saved.hash, signature: [UInt8](repeating: 0, count: 64))),
                at: Timestamp(seconds: 2_000))
        }
        #expect(try problem() == .unvouched(sequence: 3))
        #expect(throws: CheckpointError.self) { try checkpointer(vault).atExit() }
    }

    @Test("an entry about a policy without any signature does not count")
    func unsignedEntry() throws {
        try checkpointer(vault).atExit()
        try temporary.editLedger("DELETE FROM meta WHERE name = 'policy'")
        let head = try ledger.database.read { access throws(LedgerError) in
            try access.auditHead()
        }
        let body = #"{"clock":1000,"kind":"attest","policy":"00","time":1000}"#
        let hash = AuditChain.hash(
            after: head.hash, sequence: head.sequence + 1, body: Array(body.utf8))
        try ledger.database.write { access throws(LedgerError) in
            try access.run(
                "INSERT INTO audit VALUES (?, 1000, 'refusal', ?, ?, ?)",
                .integer(head.sequence + 1), .text(body), .bytes(head.hash), .bytes(hash))
        }
        // A changed kind in the table does not hide the entry.
        #expect(throws: CheckpointError.self) { try checkpointer(vault).check() }
        try temporary.editLedger("UPDATE audit SET kind = 'attest' WHERE sequence = 2")
        #expect(try problem() == .unvouched(sequence: 2))
    }

    @Test("an intent that another policy judged is not written, and is found where it was")
    func foreignIntent() throws {
        #expect(throws: LedgerError.policyChanged) {
            try ledger.reserve(
                makeIntent(policy: Self.strict), currentPolicyHash: Self.strict)
        }
        try ledger.reserve(makeIntent(policy: Self.lax), currentPolicyHash: Self.lax)
        #expect(try problem() == nil)
        // An attacker removes the mark, so that the forged policy judges.
        try temporary.editLedger(
            "UPDATE meta SET value = '1 ' || '\(Self.strictText)' WHERE name = 'policy'")
        try ledger.reserve(makeIntent(policy: Self.strict), currentPolicyHash: Self.strict)
        #expect(try problem() == .foreignPolicy(sequence: 3))
    }

    private static let strictText = String(repeating: "02", count: 32)

    @Test("an older vault.db alone is noticed, after any acts")
    func olderVault() throws {
        try checkpointer(vault).atExit()
        let bob = try vault.addNostr("bob", 2)
        try checkpointer(vault).noteVault()
        try temporary.saveVault()
        try vault.remove("bob")
        try checkpointer(vault).noteVault()
        try temporary.putVaultBack()
        let older = try temporary.openVault()
        #expect(try older.accounts().contains(bob))
        #expect(throws: CheckpointError.olderVault) { try checkpointer(older).check() }
        #expect(throws: CheckpointError.olderVault) {
            try checkpointer(older).checkBeforeChange()
        }
        // The owner may confirm that this is the newest copy.
        let repair = try HomeRepair(vault: older, ledger: ledger)
            .repairVault(at: Timestamp(seconds: 3_000))
        #expect(repair.kept == ["alice", "bob"] && repair.setAside.isEmpty && repair.hasPolicy)
        try checkpointer(older).check()
        #expect(
            try AuditLog.open(temporary.home).verify(
                logPublicKey: older.logPublicKey(), lastKnownCheckpoint: older.lastCheckpoint()
            ).problem == nil)
    }

    @Test("an older vault.db is noticed by the ledger's checkpoint as well")
    func olderCheckpoint() throws {
        try checkpointer(vault).atExit()
        try temporary.saveVault()
        try ledger.record(makeRefusal())
        try checkpointer(vault).atExit()
        try temporary.putVaultBack()
        let older = try temporary.openVault()
        #expect(throws: CheckpointError.olderVault) { try checkpointer(older).check() }
        #expect(throws: CheckpointError.olderVault) { try checkpointer(older).atExit() }
    }

    @Test("no part of the vault can be put back alone", arguments: ["keys", "settings"])
    func mixedRows(table: String) throws {
        try vault.setSetting("a", to: "old")
        try temporary.editVault("CREATE TABLE kept AS SELECT * FROM \(table)")
        try temporary.editVault("CREATE TABLE seals AS SELECT * FROM account_list")
        try vault.setSetting("a", to: "new")
        try vault.tag("alice", with: ["new"])
        try temporary.editVault("DELETE FROM \(table)")
        try temporary.editVault(
            table == "keys"
                ? """
                INSERT INTO keys (id, name, protocol, algorithm, public_key, address, network,
                    sealed, tags, members) SELECT id, name, protocol, algorithm, public_key,
                    address, network, sealed, tags, members FROM kept
                """ : "INSERT INTO settings SELECT * FROM kept")
        if table == "keys" {
            try temporary.editVault("DELETE FROM account_list")
            try temporary.editVault("INSERT INTO account_list SELECT * FROM seals")
        }
        try temporary.editVault("DROP TABLE kept")
        let name = table == "keys" ? "account list" : "settings"
        let locked = try Vault.open(temporary.home, domains: TestDomains.registry)
        #expect(throws: VaultError.corruptedRecord(name)) {
            try locked.unlock(passphrase: secret("pass"))
        }
    }

    @Test("values read while locked must equal the sealed ones", arguments: [true, false])
    func lentAndPutBack(isSetting: Bool) throws {
        try vault.setSetting("a", to: "real")
        let locked = try Vault.open(temporary.home, domains: TestDomains.registry)
        if isSetting {
            try temporary.editVault("UPDATE settings SET value = 'forged'")
            #expect(try locked.setting("a") == "forged")
            try temporary.editVault("UPDATE settings SET value = 'real'")
        } else {
            try temporary.editVault("UPDATE keys SET tags = 'forged'")
            #expect(try locked.accounts().first?.tags == ["forged"])
            try temporary.editVault("UPDATE keys SET tags = ''")
        }
        #expect(throws: VaultError.self) { try locked.unlock(passphrase: secret("pass")) }
        #expect(!locked.isUnlocked)
        // The next reader receives the stored value.
        #expect(try locked.setting("a") == "real")
        try locked.unlock(passphrase: secret("pass"))
    }

    @Test("policies that are attested at the same moment leave vault and ledger of one mind")
    func interleaved() async throws {
        let home = temporary.home
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in UInt8(10)..<18 {
                group.addTask {
                    let vault = try Vault.open(home, domains: TestDomains.registry)
                    try vault.unlockDespiteDamage(passphrase: secret("pass"))
                    let hash = [UInt8](repeating: number, count: 32)
                    for _ in 0..<5 {
                        try vault.attest(
                            policy: hash, hash: hash, at: Timestamp(seconds: 1_000),
                            in: SQLiteLedger.open(home))
                    }
                }
            }
            try await group.waitForAll()
        }
        let fresh = try temporary.openVault()
        #expect(try fresh.attestedPolicy()?.hash == ledger.lastAttestedHash())
        try checkpointer(fresh).check()
        #expect(try problem() == nil)
    }

    @Test("without its sealed state a vault does not open")
    func missingState() throws {
        try temporary.editVault("DELETE FROM state")
        #expect(throws: VaultError.corruptedRecord("vault state")) {
            try temporary.openVault()
        }
    }
}

extension TemporaryHome {
    /// Keeps a copy of the vault as it is now.
    func saveVault() throws { try editVaultOutside("VACUUM INTO '\(home.path)/saved.db'") }

    /// Puts the copy in place of the vault.
    func putVaultBack() throws {
        for suffix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: home.vaultPath + suffix)
        }
        try FileManager.default.moveItem(atPath: home.path + "/saved.db", toPath: home.vaultPath)
    }

    private func editVaultOutside(_ statement: String) throws {
        try SQLiteConnection(path: home.vaultPath).execute(statement)
    }
}
