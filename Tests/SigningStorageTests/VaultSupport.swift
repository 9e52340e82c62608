// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import Synchronization
import TestHome

@testable import SigningCore
@testable import SigningStorage

let nostr = ProtocolID("nostr")
let near = ProtocolID("near")

/// Two domains with separate prefixes, and a third that claims the bytes of the first.
enum TestDomains {
    static let note = SigningDomain(
        id: .init("nostr/note"), protocolID: nostr, algorithm: .bip340, prehash: .sha256,
        prefix: Array("note".utf8)
    ) { bytes, _ in bytes.count <= 64 }
    static let message = SigningDomain(
        id: .init("near/message"), protocolID: near, algorithm: .ed25519, prehash: .none,
        prefix: Array("near".utf8)
    ) { bytes, _ in bytes.count <= 64 }
    static let registry = DomainRegistry([note, message])
}

extension TemporaryHome {
    /// Creates a vault at the lowest cost, opens and unlocks it.
    func makeVault() throws -> Vault { try makeVault(TestDomains.registry) }

    /// Opens the vault again and unlocks it.
    func openVault(_ passphrase: String = "pass") throws -> Vault {
        let vault = try Vault.open(home, domains: TestDomains.registry)
        try vault.unlock(passphrase: secret(passphrase))
        return vault
    }
}

extension Vault {
    /// Adds a key whose secret is 32 equal bytes.
    @discardableResult
    func addNostr(_ name: String, _ byte: UInt8, network: String? = nil) throws -> Account {
        try add(
            name: name, protocolID: nostr, algorithm: .bip340, address: "npub-\(name)",
            network: network, secret: secret(of: byte))
    }

    /// Adds a key whose seed is 32 equal bytes.
    @discardableResult
    func addNEAR(_ name: String, _ byte: UInt8) throws -> Account {
        try add(
            name: name, protocolID: near, algorithm: .ed25519, address: "\(name).near",
            network: "mainnet", secret: secret(of: byte))
    }

    /// The sealed log key in the format of vaults before their state was sealed.
    func logKeyAsSealedBefore() throws -> [UInt8] {
        let vaultKey = try openVaultKey()
        let now = try database.read { access throws(VaultError) in try SealedLogKey(in: access) }
        let seed = try vaultKey.open(now.sealed, label: RecordLabel(logPublicKey: now.publicKey))
        return try vaultKey.seal(
            seed, label: RecordLabel(logPublicKey: now.publicKey, version: 1))
    }

    /// The number of keys that are open in memory.
    var openKeyCount: Int { state.withLock { $0.slots.count } }

    /// Performs operations as the hub does after all its checks.
    func perform(
        _ operations: (Account, KeyOperation)..., in unlocking: Int? = nil
    ) throws(KeyStoreError) -> [KeyResult] {
        let requested = operations.map { account, operation in
            RequestedOperation(
                account: account, operation: operation, facts: [], effects: [], dangers: [])
        }
        let policy = (try? attestedPolicy())?.hash ?? [UInt8](repeating: 0, count: 32)
        return try perform(SigningPermit(for: requested, judgedBy: policy), in: unlocking)
    }
}

extension KeyOperation {
    static func sign(_ domain: SigningDomain, _ text: String) -> KeyOperation {
        .sign(SigningInput(domain: domain.id, preimage: Array(text.utf8)))
    }
}
