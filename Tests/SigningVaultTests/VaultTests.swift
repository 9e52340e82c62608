// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningFiles
import TestHome
import Testing

@testable import SigningVault

@Suite struct VaultTests {
    let temporary: TemporaryHome
    let vault: Vault

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
    }

    @Test("Accounts can be read without unlocking, and keys not used")
    func locked() throws {
        let account = try vault.addNostr("alice", 1, network: "main")
        let other = try Vault.open(temporary.home, domains: TestDomains.registry)
        #expect(!other.isUnlocked)
        #expect(try other.accounts() == [account])
        #expect(throws: KeyStoreError.locked) {
            try other.perform((account, .sign(TestDomains.note, "note")))
        }
        #expect(throws: VaultError.locked) { try other.addNostr("bob", 2) }
        #expect(throws: VaultError.locked) { try other.rename("alice", to: "bob") }
        #expect(throws: VaultError.locked) { try other.remove("alice") }
        vault.lock()
        #expect(throws: KeyStoreError.locked) { try vault.perform((account, .publicKey)) }
    }

    @Test("A key that was opened in another unlocking than the one that counts is not used")
    func unlockings() throws {
        let account = try vault.addNostr("alice", 1)
        let first = try #require(vault.unlocking)
        let use = (account, KeyOperation.sign(TestDomains.note, "note"))
        #expect(try vault.perform(use, in: first).count == 1)
        vault.lock(only: first + 1)
        #expect(vault.unlocking == first)
        vault.lock(only: first)
        try vault.unlock(passphrase: secret("pass"))
        let second = try #require(vault.unlocking)
        #expect(throws: KeyStoreError.locked) { try vault.perform(use, in: first) }
        #expect(try vault.perform(use, in: second).count == 1)
    }

    @Test("The public key is derived from the secret")
    func derivesPublicKey() throws {
        let nostrKey = try vault.addNostr("alice", 1)
        let nearKey = try vault.addNEAR("bob", 1)
        #expect(nostrKey.publicKey == (try Secp256k1Key(secret: secret(of: 1)).publicKey))
        #expect(nearKey.publicKey == (try Ed25519Key(seed: secret(of: 1)).publicKey))
        #expect(nostrKey.id.text.utf8.count == 32)
        #expect(nostrKey.id != nearKey.id)
    }

    @Test("The wrong passphrase has a separate error")
    func wrongPassphrase() throws {
        let other = try Vault.open(temporary.home, domains: TestDomains.registry)
        for wrong in ["", "Pass", "pass ", "pas"] {
            #expect(throws: VaultError.wrongPassphrase) {
                try other.unlock(passphrase: secret(wrong))
            }
        }
        #expect(!other.isUnlocked)
        try other.unlock(passphrase: secret("pass"))
        #expect(other.isUnlocked)
    }

    @Test("A vault is made once")
    func createsOnce() throws {
        #expect(throws: VaultError.alreadyExists("vault.db")) {
            try Vault.create(
                in: temporary.home, passphrase: secret("other"), parameters: .floor)
        }
        _ = try temporary.openVault()
        let empty = try TemporaryHome()
        #expect(throws: VaultError.self) {
            try Vault.open(empty.home, domains: TestDomains.registry)
        }
    }

    @Test("A passphrase hash that is too cheap or too dear is neither made nor run")
    func parameterRange() throws {
        let home = try TemporaryHome()
        for (memory, passes) in [(1_024, 2), (19 * 1_024, 1), (2 << 20, 2), (19 * 1_024, 21)] {
            let parameters = Argon2Parameters(memoryKiB: memory, passes: passes)
            #expect(throws: VaultError.self) {
                try Vault.create(
                    in: home.home, passphrase: secret("pass"), parameters: parameters)
            }
            // A program that edits the cost can also correct the checksum.
            let header = try vault.database.read { access throws(VaultError) in
                try VaultHeader(in: access)
            }
            let label = RecordLabel(salt: header.salt, parameters: parameters)
            let checksum = Digest.sha256((label.bytes + header.sealed).span)
            try temporary.editVault(
                "UPDATE vault_key SET memory_kib = \(memory), passes = \(passes)")
            try temporary.editVault("UPDATE vault_key SET checksum = ?", .bytes(checksum))
            #expect(throws: VaultError.corruptedRecord("vault key")) {
                try vault.unlock(passphrase: secret("pass"))
            }
        }
    }

    @Test("Names are unique and of a few plain characters")
    func names() throws {
        try vault.addNostr("alice", 1)
        #expect(throws: VaultError.alreadyExists("alice")) { try vault.addNostr("alice", 2) }
        for name in ["", "a b", "a/b", "\u{e4}", "a\n", String(repeating: "a", count: 65)] {
            #expect(throws: VaultError.invalidName(name)) { try vault.addNostr(name, 3) }
            #expect(throws: VaultError.invalidName(name)) {
                try vault.rename("alice", to: name)
            }
        }
        try vault.addNostr("A-z_0.9", 4)
        try vault.addNostr(String(repeating: "a", count: 64), 5)
        #expect(try vault.accounts().count == 3)
    }

    @Test("The same key is held once, for one protocol")
    func duplicateKeys() throws {
        try vault.addNEAR("alice", 1)
        #expect(throws: VaultError.duplicateKey(name: "alice")) { try vault.addNEAR("bob", 1) }
        #expect(throws: VaultError.duplicateKey(name: "alice")) {
            try vault.add(
                name: "carol", protocolID: ProtocolID("algorand"), algorithm: .ed25519,
                address: "CAROL", network: nil, secret: secret(of: 1))
        }
        // The same secret with another algorithm has another public key.
        try vault.addNostr("dave", 1)
        #expect(try vault.accounts().map(\.name) == ["alice", "dave"])
    }

    @Test("One key serves several accounts, each on each network once")
    func sharedKeys() throws {
        func add(
            _ name: String, _ address: String, _ network: String?, protocolID: ProtocolID = near
        ) throws {
            try vault.add(
                name: name, protocolID: protocolID, algorithm: .ed25519, address: address,
                network: network, secret: secret(of: 1), servesAccounts: true)
        }
        try add("a", "a.near", "mainnet")
        try add("b", "b.near", "mainnet")
        try add("c", "a.near", "testnet")
        try add("d", "d.near", nil)
        for (address, network, holder) in [
            ("a.near", "mainnet", "a"), ("a.near", "testnet", "c"), ("b.near", "mainnet", "b"),
            ("b.near", nil, "b"), ("d.near", nil, "d"), ("d.near", "testnet", "d"),
        ] {
            #expect(throws: VaultError.duplicateAccount(name: holder)) {
                try add("x", address, network)
            }
        }
        #expect(throws: VaultError.duplicateKey(name: "a")) {
            try add("x", "X", nil, protocolID: ProtocolID("algorand"))
        }
        #expect(throws: VaultError.duplicateKey(name: "a")) { try vault.addNEAR("x", 1) }
        // Each is a separate key: it signs, and the others stay after its removal.
        try vault.remove("a")
        #expect(try vault.accounts().map(\.name) == ["b", "c", "d"])
        for account in try vault.accounts() {
            #expect(try vault.perform((account, .sign(TestDomains.message, "near"))).count == 1)
        }
        try add("again", "a.near", "mainnet")
        #expect(try Set(vault.accounts().map(\.publicKey)).count == 1)
    }

    @Test("An invalid secret key is refused")
    func invalidSecrets() throws {
        #expect(throws: VaultError.invalidSecret) { try vault.addNostr("zero", 0) }
        #expect(throws: VaultError.invalidSecret) { try vault.addNostr("order", 0xFF) }
        #expect(throws: VaultError.invalidSecret) {
            try vault.add(
                name: "short", protocolID: near, algorithm: .ed25519, address: "a", network: nil,
                secret: secret("short"))
        }
        #expect(try vault.accounts() == [])
    }

    @Test("A renamed key keeps its identity and still signs")
    func rename() throws {
        let old = try vault.addNostr("alice", 1)
        try vault.addNostr("bob", 2)
        let new = try vault.rename("alice", to: "carol")
        #expect(new.id == old.id)
        #expect(try vault.accounts().map(\.name) == ["bob", "carol"])
        let again = try temporary.openVault()
        _ = try again.perform((new, .sign(TestDomains.note, "note")))
        #expect(throws: KeyStoreError.self) { try again.perform((old, .publicKey)) }
        #expect(throws: VaultError.alreadyExists("bob")) {
            try vault.rename("carol", to: "bob")
        }
        #expect(throws: VaultError.unknownKey(name: "alice")) {
            try vault.rename("alice", to: "dave")
        }
    }

    @Test("A removed key is gone, also for processes that had it open")
    func remove() throws {
        let account = try vault.addNostr("alice", 1)
        let other = try temporary.openVault()
        _ = try other.perform((account, .publicKey))
        try vault.remove("alice")
        for each in [vault, other] {
            #expect(throws: KeyStoreError.unknownKey(account.id)) {
                try each.perform((account, .publicKey))
            }
            #expect(try each.accounts() == [])
        }
        #expect(throws: VaultError.unknownKey(name: "alice")) { try vault.remove("alice") }
    }

    @Test("A changed passphrase leaves every sealed key as it is")
    func changePassphrase() throws {
        let accounts = [try vault.addNostr("alice", 1), try vault.addNEAR("bob", 2)]
        let before = try accounts.map { try vault.sealedSecret(of: $0) }
        #expect(throws: VaultError.wrongPassphrase) {
            try vault.changePassphrase(
                from: secret("wrong"), to: secret("new"), parameters: .floor)
        }
        let costlier = Argon2Parameters(memoryKiB: 20 * 1_024, passes: 2)
        try vault.changePassphrase(
            from: secret("pass"), to: secret("new"), parameters: costlier)
        #expect(try accounts.map { try vault.sealedSecret(of: $0) } == before)
        #expect(throws: VaultError.wrongPassphrase) { _ = try temporary.openVault("pass") }
        let again = try temporary.openVault("new")
        let header = try again.database.read { access throws(VaultError) in
            try VaultHeader(in: access)
        }
        #expect(header.parameters == costlier)
        _ = try again.perform((accounts[0], .sign(TestDomains.note, "note")))
    }

    @Test("Settings are small public values")
    func settings() throws {
        #expect(try vault.setting("arc27.provider") == nil)
        try vault.setSetting("arc27.provider", to: "6f8c")
        try vault.setSetting("arc27.provider", to: "7f8c")
        vault.lock()
        #expect(try vault.setting("arc27.provider") == "7f8c")
        #expect(throws: VaultError.locked) { try vault.setSetting("arc27.provider", to: nil) }
        try vault.unlock(passphrase: secret("pass"))
        try vault.setSetting("arc27.provider", to: nil)
        #expect(try vault.setting("arc27.provider") == nil)
        #expect(throws: VaultError.invalidName("a b")) { try vault.setSetting("a b", to: "c") }
        #expect(throws: VaultError.self) {
            try vault.setSetting("a", to: String(repeating: "a", count: Vault.settingBytesMax + 1))
        }
    }

    @Test("A thousand accounts are listed, and read anew when another process adds one")
    func thousandAccounts() throws {
        try vault.changeAccounts(with: vault.openVaultKey()) { access throws(VaultError) in
            for index in 0..<1_000 {
                let text = String(1_000_000 + index)
                try access.run(
                    """
                    INSERT INTO keys
                        (id, name, protocol, algorithm, public_key, address, network, sealed)
                    VALUES (?, ?, 'nostr', 'bip340', ?, ?, NULL, x'00')
                    """,
                    .text(text), .text("key-" + text), .bytes(Array(text.utf8)), .text(text))
            }
        }
        #expect(try vault.accounts().count == 1_000)
        let other = try temporary.openVault()
        try other.addNostr("late", 1)
        #expect(try vault.accounts().count == 1_001)
        try vault.addNostr("own", 2)
        #expect(try vault.accounts().count == 1_002)
    }

    @Test("No more keys stay open than the limit")
    func openKeyLimit() throws {
        for byte in UInt8(1)...3 {
            let account = try vault.addNostr("key-\(byte)", byte)
            _ = try vault.perform((account, .publicKey), (account, .publicKey))
        }
        #expect(vault.openKeyCount == 3)
        #expect(Vault.openKeyCountMax >= 3)
        vault.lock()
        #expect(vault.openKeyCount == 0)
    }
}
