// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningService
import SigningStorage

extension CommandLineTool {
    static let ledgerCutting = [ledgerSnapshot, ledgerCut]

    private static let ledgerSnapshot = Command(
        name: "ledger snapshot", options: [], operands: 0...0,
        summary: "write a snapshot of the record beside its log",
        usage: """
            usage: countersign ledger snapshot

            Writes a sealed snapshot of the whole shared record beside its log, and puts that on
            record, after the passphrase. "ledger rebuild" starts from the snapshot, and "ledger
            cut" can remove the log before it. Other hubs go on meanwhile.

            example: countersign ledger snapshot
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let ledger = try workspace.sharedLedger()
        try workspace.unlock(try invocation.passphrase().read(to: "keep a snapshot"))
        let made = try ledger.keepSnapshot(at: SystemEnvironment().now())
        invocation.console.done(
            [
                "batch": .integer(made.place.sequence), "parts": .integer(Int64(made.partCount)),
                "entry": .integer(made.entry),
            ],
            "snapshot made: all up to batch \(made.place.sequence); after every hub has signed "
                + "something: countersign ledger cut")
        return .done
    }

    private static let ledgerCut = Command(
        name: "ledger cut", options: [Confirmation.option], operands: 0...0,
        summary: "remove the part of the log before the snapshot",
        usage: """
            usage: countersign ledger cut [--confirm NAME]

            Removes the part of the shared log before the newest snapshot that every hub in use has
            passed, as far as their entries show. It asks for the name of this hub and the
            passphrase. Hubs keep all of the log in their copies. A hub that is set back to an
            earlier state, and an older backup, can no longer join: make new backups first.

            example: countersign ledger cut --confirm office-1
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let ledger = try workspace.sharedLedger()
        let name = try workspace.sharing(ledger)?.hub.name ?? ""
        try Confirmation(of: name, before: "the log was not cut").read(invocation) {
            """
            This removes batches from the log permanently. From then on no hub can join from a
            backup that is older than the newest snapshot.

            """
        }
        try workspace.unlock(try invocation.passphrase().read(to: "cut the log"))
        let cut = try ledger.cutLog(at: SystemEnvironment().now())
        let batch = cut.snapshot.place.sequence
        invocation.console.done(
            ["batch": .integer(batch), "removed": .integer(cut.batchCount)],
            "the log now begins after batch \(batch): \(cut.batchCount) removed")
        return .done
    }
}
