// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningFiles
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let passphraseChange = Command(
        name: "passphrase", options: [], operands: 0...0,
        traits: [.takesSecrets],
        summary: "change the passphrase",
        usage: """
            usage: countersign passphrase

            Changes the passphrase: it asks once for the old passphrase and twice for the new one.
            With --passphrase-fd it reads both from the descriptor, one on each line. The same
            passphrase twice only updates the cost parameters. Keys are not sealed again. Older
            backups keep the old passphrase.

            example: countersign passphrase
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let source = try invocation.passphrase()
        guard source.canReadTwo else {
            throw CLIError(
                "the old and the new passphrase cannot both be read",
                hint: "run it on a terminal, or give two lines with --passphrase-fd N")
        }
        let old = try source.readOld()
        try workspace.unlock(old)
        let new = try source.readNew()
        let checkpointer = Checkpointer(
            vault: workspace.vault, ledger: try workspace.openLedger(),
            environment: SystemEnvironment())
        try checkpointer.checkBeforeChange()
        try workspace.vault.changePassphrase(from: old, to: new)
        // Damage elsewhere must not prevent a change of the passphrase.
        try? checkpointer.noteVault()
        invocation.console.done(["changed": true], "changed")
        invocation.console.note(
            "older backups still open with the old passphrase; make a new backup: countersign "
                + "backup create FILE")
        return .done
    }
}
