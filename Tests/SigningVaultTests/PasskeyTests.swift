// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import SigningFiles
import SigningTesting
import TestHome
import Testing

@testable import SigningCore
@testable import SigningVault

@Suite("Passkeys of the vault")
struct PasskeyTests {
    /// A domain for texts that begin with a word.
    static let domain = SigningDomain(
        id: SigningDomain.ID("test/login"), protocolID: ProtocolID("test"), algorithm: .p256,
        prehash: .sha256, prefix: Array("login".utf8), isValid: { _, _ in true })

    let home: TestHome
    let account: Account

    init() throws {
        home = try TestHome([Self.domain])
        account = try home.vault.add(
            name: "alice", protocolID: ProtocolID("test"), algorithm: .ed25519, address: "ALICE",
            network: nil, secret: SecretBytes.random(count: 32))
    }

    private func perform(
        _ operations: KeyOperation...
    ) throws(KeyStoreError) -> [KeyResult] {
        let requested = operations.map {
            RequestedOperation(
                account: account, operation: $0, facts: [], effects: [], dangers: [])
        }
        return try home.vault.perform(SigningPermit(for: requested, judgedBy: []))
    }

    private func make(_ host: String = "a.example", replacing: [UInt8]? = nil) throws -> Passkey {
        let results = try perform(.makePasskey(host: host, replacing: replacing))
        guard case .passkey(let publicKey) = results.first else {
            throw KeyStoreError.failed
        }
        return try #require(try home.vault.passkeys().first { $0.publicKey == publicKey })
    }

    private func sign(_ credential: [UInt8], _ text: String = "login") throws -> KeyResult? {
        try perform(
            .signByPasskey(
                credential: credential,
                SigningInput(domain: Self.domain.id, preimage: Array(text.utf8)))
        ).first
    }

    @Test("is on disk before it is returned, and signs inputs of its domain")
    func makes() throws {
        let passkey = try make()
        #expect(passkey.name == "a.example.alice" && passkey.address == "ALICE")
        let other = try Vault.open(home.home, domains: DomainRegistry([Self.domain]))
        #expect(try other.passkeys() == [passkey])
        guard case .signature(let signature, let digest)? = try sign(passkey.credential) else {
            Issue.record("no signature")
            return
        }
        let isValid = Signatures.isValidP256(
            signature: signature.span, digest: digest.span, publicKey: passkey.publicKey.span)
        #expect(isValid && digest == Digest.sha256("login".utf8.span))
        #expect(throws: KeyStoreError.self) { try sign(passkey.credential, "other") }
        #expect(throws: KeyStoreError.unsupportedOperation) { try sign([1, 2, 3]) }
    }

    @Test("a new one is kept beside earlier ones, with any signer")
    func replaces() throws {
        let first = try make()
        #expect(throws: KeyStoreError.failed) { try make() }
        #expect(throws: KeyStoreError.failed) { try make(replacing: [1]) }
        _ = try make("b.example")
        let second = try make(replacing: first.credential)
        #expect(second.name == "a.example.alice-2" && second.credential != first.credential)
        #expect(throws: KeyStoreError.failed) { try make(replacing: first.credential) }
        #expect(try sign(second.credential) != nil)
        // The server may refuse the second passkey and still accept the first.
        #expect(try sign(first.credential) != nil)
        #expect(try home.vault.passkeys().count == 3)
    }

    @Test("none is forgotten automatically, and their number for one host is bounded")
    func refused() throws {
        var made = [try make()]
        while made.count < Vault.passkeysPerHostMax {
            made.append(try make(replacing: made.last?.credential))
        }
        #expect(throws: KeyStoreError.failed) { try make(replacing: made.last?.credential) }
        #expect(try home.vault.passkeys() == made)
        try home.vault.removePasskey(made[0].name)
        _ = try make(replacing: made.last?.credential)
        #expect(try sign(made[1].credential) != nil)
    }

    @Test("no key and no passkey has the name of another")
    func names() throws {
        let passkey = try make()
        #expect(throws: VaultError.alreadyExists("alice")) {
            try home.vault.renamePasskey(passkey.name, to: "alice")
        }
        #expect(throws: VaultError.alreadyExists(passkey.name)) {
            try home.vault.add(
                name: passkey.name, protocolID: ProtocolID("test"), algorithm: .ed25519,
                address: "BOB", network: nil, secret: SecretBytes.random(count: 32))
        }
        _ = try home.vault.add(
            name: "b.example.alice", protocolID: ProtocolID("test"), algorithm: .ed25519,
            address: "BOB", network: nil, secret: SecretBytes.random(count: 32))
        #expect(try make("b.example").name == "b.example.alice-2")
    }

    @Test("is renamed and removed, and signs on under another name")
    func renames() throws {
        let passkey = try make()
        try home.vault.renamePasskey(passkey.name, to: "work")
        #expect(try home.vault.passkeys().map(\.name) == ["work"])
        #expect(try sign(passkey.credential) != nil)
        _ = try make("b.example")
        #expect(throws: VaultError.alreadyExists("work")) {
            try home.vault.renamePasskey("b.example.alice", to: "work")
        }
        #expect(throws: VaultError.unknownPasskey(name: "none")) {
            try home.vault.removePasskey("none")
        }
        try home.vault.removePasskey("work")
        #expect(throws: KeyStoreError.unsupportedOperation) { try sign(passkey.credential) }
        #expect(try home.vault.passkeys().map(\.name) == ["b.example.alice"])
    }

    @Test("while the vault is locked none is made or used")
    func locked() throws {
        let passkey = try make()
        home.vault.lock()
        #expect(throws: KeyStoreError.locked) { try make("b.example") }
        #expect(throws: KeyStoreError.locked) { try sign(passkey.credential) }
        #expect(try home.vault.passkeys() == [passkey])
    }

    @Test("one that was edited on disk is noticed before anything is signed")
    func edited() throws {
        let passkey = try make()
        try home.vault.database.write { access throws(VaultError) in
            try access.run("UPDATE passkeys SET host = 'evil.example'")
        }
        #expect(try home.vault.damagedParts() == ["passkeys"])
        #expect(throws: KeyStoreError.self) { try sign(passkey.credential) }
        #expect(throws: KeyStoreError.self) { try perform(.publicKey) }
    }

    @Test("watch-only accounts have none, and no export leads to one")
    func without() throws {
        let passkey = try make()
        #expect(throws: VaultError.unknownKey(name: passkey.name)) {
            _ = try home.vault.exportSecret(
                of: home.vault.named(passkey.name),
                passphrase: SecretBytes(copying: "pass".utf8.span)
            ).count
        }
    }
}
