// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningStorage

extension CommandLineTool {
    static let repair = Command(
        name: "repair", options: [], operands: 1...1,
        usage: """
            usage: countersign repair vault|clock

            Mends what "countersign doctor" found, after the passphrase and on record.

            vault: makes what vault.db and the record hold now what counts, after damage or after
            an older vault.db or ledger.db was put back. Keys whose records open stay; records
            that nothing vouches for are taken out of the list and named. A damaged policy is no
            longer in force, damaged settings are forgotten.

            clock: where a clock once ran ahead, puts the latest time that counts back to now.
            What was used of limits counts as used now.

            example: countersign repair vault
            """
    ) { invocation throws(CLIError) in
        let what = try invocation.operand(0)
        guard ["vault", "clock"].contains(what) else {
            throw .usage(
                "\"\(VisibleText.escaped(what))\" is not repaired", hint: "one of: vault, clock")
        }
        let workspace = try invocation.workspace()
        let ledger = try workspace.openLedger()
        let passphrase = try invocation.passphrase().read(to: "repair the \(what)")
        let repair = HomeRepair(vault: workspace.vault, ledger: ledger)
        guard what == "vault" else {
            try CLIError.wrapping { () throws(VaultError) in
                try workspace.vault.unlock(passphrase: passphrase)
            }
            let isDone = try CLIError.wrapping { () throws(CheckpointError) in
                try repair.repairClock(to: SystemEnvironment().now())
            }
            try workspace.checkpointAtExit(ledger)
            invocation.console.done(
                ["repaired": .bool(isDone)],
                isDone ? "repaired: the latest time that counts is now" : "nothing is ahead of now")
            return .done
        }
        try workspace.unlock(passphrase)
        let done = try CLIError.wrapping { () throws(CheckpointError) in
            try repair.repairVault(at: SystemEnvironment().now())
        }
        try workspace.keepProviderID()
        tell(done, invocation.console)
        return .done
    }

    private static func tell(_ repair: VaultRepair, _ console: Console) {
        if !repair.damaged.isEmpty {
            console.note("damaged: \(repair.damaged.joined(separator: ", "))")
        }
        let json: JSON = [
            "damaged": .array(repair.damaged.map { .string($0) }),
            "keys": .array(repair.kept.map { .string($0) }),
            "put_aside": .array(repair.setAside.map { .string($0) }),
            "policy": .bool(repair.hasPolicy),
        ]
        let names = repair.kept.isEmpty ? "none" : repair.kept.joined(separator: ", ")
        console.done(json, "repaired: keys \(VisibleText.escaped(names))")
        for name in repair.setAside {
            console.warn(
                "the record of \"\(VisibleText.escaped(name))\" was put aside",
                hint: "import or watch it again, or restore the home from a backup")
        }
        if !repair.hasPolicy {
            console.warn(
                "no policy is in force", hint: "look at policy.toml, then countersign policy attest"
            )
        }
    }
}

extension Workspace {
    /// Gives the home a new provider id where the old one was not kept.
    fileprivate func keepProviderID() throws(CLIError) {
        do throws(VaultError) {
            guard try vault.setting(Self.providerIDSetting) == nil else { return }
            try vault.setSetting(Self.providerIDSetting, to: Self.makeProviderID())
        } catch {
            throw CLIError(error)
        }
        try checkpointAtExit(try openLedger())
    }
}
