// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import TestHome
import Testing

@testable import SigningStorage
@testable import SigningVault

/// An Ed25519 key under another name, which stands for the algorithm of another program.
private struct OtherKey: SigningKey, ~Copyable {
    static let scheme = SignatureScheme("other", publicKeyCount: 32, signatureCount: 64) {
        signature, message, publicKey in
        Signatures.isValidEd25519(signature: signature, message: message, publicKey: publicKey)
    }
    static let secretCount = 32
    private let key: Ed25519Key
    var publicKey: [UInt8] { key.publicKey }

    init(secret: borrowing SecretBytes) throws(CryptoError) { key = try Ed25519Key(seed: secret) }

    borrowing func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8] {
        try key.sign(message)
    }
}

@Suite("Keys of an algorithm that the vault is given")
struct OwnAlgorithmTests {
    private let temporary: TemporaryHome
    private let ledger: SQLiteLedger
    private let other = KeyAlgorithm("other")
    private let toy = ProtocolID("toy")
    private let domain = SigningDomain(
        id: SigningDomain.ID("toy/text"), protocolID: ProtocolID("toy"),
        algorithm: KeyAlgorithm("other"), prehash: .none, prefix: Array("toy".utf8),
        isValid: { _, _ in true })

    init() throws {
        temporary = try TemporaryHome()
        _ = try temporary.makeVault()
        ledger = try temporary.makeLedger()
    }

    /// Opens the vault, with the algorithm or without it.
    private func open(_ isSupported: Bool) throws -> Vault {
        let registry = DomainRegistry([domain])
        let vault = try Vault.open(
            temporary.home, algorithms: isSupported ? [SigningAlgorithm(OtherKey.self)] : []
        ) { _ in registry }
        try vault.unlock(passphrase: secret("pass"))
        return vault
    }

    private func addKey() throws -> Account {
        try open(true).add(
            name: "own", protocolID: toy, algorithm: other, address: "own", network: nil,
            secret: secret(of: 7))
    }

    @Test("sign in their domain")
    func signs() throws {
        let account = try addKey()
        let vault = try open(true)
        #expect(try vault.accounts() == [account])
        let result = try vault.perform((account, .sign(domain, "toy text")))
        guard case .signature(let signature, let message) = result.first else {
            Issue.record("\(result)")
            return
        }
        #expect(message == Array("toy text".utf8))
        #expect(OtherKey.scheme.isValid(signature, over: message, by: account.publicKey))
    }

    @Test("are authentic without it, not damaged, and cannot be made or used")
    func unsupported() throws {
        let account = try addKey()
        let vault = try open(false)
        #expect(try vault.accounts() == [account])
        #expect(try vault.damagedKeys().isEmpty)
        #expect(throws: KeyStoreError.unknownAlgorithm(name: "own", id: "other")) {
            try vault.perform((account, .sign(domain, "toy text")))
        }
        #expect(throws: VaultError.unknownAlgorithm(name: "new", id: "other")) {
            try vault.add(
                name: "new", protocolID: toy, algorithm: other, address: "new", network: nil,
                secret: secret(of: 8))
        }
        // The owner gets the secret without the algorithm too.
        let exported = try vault.exportSecret(of: account, passphrase: secret("pass"))
        let isSame = exported.isEqual(to: secret(of: 7))
        #expect(isSame)
    }

    @Test("are kept by a repair without it, unless their record was changed")
    func repair() throws {
        let account = try addKey()
        try temporary.editVault("INSERT INTO settings (name, value) VALUES ('stray', 'x')")
        let vault = try Vault.open(temporary.home, domains: DomainRegistry([domain]))
        try vault.unlockDespiteDamage(passphrase: secret("pass"))
        let kept = try HomeRepair(vault: vault, ledger: ledger)
            .repairVault(at: Timestamp(seconds: 2_000))
        #expect(kept.kept == ["own"] && kept.setAside == [])
        try temporary.editVault("UPDATE keys SET algorithm = 'another'")
        let aside = try HomeRepair(vault: vault, ledger: ledger)
            .repairVault(at: Timestamp(seconds: 3_000))
        #expect(aside.kept == [] && aside.setAside == [account.name])
    }
}
