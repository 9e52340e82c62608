// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningVault

@Suite("Accounts that are only watched")
struct WatchingTests {
    let temporary: TemporaryHome
    let vault: Vault

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
    }

    static let algorand = ProtocolID("algorand")

    private static func members(_ count: Int = 3, _ threshold: UInt8 = 2) -> MultisigMembers {
        MultisigMembers(
            version: 1, threshold: threshold,
            keys: (0..<count).map { [UInt8](repeating: UInt8(truncatingIfNeeded: $0), count: 32) })
    }

    @discardableResult
    private func watch(
        _ name: String, _ byte: UInt8 = 9, network: String? = nil, in other: Vault? = nil,
        members: MultisigMembers = Self.members()
    ) throws -> Account {
        try (other ?? vault).watch(
            name: name, protocolID: Self.algorand, address: "ADDRESS-\(byte)",
            publicKey: [UInt8](repeating: byte, count: 32), network: network, members: members)
    }

    @Test("members are kept in their order, with duplicates")
    func kept() throws {
        let repeated = MultisigMembers(
            version: 1, threshold: 3, keys: (Self.members().keys + Self.members().keys).reversed())
        let accounts = [
            try watch("joint", network: "testnet", members: repeated), try watch("whole", 8),
            try watch("widest", 7, members: Self.members(255, 255)),
            try watch("least", 6, members: Self.members(1, 1)),
        ]
        #expect(accounts[0].multisig == repeated && accounts[0].algorithm == .multisig)
        let watchedCount = accounts.count { $0.isWatchOnly }
        #expect(watchedCount == accounts.count)
        let locked = try Vault.open(temporary.home, domains: TestDomains.registry)
        for vault in [vault, locked, try temporary.openVault()] {
            #expect(try Set(vault.accounts()) == Set(accounts))
        }
    }

    @Test(
        "an invalid account is refused",
        arguments: [
            members(3, 0), members(3, 4), members(0, 0), members(0, 1), members(256, 1),
            MultisigMembers(version: 1, threshold: 1, keys: [[]]),
            MultisigMembers(version: 1, threshold: 1, keys: [[UInt8](repeating: 1, count: 31)]),
        ])
    func unsound(members: MultisigMembers) throws {
        #expect(throws: VaultError.self) { try watch("joint", members: members) }
        #expect(MultisigMembers(record: members.record) == nil)
        #expect(throws: VaultError.self) {
            try vault.watch(
                name: "joint", protocolID: Self.algorand, address: "A", publicKey: [1],
                network: nil, members: Self.members())
        }
        #expect(try vault.accounts() == [])
    }

    @Test("a name is one, and free; an account is kept once for each network")
    func duplicates() throws {
        let alice = try vault.addNostr("alice", 1)
        #expect(throws: VaultError.alreadyExists("alice")) { try watch("alice") }
        #expect(throws: VaultError.invalidName("a b")) { try watch("a b") }
        try watch("joint", network: "mainnet")
        #expect(throws: VaultError.alreadyExists("joint")) { try watch("joint", 8) }
        #expect(throws: VaultError.alreadyExists("joint")) { try vault.addNostr("joint", 2) }
        for network in ["mainnet", nil] {
            #expect(throws: VaultError.duplicateAccount(name: "joint")) {
                try watch("again", network: network)
            }
        }
        try watch("joint-test", network: "testnet")
        #expect(try vault.accounts().map(\.name) == ["alice", "joint", "joint-test"])
        #expect(!alice.isWatchOnly)
    }

    @Test("a locked vault keeps none")
    func locked() throws {
        let locked = try Vault.open(temporary.home, domains: TestDomains.registry)
        #expect(throws: VaultError.locked) { try watch("joint", in: locked) }
        let joint = try watch("joint")
        #expect(throws: KeyStoreError.locked) { try locked.perform((joint, .publicKey)) }
        #expect(throws: VaultError.locked) { try locked.rename("joint", to: "other") }
        #expect(throws: VaultError.locked) { try locked.remove("joint") }
        #expect(throws: VaultError.locked) { try locked.tag("joint", with: ["a"]) }
    }

    @Test("it is renamed, tagged and removed as a key is")
    func changes() throws {
        let old = try watch("joint", network: "testnet")
        let tagged = try vault.tag("joint", with: ["cold", "big"])
        #expect(tagged.tags == ["big", "cold"] && tagged.multisig == old.multisig)
        let new = try vault.rename("joint", to: "treasury")
        #expect(new.id == old.id && new.multisig == old.multisig && new.tags == tagged.tags)
        let again = try temporary.openVault()
        #expect(try again.accounts() == [new])
        #expect(try again.damagedKeys() == [])
        try again.remove("treasury")
        #expect(try temporary.openVault().accounts() == [])
        try watch("joint", network: "testnet")
    }

    @Test("it reports its identity and opens no key for that")
    func publicKey() throws {
        let alice = try vault.addNostr("alice", 1)
        let joint = try watch("joint")
        #expect(
            try vault.perform((joint, .publicKey), (joint, .publicKey))
                == [.publicKey(joint.publicKey), .publicKey(joint.publicKey)])
        #expect(vault.openKeyCount == 0)
        #expect(
            try vault.perform((joint, .publicKey), (alice, .publicKey))
                == [.publicKey(joint.publicKey), .publicKey(alice.publicKey)])
        #expect(vault.openKeyCount == 1)
    }

    /// A domain of the protocol, which the members' keys use.
    private static let transaction = SigningDomain(
        id: .init("algorand/transaction"), protocolID: algorand, algorithm: .ed25519,
        prehash: .none, prefix: Array("TX".utf8)
    ) { _, _ in true }
    /// A domain that no adapter has and that would admit the account itself.
    private static let shared = SigningDomain(
        id: .init("algorand/shared"), protocolID: algorand, algorithm: .multisig,
        prehash: .none, prefix: Array("MX".utf8)
    ) { _, _ in true }

    @Test("nothing is signed, encrypted or decrypted, and no key of the same permit is used")
    func refuses() throws {
        let alice = try vault.addNostr("alice", 1)
        let joint = try watch("joint")
        let vault = try Vault.open(
            temporary.home,
            domains: DomainRegistry([TestDomains.note, Self.transaction, Self.shared]))
        try vault.unlock(passphrase: secret("pass"))
        let peer = alice.publicKey
        let refusals: [(KeyOperation, KeyStoreError)] = [
            (.sign(Self.transaction, "TX1"), .domain(.wrongKey(Self.transaction.id))),
            (.sign(TestDomains.note, "note"), .domain(.wrongKey(TestDomains.note.id))),
            (.sign(Self.shared, "MX1"), .unsupportedOperation),
            (.encrypt(.nip44, peer: peer, plaintext: [1]), .unsupportedOperation),
            (.decrypt(.nip44, peer: peer, payload: [1]), .unsupportedOperation),
        ]
        for (operation, error) in refusals {
            #expect(throws: error) { try vault.perform((joint, operation)) }
            #expect(throws: error) {
                try vault.perform((alice, .sign(TestDomains.note, "note")), (joint, operation))
            }
            #expect(vault.openKeyCount == 0)
        }
    }

    @Test("no secret and no words come out")
    func exports() throws {
        try watch("joint")
        #expect(throws: VaultError.noSecret(name: "joint")) {
            _ = try vault.exportSecret(of: vault.named("joint"), passphrase: secret("pass"))
        }
        #expect(throws: VaultError.noSecret(name: "joint")) {
            _ = try vault.exportPhrase(of: vault.named("joint"), passphrase: secret("pass"))
        }
        #expect(throws: VaultError.wrongPassphrase) {
            _ = try vault.exportSecret(of: vault.named("joint"), passphrase: secret("wrong"))
        }
    }

    @Test("members that were edited open no vault, and no key becomes an account without one")
    func edited() throws {
        try vault.addNostr("alice", 1)
        let joint = try watch("joint")
        let record = try #require(joint.multisig).record
        var edits: [(String, SQLiteValue)] = [
            ("members = ?", .null), ("members = ?", .bytes([])),
            ("members = ?", .bytes(Array(record.dropLast()))),
            ("members = ?", .bytes(record + [UInt8](repeating: 3, count: 32))),
            ("algorithm = ?", .text("ed25519")), ("algorithm = ?", .text("bip340")),
        ]
        for index in record.indices {
            var flipped = record
            flipped[index] ^= 1
            edits.append(("members = ?", .bytes(flipped)))
        }
        for (edit, value) in edits {
            try temporary.editVault("UPDATE keys SET \(edit) WHERE name = 'joint'", value)
            #expect(throws: VaultError.self) { _ = try temporary.openVault() }
            #expect(throws: KeyStoreError.self) { try vault.perform((joint, .publicKey)) }
            try temporary.editVault("UPDATE keys SET algorithm = 'multisig' WHERE name = 'joint'")
            try temporary.editVault(
                "UPDATE keys SET members = ? WHERE name = 'joint'", .bytes(record))
        }
        _ = try temporary.openVault()
        try temporary.editVault(
            "UPDATE keys SET members = ? WHERE name = 'alice'", .bytes(record))
        #expect(throws: VaultError.corruptedRecord("account list")) {
            _ = try temporary.openVault()
        }
    }

    @Test("a home of format 4 opens with the seal it has, and keeps such accounts from then on")
    func upgrade() throws {
        let alice = try vault.addNostr("alice", 1)
        let tagged = try vault.tag("alice", with: ["bots"])
        for table in ["state", "revoked", "set_aside", "transport_keys", "passkeys"] {
            try temporary.editVault("DROP TABLE \(table)")
        }
        for column in ["sequence", "entry_hash"] {
            try temporary.editVault("ALTER TABLE policy DROP COLUMN \(column)")
        }
        try temporary.editVault(
            "UPDATE log_key SET sealed = ?", .bytes(try vault.logKeyAsSealedBefore()))
        try temporary.editVault("ALTER TABLE keys DROP COLUMN members")
        try temporary.editVault("PRAGMA user_version = 4")
        try temporary.upgradeVault()
        let again = try temporary.openVault()
        #expect(try again.accounts() == [tagged])
        _ = try again.perform((tagged, .sign(TestDomains.note, "note")))
        let joint = try watch("joint", in: again)
        #expect(try Set(temporary.openVault().accounts()) == [tagged, joint])
        #expect(alice.id == tagged.id)
    }

    @Test("lists without such accounts are sealed as they ever were")
    func pinnedSeal() throws {
        let key = VaultKey(secret(of: 7))
        let accounts = [("b", ["x", "y"]), ("a", [])].map { id, tags in
            Account(
                id: KeyID(id), name: "name-" + id, protocolID: near, algorithm: .ed25519,
                publicKey: [1, 2], address: "a.near", network: id == "a" ? nil : "testnet",
                tags: tags)
        }
        let seal = key.authenticationCode(of: accounts)
        #expect(
            Hex.encode(seal.span)
                == "8f781d4764419a9d379787839e844ed7e26c99fab289a97919ba5e6f53e8cbb1")
        let joint = Account(
            id: KeyID("c"), name: "c", protocolID: Self.algorand, algorithm: .multisig,
            publicKey: [3], address: "C", network: nil, multisig: Self.members())
        let bare = Account(
            id: KeyID("c"), name: "c", protocolID: Self.algorand, algorithm: .multisig,
            publicKey: [3], address: "C", network: nil)
        #expect(
            key.authenticationCode(of: accounts + [joint])
                != key.authenticationCode(of: accounts + [bare]))
    }
}

