// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningFiles
import TestHome
import Testing

@testable import SigningVault

@Suite("Exporting")
struct ExportTests {
    let temporary: TemporaryHome
    let vault: Vault

    init() throws {
        temporary = try TemporaryHome()
        vault = try temporary.makeVault()
    }

    private func addPhrased(_ name: String, account: UInt32 = 7) throws -> [UInt8] {
        let entropy = BIP39.makeEntropy(wordCount: 12)
        let copy = entropy.withSpan { bytes in bytes.indices.map { bytes[$0] } }
        try vault.add(
            name: name, protocolID: ProtocolID("nostr"), algorithm: .bip340, address: name,
            network: nil, secret: SecretBytes.random(count: 32),
            phrase: KeyPhrase(entropy: entropy, place: .account(account), hasPassphrase: true))
        return copy
    }

    @Test("a secret comes out for the passphrase, asked again although the vault is open")
    func secretKey() throws {
        let made = SecretBytes(count: 32) { $0[31] = 5 }
        try vault.add(
            name: "alice", protocolID: ProtocolID("nostr"), algorithm: .bip340, address: "a",
            network: nil, secret: made)
        let out = try vault.exportSecret(of: vault.named("alice"), passphrase: secret("pass"))
        let isSame = out.isEqual(to: made)
        #expect(isSame)
        #expect(throws: VaultError.wrongPassphrase) {
            _ = try vault.exportSecret(of: vault.named("alice"), passphrase: secret("another"))
        }
        vault.lock()
        let again = try vault.exportSecret(of: vault.named("alice"), passphrase: secret("pass"))
        let isSameAgain = again.isEqual(to: made)
        #expect(isSameAgain)
        #expect(throws: VaultError.unknownKey(name: "bob")) {
            _ = try vault.exportSecret(of: vault.named("bob"), passphrase: secret("pass"))
        }
        let hasPhrase =
            try vault.exportPhrase(of: vault.named("alice"), passphrase: secret("pass")) != nil
        #expect(!hasPhrase)
    }

    @Test("a key is found by its id, even if its name now belongs to another")
    func renamed() throws {
        for (name, byte) in [("cheap", UInt8(5)), ("treasure", 6)] {
            try vault.add(
                name: name, protocolID: ProtocolID("nostr"), algorithm: .bip340, address: name,
                network: nil, secret: SecretBytes(count: 32) { $0[31] = byte })
        }
        let cheap = try vault.named("cheap")
        try vault.rename("cheap", to: "x")
        try vault.rename("treasure", to: "cheap")
        let out = try vault.exportSecret(of: cheap, passphrase: secret("pass"))
        let isSame = out.isEqual(to: SecretBytes(count: 32) { $0[31] = 5 })
        #expect(isSame)
        try vault.remove("x")
        #expect(throws: VaultError.unknownKey(name: "cheap")) {
            _ = try vault.exportSecret(of: cheap, passphrase: secret("pass"))
        }
    }

    @Test("the words stay with their key through renaming, and go with it")
    func phrase() throws {
        let entropy = try addPhrased("alice")
        try vault.rename("alice", to: "bob")
        let found = try vault.exportPhrase(of: vault.named("bob"), passphrase: secret("pass"))
        guard let phrase = found else {
            Issue.record("no phrase")
            return
        }
        let bytes = phrase.entropy.withSpan { bytes in bytes.indices.map { bytes[$0] } }
        let (place, hasPassphrase) = (phrase.place, phrase.hasPassphrase)
        #expect(bytes == entropy && place == .account(7) && hasPassphrase)
        #expect(throws: VaultError.wrongPassphrase) {
            _ = try vault.exportPhrase(of: vault.named("bob"), passphrase: secret("another"))
        }
        try vault.remove("bob")
        let rows = try vault.database.read { access throws(VaultError) in
            try access.exists("SELECT 1 FROM phrases")
        }
        #expect(!rows)
    }

    @Test("a path is kept with its words, whole")
    func path() throws {
        let deepest = try #require(
            SLIP10.Path(numbers: (0..<10).map { SLIP10.Path.numberMax - $0 }))
        for path in [SLIP10.Path.near, deepest, try #require(SLIP10.Path("m"))] {
            let entropy = BIP39.makeEntropy(wordCount: 24)
            let copy = entropy.withSpan { bytes in bytes.indices.map { bytes[$0] } }
            try vault.add(
                name: "toad", protocolID: near, algorithm: .ed25519, address: "toad.near",
                network: nil, secret: SecretBytes.random(count: 32),
                phrase: KeyPhrase(entropy: entropy, place: .path(path), hasPassphrase: false))
            let found = try vault.exportPhrase(of: vault.named("toad"), passphrase: secret("pass"))
            guard let phrase = found else {
                Issue.record("no phrase")
                return
            }
            let bytes = phrase.entropy.withSpan { bytes in bytes.indices.map { bytes[$0] } }
            let (place, hasPassphrase) = (phrase.place, phrase.hasPassphrase)
            #expect(bytes == copy && place == .path(path) && !hasPassphrase)
            try vault.remove("toad")
        }
    }

    @Test("an extended secret is kept with its words, path and mode, and signs")
    func extended() throws {
        let modes = BIP32Ed25519.Mode.allCases
        for (mode, path) in zip(modes, [BIP32Ed25519.Path.algorand, BIP32Ed25519.Path("m")]) {
            let path = try #require(path)
            let entropy = BIP39.makeEntropy(wordCount: 24)
            let copy = entropy.withSpan { bytes in bytes.indices.map { bytes[$0] } }
            let own = try BIP32Ed25519.secret(
                entropy: entropy, passphrase: SecretBytes(count: 0) { _ in }, path: path,
                mode: mode)
            let account = try vault.add(
                name: "treasury", protocolID: ProtocolID("algorand"), algorithm: .ed25519,
                address: "A", network: nil, secret: own,
                phrase: KeyPhrase(
                    entropy: entropy, place: .extended(path, mode), hasPassphrase: false))
            #expect(try account.publicKey == Ed25519Key(extended: own).publicKey)
            #expect(try vault.damagedKeys() == [])
            let same = try vault.exportSecret(
                of: vault.named("treasury"), passphrase: secret("pass")
            )
            .isEqual(to: own)
            #expect(same)
            let found = try vault.exportPhrase(
                of: vault.named("treasury"), passphrase: secret("pass"))
            guard let phrase = found else {
                Issue.record("no phrase")
                return
            }
            let bytes = phrase.entropy.withSpan { bytes in bytes.indices.map { bytes[$0] } }
            let (place, hasPassphrase) = (phrase.place, phrase.hasPassphrase)
            #expect(bytes == copy && place == .extended(path, mode) && !hasPassphrase)
            try vault.remove("treasury")
        }
    }

    /// The parts of a record: its place, its passphrase flag, and its entropy.
    private func read(_ record: [UInt8]) -> (KeyPhrase.Place, Bool, [UInt8])? {
        guard let phrase = KeyPhrase(record: SecretBytes(copying: record.span)) else { return nil }
        let entropy = phrase.entropy.withSpan { bytes in bytes.indices.map { bytes[$0] } }
        return (phrase.place, phrase.hasPassphrase, entropy)
    }

    @Test("records of version 1 are read as ever, and written so for accounts")
    func versions() throws {
        let entropy = [UInt8](repeating: 9, count: 16)
        let old = try #require(read([1, 1, 0, 0, 1, 2] + entropy))
        #expect(old.0 == .account(258) && old.1 && old.2 == entropy)
        let phrase = KeyPhrase(
            entropy: SecretBytes(copying: entropy.span), place: .account(258), hasPassphrase: true)
        let written = phrase.record.withSpan { bytes in bytes.indices.map { bytes[$0] } }
        #expect(written == [1, 1, 0, 0, 1, 2] + entropy)
        let new = try #require(read([2, 0, 1, 0, 0, 0, 7] + entropy))
        #expect(new.0 == SLIP10.Path("m/7'").map { .path($0) } && !new.1 && new.2 == entropy)
        let extended = try #require(read([3, 0, 1, 2, 0x80, 0, 0, 7, 0, 0, 0, 8] + entropy))
        let place = BIP32Ed25519.Path("m/7'/8").map { KeyPhrase.Place.extended($0, .khovratovich) }
        #expect(extended.0 == place && !extended.1 && extended.2 == entropy)
        for wrong in [
            [3, 0, 0], [3, 0, 2, 0] + entropy, [3, 0, 0, 1, 0, 0, 0],
            [3, 0, 0, 9] + [UInt8](repeating: 0, count: 36) + entropy,
            [], [1], [2, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [1, 2, 0, 0, 0, 0] + entropy,
            [4, 0, 0, 0, 0, 0] + entropy, [0, 0, 0, 0, 0, 0] + entropy, [2, 0, 0],
            [2, 2, 0] + entropy, [2, 0, 1, 0, 0, 0], [2, 0, 1, 0x80, 0, 0, 0] + entropy,
            [2, 0, 11] + [UInt8](repeating: 0, count: 44) + entropy, [2, 0, 255] + entropy,
        ] as [[UInt8]] {
            #expect(read(wrong) == nil, "\(wrong)")
        }
    }

    @Test("words that were moved to another key are not handed out")
    func swapped() throws {
        _ = try addPhrased("alice")
        _ = try addPhrased("bob")
        try temporary.editVault(
            """
            UPDATE phrases SET sealed = (SELECT sealed FROM phrases WHERE key_id =
                (SELECT id FROM keys WHERE name = 'alice'))
            WHERE key_id = (SELECT id FROM keys WHERE name = 'bob')
            """)
        #expect(throws: VaultError.corruptedRecord("bob")) {
            _ = try vault.exportPhrase(of: vault.named("bob"), passphrase: secret("pass"))
        }
    }
}

extension Vault {
    /// The account that a name leads to.
    func named(_ name: String) throws -> Account {
        guard let found = try accounts().first(where: { $0.name == name }) else {
            throw VaultError.unknownKey(name: name)
        }
        return found
    }
}
