// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningStorage
import Synchronization

/// The vault, unlocked at the moment a permit is spent and not before: a request that is denied
/// never asks for the passphrase.
final class UnlockOnUse: KeyStore {
    private let workspace: Workspace
    private let vault: Vault
    private let checkpointer: Checkpointer
    private let ledger: SQLiteLedger
    private let passphrase: Passphrase
    private let problem = Mutex<CLIError?>(nil)

    init(_ workspace: Workspace, ledger: SQLiteLedger, passphrase: Passphrase) {
        self.workspace = workspace
        vault = workspace.vault
        self.ledger = ledger
        checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: SystemEnvironment())
        self.passphrase = passphrase
    }

    /// Why unlocking failed, for the person at the terminal.
    var unlockingError: CLIError? { problem.withLock { $0 } }

    func accounts() throws(KeyStoreError) -> [Account] { try vault.accounts() }

    func seal(_ grants: [Grant]) throws(KeyStoreError) -> [SealedGrant] { try vault.seal(grants) }

    func perform(_ permit: consuming SigningPermit) throws(KeyStoreError) -> [KeyResult] {
        if !vault.isUnlocked, !permit.operations.isEmpty {
            do throws(CLIError) {
                try unlock()
                try checkLedger()
                try workspace.checkPolicyIsNewest(ledger)
            } catch {
                vault.lock()
                problem.withLock { $0 = error }
                throw .locked
            }
        }
        return try vault.perform(permit)
    }

    /// A ledger that was put back to an older state has forgotten what was signed since.
    private func checkLedger() throws(CLIError) {
        do throws(CheckpointError) {
            try checkpointer.check()
        } catch {
            vault.lock()
            throw CLIError(error)
        }
    }

    /// Unlocks with the passphrase from wherever it comes; at a terminal a slip may be mended.
    private func unlock() throws(CLIError) {
        for attempt in 1...passphrase.attemptsMax {
            let secret = try passphrase.read(
                prompt: attempt == 1 ? "passphrase: " : "that was wrong; passphrase: ")
            do throws(VaultError) {
                return try vault.unlock(passphrase: secret)
            } catch {
                guard error == .wrongPassphrase, attempt < passphrase.attemptsMax else {
                    throw CLIError(error)
                }
            }
        }
    }
}
