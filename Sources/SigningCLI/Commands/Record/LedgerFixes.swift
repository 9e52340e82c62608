// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let ledgerFixes = [ledgerAddress, ledgerRebuild]

    private static let ledgerAddress = Command(
        name: "ledger address", options: [Confirmation.wordsOption], operands: 1...1,
        summary: "change the address of the log",
        usage: """
            usage: countersign ledger address ADDRESS [--confirm WORDS]

            Changes the address of the shared log, after the passphrase: another server that has the
            same log, or another file of certificates. The log there has to continue the log that
            this home knows; otherwise nothing is changed. The agent must not run.

            example: countersign ledger address 'postgresql://hub@db2.example/sign?sslrootcert=/c'
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let address = try invocation.operand(0)
        try LossAcceptance.read(for: address, invocation)
        let ledger = try workspace.sharedLedger()
        try AgentRoute.refuseWhileRunning(workspace, "the address is changed")
        try workspace.unlock(
            try invocation.passphrase().read(to: "change the address of the record"))
        try workspace.open.reach(ledger, at: address)
        invocation.console.done(
            ["address": .string(address)], "the address of the log was changed")
        return .done
    }

    private static let ledgerRebuild = Command(
        name: "ledger rebuild", options: [], operands: 0...0,
        summary: "rebuild a damaged copy from the log",
        usage: """
            usage: countersign ledger rebuild

            Rebuilds a damaged copy of the shared record from the log, and checks it against the
            vault, after the passphrase. The old file is kept beside it. The agent must not run.

            example: countersign ledger rebuild
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        try AgentRoute.refuseWhileRunning(workspace, "the copy is rebuilt")
        try workspace.unlock(try invocation.passphrase().read(to: "rebuild the copy"))
        let trust = try workspace.vault.recordTrust()
        let kept = try SQLiteLedger.rebuild(in: workspace.home, by: trust)
        let ledger = try workspace.openLedger()
        let count = try ledger.length().entries
        invocation.console.done(
            ["entries": .integer(count), "kept": kept.map { .string($0) } ?? .null],
            "rebuilt: \(count) entries" + (kept.map { "; the old file is \($0)" } ?? ""))
        try Checkpointer(
            vault: workspace.vault, ledger: ledger, environment: SystemEnvironment()
        ).check()
        return .done
    }
}

extension Workspace {
    /// Opens the ledger; throws if the record is not shared.
    func sharedLedger() throws -> SQLiteLedger {
        let ledger = try openLedger()
        guard try sharing(ledger) != nil else {
            throw CLIError(
                "the record is not shared",
                hint: "to share it: countersign ledger move ADDRESS")
        }
        return ledger
    }
}
