// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningFiles
@testable import SigningVault

@Suite("Keys of transports")
struct TransportKeyTests {
    /// A domain for texts that begin with a word.
    static let domain = SigningDomain(
        id: SigningDomain.ID("test/envelope"), protocolID: ProtocolID("nostr"),
        algorithm: .bip340, prehash: .sha256, prefix: Array("letter".utf8),
        isValid: { preimage, _ in preimage.count < 20 })

    let temporary = try! TemporaryHome()
    let vault: Vault

    init() throws { vault = try temporary.makeVault(DomainRegistry([])) }

    private func add(_ body: String = "body", _ text: String = "") throws -> TransportRecord {
        try vault.addTransportKey(
            of: "relays", signing: .bip340, enclosing: Array(text.utf8)
        ) { _ in Array(body.utf8) }
    }

    private func sign(_ text: String, _ key: TransportKey) throws -> KeyResult {
        try key.perform(
            .sign(SigningInput(domain: Self.domain.id, preimage: Array(text.utf8))))
    }

    @Test("signs the envelopes of its transport and nothing else")
    func signs() throws {
        let open = try vault.open(try add(), signing: Self.domain)
        #expect(open.key.publicKey == open.record.publicKey)
        guard case .signature(let signature, let message) = try sign("letter", open.key) else {
            Issue.record("no signature")
            return
        }
        let isValid = Signatures.isValidBIP340(
            signature: signature.span, message: message.span, publicKey: open.key.publicKey.span)
        #expect(isValid)
        #expect(throws: KeyStoreError.self) { try sign("note", open.key) }
        #expect(throws: KeyStoreError.self) { try sign("letter that is too long", open.key) }
        #expect(throws: KeyStoreError.self) {
            try open.key.perform(
                .sign(
                    SigningInput(
                        domain: SigningDomain.ID("nostr/event"), preimage: Array("letter".utf8))))
        }
    }

    @Test("seals and opens for a peer")
    func seals() throws {
        let one = try vault.open(try add(), signing: Self.domain).key
        let two = try vault.open(try add(), signing: Self.domain).key
        for scheme in [CipherScheme.nip04, .nip44] {
            guard
                case .ciphertext(let sealed) = try one.perform(
                    .encrypt(scheme, peer: two.publicKey, plaintext: Array("hi".utf8)))
            else {
                Issue.record("nothing sealed")
                return
            }
            #expect(
                try two.perform(.decrypt(scheme, peer: one.publicKey, payload: sealed))
                    == .plaintext(Array("hi".utf8)))
        }
    }

    @Test("is not an account, and needs an unlocked vault to be made, changed or opened")
    func locked() throws {
        let record = try add("one", "secret")
        #expect(try vault.accounts().isEmpty)
        #expect(try vault.open(record, signing: Self.domain).enclosed == Array("secret".utf8))
        #expect(try vault.change(record, to: Array("two".utf8), enclosing: []))
        // A writer that read the previous state changes nothing.
        #expect(try !vault.change(record, to: Array("three".utf8), enclosing: []))
        let changed = try #require(try vault.transportRecords(of: "relays").first)
        #expect(changed.body == Array("two".utf8) && changed.publicKey == record.publicKey)
        #expect(try vault.open(changed, signing: Self.domain).enclosed == [])
        #expect(try vault.transportRecords(of: "other").isEmpty)
        vault.lock()
        #expect(try vault.transportRecords(of: "relays") == [changed])
        #expect(throws: VaultError.locked) { try vault.open(changed, signing: Self.domain) }
        #expect(throws: VaultError.locked) { try add() }
        #expect(throws: VaultError.locked) { try vault.removeTransportKey(record.publicKey) }
        try vault.unlock(passphrase: SecretBytes(copying: "pass".utf8.span))
        try vault.removeTransportKey(record.publicKey)
        #expect(try vault.transportRecords(of: "relays").isEmpty)
    }

    @Test("a vault from before there were any opens, and takes one")
    func older() throws {
        let key = try vault.openVaultKey()
        try vault.database.write { access throws(VaultError) in
            var state = try VaultContent(in: access).state(generation: 2)
            state.digests[.transports] = nil
            state.digests[.passkeys] = nil
            try state.write(with: key, in: access)
            try access.run("DROP TABLE transport_keys")
            try access.run("DROP TABLE passkeys")
            try access.run("PRAGMA user_version = 7")
        }
        try temporary.upgradeVault()
        let again = try Vault.open(temporary.home, domains: DomainRegistry([]))
        try again.unlock(passphrase: SecretBytes(copying: "pass".utf8.span))
        #expect(try again.transportRecords(of: "relays").isEmpty)
        try again.addTransportKey(of: "relays", signing: .bip340) { _ in [] }
        #expect(try again.damagedParts() == [])
    }

    @Test(
        "another writer's change to a key is noticed, and so is a restored one",
        arguments: [
            "UPDATE transport_keys SET body = x'00'", "DELETE FROM transport_keys",
            "UPDATE transport_keys SET transport = 'web'",
            "UPDATE transport_keys SET sealed = zeroblob(80)",
        ])
    func damaged(change: String) throws {
        let record = try add()
        let database = try Database<VaultError>(
            path: temporary.home.vaultPath, schema: .vault, .existing)
        try database.write { access throws(VaultError) in try access.run(change) }
        #expect(throws: VaultError.self) { try vault.transportRecords(of: "relays") }
        #expect(try vault.damagedParts() == ["connections"])
        #expect(throws: VaultError.self) { try add() }
        #expect(throws: VaultError.self) { try vault.removeTransportKey(record.publicKey) }
    }
}
