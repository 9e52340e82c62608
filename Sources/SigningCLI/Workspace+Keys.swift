// SPDX-License-Identifier: Apache-2.0

import SigningCore
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
            throw CLIError(reason, hint: "restore vault.db from a backup")
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

    /// Signs where the audit chain stands, if the vault was unlocked in this run.
    ///
    /// Without it the entries are on record all the same, and the next checkpoint covers them.
    func checkpointAtExit(_ ledger: SQLiteLedger) throws(CLIError) {
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
