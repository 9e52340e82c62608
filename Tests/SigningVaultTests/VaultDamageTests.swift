// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningVault

@Suite struct VaultDamageTests {
    let temporary: TemporaryHome
    let vault: Vault
    let alice: Account

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
        alice = try vault.addNostr("alice", 1, network: "main")
        try vault.addNostr("bob", 2, network: "main")
    }

    @Test(
        "A list of accounts that was edited in any column opens no vault",
        arguments: [
            "id = 'ffffffffffffffffffffffffffffffff'", "name = 'alicf'", "protocol = 'nostq'",
            "algorithm = 'ed25519'", "address = 'npub-mallory'", "network = 'test'",
            "network = NULL", "network = ''",
            "public_key = zeroblob(32)",
        ])
    func editedColumn(edit: String) throws {
        try temporary.editVault("UPDATE keys SET \(edit) WHERE name = 'alice'")
        try expectForeignList()
    }

    @Test(
        "A list of accounts that lost or gained one, or its seal, opens no vault",
        arguments: [
            "DELETE FROM keys WHERE name = 'alice'", "DELETE FROM keys",
            "DELETE FROM account_list", "UPDATE account_list SET seal = zeroblob(32)",
            "UPDATE account_list SET seal = x''",
            "UPDATE account_list SET seal = substr(seal, 1, 31)",
            """
            INSERT INTO keys
            VALUES ('0', 'mallory', 'nostr', 'bip340', x'01', 'm', NULL, x'', '', NULL)
            """,
            // Two names that are equal in Swift and different in SQLite.
            """
            INSERT INTO keys
            SELECT char(233), 'm1', 'x', algorithm, x'01', '', '', x'', '', NULL FROM keys UNION
            SELECT char(101, 769), 'm2', 'y', algorithm, x'02', '', '', x'', '', NULL FROM keys
            """,
        ])
    func editedList(edit: String) throws {
        try temporary.editVault(edit)
        try expectForeignList()
        // A foreign change is not sealed together with one of ours.
        #expect(throws: foreignList) { try vault.addNostr("carol", 3) }
        #expect(throws: foreignList) { try vault.rename("bob", to: "carol") }
        #expect(throws: foreignList) { try vault.remove("bob") }
    }

    @Test("A change between reading and writing the list is not blessed either")
    func changedMeanwhile() throws {
        let vaultKey = try vault.openVaultKey()
        try temporary.editVault("DELETE FROM keys WHERE name = 'alice'")
        #expect(throws: foreignList) {
            try vault.changeAccounts(with: vaultKey) { _ throws(VaultError) in }
        }
    }

    @Test("An older seal does not fit a newer list")
    func oldSeal() throws {
        let seal = try vault.database.read { access throws(VaultError) in
            try access.first("SELECT seal FROM account_list") { row throws(VaultError) in
                try row.bytes(0)
            }
        }
        try vault.remove("bob")
        _ = try temporary.openVault()
        try temporary.editVault("UPDATE account_list SET seal = ?", .bytes(try #require(seal)))
        try expectForeignList()
    }

    private let foreignList = VaultError.corruptedRecord("account list")

    /// Expects that neither a new nor an unlocked vault works with the changed list.
    private func expectForeignList() throws {
        #expect(throws: foreignList) { _ = try temporary.openVault() }
        let locked = try Vault.open(temporary.home, domains: TestDomains.registry)
        #expect(throws: foreignList) { try locked.unlock(passphrase: secret("pass")) }
        #expect(!locked.isUnlocked)
        for _ in 0..<2 {
            #expect(throws: KeyStoreError.damaged(name: "account list")) {
                try vault.perform((alice, .publicKey))
            }
            #expect(throws: KeyStoreError.damaged(name: "account list")) { try vault.accounts() }
        }
    }

    @Test(
        "A key whose sealed secret was edited is not used",
        arguments: [
            "sealed = x''", "sealed = substr(sealed, 1, 71)",
            "sealed = CAST(sealed || x'00' AS BLOB)",
        ])
    func editedSecret(edit: String) throws {
        try temporary.editVault("UPDATE keys SET \(edit) WHERE name = 'alice'")
        let again = try temporary.openVault()
        let edited = try #require(try again.accounts().first { $0.name != "bob" })
        #expect(
            throws: KeyStoreError.damaged(name: edited.name)
        ) {
            try again.perform((edited, .publicKey))
        }
        #expect(throws: VaultError.corruptedRecord(edited.name)) {
            try again.rename(edited.name, to: "carol")
        }
        // The change did not affect the other key.
        let bob = try #require(try again.accounts().first { $0.name == "bob" })
        _ = try again.perform((bob, .publicKey))
    }

    @Test("Every byte of a sealed key counts")
    func flippedBytes() throws {
        let sealed = try vault.sealedSecret(of: alice)
        #expect(sealed.count == 32 + AEAD.overheadCount)
        for index in sealed.indices {
            var flipped = sealed
            flipped[index] ^= 1
            try temporary.editVault(
                "UPDATE keys SET sealed = ? WHERE name = 'alice'", .bytes(flipped))
            #expect(throws: VaultError.corruptedRecord("alice")) {
                try vault.rename("alice", to: "carol")
            }
        }
        try temporary.editVault(
            "UPDATE keys SET sealed = ? WHERE name = 'alice'", .bytes(sealed))
        try vault.rename("alice", to: "carol")
    }

    @Test("Two keys whose sealed secrets were swapped are both refused")
    func swappedSecrets() throws {
        let bob = try #require(try vault.accounts().first { $0.name == "bob" })
        let secrets = (try vault.sealedSecret(of: alice), try vault.sealedSecret(of: bob))
        try temporary.editVault(
            "UPDATE keys SET sealed = ? WHERE name = 'alice'", .bytes(secrets.1))
        try temporary.editVault(
            "UPDATE keys SET sealed = ? WHERE name = 'bob'", .bytes(secrets.0))
        for account in [alice, bob] {
            #expect(throws: KeyStoreError.self) { try vault.perform((account, .publicKey)) }
        }
    }

    @Test("An unknown algorithm is damage too")
    func unknownAlgorithm() throws {
        try temporary.editVault("UPDATE keys SET algorithm = 'rot13' WHERE name = 'alice'")
        #expect(throws: KeyStoreError.self) { try vault.accounts() }
    }

    @Test(
        "A damaged vault key is distinguished from a wrong passphrase",
        arguments: ["salt", "sealed", "checksum"])
    func damagedVaultKey(column: String) throws {
        let bytes = try vault.database.read { access throws(VaultError) in
            try access.first("SELECT \(column) FROM vault_key") { row throws(VaultError) in
                try row.bytes(0)
            }
        }
        var flipped = try #require(bytes)
        for index in flipped.indices {
            flipped[index] ^= 0x10
            try temporary.editVault("UPDATE vault_key SET \(column) = ?", .bytes(flipped))
            let locked = try Vault.open(temporary.home, domains: TestDomains.registry)
            #expect(throws: VaultError.corruptedRecord("vault key")) {
                try locked.unlock(passphrase: secret("pass"))
            }
            flipped[index] ^= 0x10
        }
        try temporary.editVault("UPDATE vault_key SET \(column) = ?", .bytes(flipped))
        _ = try temporary.openVault()
    }

    @Test("A missing vault key is damage")
    func missingVaultKey() throws {
        try temporary.editVault("DELETE FROM vault_key")
        #expect(throws: VaultError.corruptedRecord("vault key")) {
            try vault.unlock(passphrase: secret("pass"))
        }
    }

    @Test("A damaged log key signs nothing", arguments: ["public_key", "sealed"])
    func damagedLogKey(column: String) throws {
        let key = try vault.logPublicKey()
        let head = AuditHead(
            sequence: 1, time: Timestamp(seconds: 1), hash: AuditChain.origin)
        let checkpoint = try vault.signCheckpoint(head, at: Timestamp(seconds: 2))
        #expect(checkpoint.isSigned(by: key))
        try temporary.editVault("UPDATE log_key SET \(column) = zeroblob(length(\(column)))")
        #expect(throws: VaultError.corruptedRecord("log key")) {
            try vault.signCheckpoint(head, at: Timestamp(seconds: 2))
        }
    }

    @Test("A newer format is refused by name")
    func newerFormat() throws {
        try temporary.editVault("PRAGMA user_version = 99")
        #expect(throws: VaultError.newerFormat(found: 99, supported: 10)) {
            try Vault.open(temporary.home, domains: TestDomains.registry)
        }
    }

    @Test("No secret is in the file in plain")
    func nothingInTheClear() throws {
        let rows = try vault.database.read { access throws(VaultError) in
            try access.all("SELECT sealed FROM keys") { row throws(VaultError) in
                try row.bytes(0)
            }
        }
        for row in rows {
            #expect(!row.contains([UInt8](repeating: 1, count: 8)))
            #expect(!row.contains([UInt8](repeating: 2, count: 8)))
        }
    }
}