extension WatchingTests {
    @Test("a rekeyed account is kept with the key that signs for it, and sealed with that")
    func rekeyed() throws {
        let key = [UInt8](repeating: 3, count: 32)
        let own = [UInt8](repeating: 4, count: 32)
        func watch(_ name: String, _ publicKey: [UInt8], by key: [UInt8]) throws -> Account {
            try vault.watch(
                name: name, protocolID: Self.algorand, address: "ADDRESS-\(publicKey[0])",
                publicKey: publicKey, network: nil, signedBy: key)
        }
        let account = try watch("old", own, by: key)
        #expect(account.signedBy == key && account.isWatchOnly && account.multisig == nil)
        #expect(try temporary.openVault().accounts() == [account])
        #expect(throws: VaultError.duplicateAccount(name: "old")) {
            try watch("twin", own, by: [UInt8](repeating: 5, count: 32))
        }
        for (publicKey, signer) in [(key, key), ([1], key), (key, [1])] {
            #expect(throws: VaultError.self) { try watch("bad", publicKey, by: signer) }
        }
        let renamed = try vault.rename("old", to: "older")
        #expect(renamed.signedBy == key)
        // A different key in the file is not the one that the owner sealed.
        let changed = VaultKey.message(of: [renamed])
        let moved = Account(
            id: renamed.id, name: renamed.name, protocolID: renamed.protocolID,
            algorithm: .rekeyed, publicKey: own, address: renamed.address, network: nil,
            signedBy: own)
        #expect(VaultKey.message(of: [moved]) != changed)
        try vault.remove("older")
        #expect(try vault.accounts().isEmpty)
    }
}
