// SPDX-License-Identifier: Apache-2.0

import SigningCrypto
import SigningFiles
import Synchronization
import TestHome

@testable import SigningCore
@testable import SigningVault

let nostr = ProtocolID("nostr")
let near = ProtocolID("near")

extension TemporaryHome {
    /// Upgrades the vault to the newest format.
    func upgradeVault() throws {
        _ = try Database<VaultError>(path: home.vaultPath, schema: .vault, .upgrading)
    }
}

extension Vault {
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
