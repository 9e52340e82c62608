// SPDX-License-Identifier: Apache-2.0

import SigningCore
import SigningCrypto
import SigningPolicy
import SigningStorage

extension Workspace {
    /// The public halves of all keys, sorted by name.
    func accounts() throws(CLIError) -> [Account] {
        do throws(KeyStoreError) {
            return try vault.accounts()
        } catch {
            let reason =
                switch error {
                case .damaged(let name): "the record of \"\(name)\" was damaged or changed"
                case .unavailable(let text): text
                default: "the vault cannot be read"
                }
            throw CLIError(reason, hint: "see \"countersign doctor\"")
        }
    }

    /// The key with a name.
    func account(named name: String) throws(CLIError) -> Account {
        let accounts = try accounts()
        guard let account = accounts.first(where: { $0.name == name }) else {
            let near = Suggestion.closest(to: name, among: accounts.map(\.name))
            throw CLIError(
                "there is no key \"\(VisibleText.escaped(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" } ?? "see \"countersign key list\"")
        }
        return account
    }

    /// The same where the owner is not to be kept from what is done already.
    func checkpointIfSound(_ ledger: SQLiteLedger, _ console: Console) {
        do throws(CLIError) {
            try checkpointAtExit(ledger)
        } catch {
            console.warn(error.message, hint: error.hint ?? "see \"countersign doctor\"")
        }
    }

    /// Makes a change to the vault, after the passphrase: only to the newest there is, and the
    /// ledger knows of it.
    func change<R: ~Copyable>(
        with passphrase: borrowing SecretBytes, _ body: (Vault) throws(VaultError) -> R
    ) throws(CLIError) -> R {
        let checkpointer = Checkpointer(
            vault: vault, ledger: try openLedger(), environment: SystemEnvironment())
        try CLIError.wrapping { () throws(VaultError) in
            try vault.unlock(passphrase: passphrase)
        }
        try CLIError.wrapping { () throws(CheckpointError) in
            try checkpointer.checkBeforeChange()
        }
        let result = try CLIError.wrapping { () throws(VaultError) in try body(vault) }
        try CLIError.wrapping { () throws(CheckpointError) in try checkpointer.noteVault() }
        return result
    }

    /// Signs where the audit chain stands, if the vault was unlocked in this run.
    ///
    /// Without it the entries are on record all the same, and the next checkpoint covers them.
    func checkpointAtExit(_ ledger: SQLiteLedger) throws(CLIError) {
        try CLIError.wrapping { () throws(LedgerError) in try ledger.flush() }
        guard vault.isUnlocked else { return }
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: SystemEnvironment())
        do throws(CheckpointError) {
            try checkpointer.atExit()
        } catch {
            throw CLIError(error)
        }
    }
}
