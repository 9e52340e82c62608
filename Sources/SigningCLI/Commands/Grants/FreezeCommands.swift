// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningService

extension CommandLineTool {
    static let freeze = Command(
        of: OwnerActs.freeze, operands: 0...1,
        usage: """
            usage: countersign freeze [REASON]

            Stops all signing in this home at once, for every process, until "thaw". Needs no
            passphrase, because stopping has to be easy. If the record cannot be written, for
            example because the disk is full, the freeze is noted in a file beside it and takes
            effect as well.

            example: countersign freeze 'lost my laptop'
            """
    ) { invocation in
        let path = try invocation.environment.home(invocation.arguments)
        let reason = invocation.arguments.operands.first ?? OpenHome.defaultFreezeReason
        let problem = try OpenHome.freeze(path, because: reason)
        if let problem {
            invocation.console.warn(
                "the freeze is in effect, but not yet on record: \(CLIError(problem).message)",
                hint: "\"countersign thaw\" and the next request put it on record")
        }
        invocation.console.done(
            ["frozen": true, "reason": .string(reason)],
            "frozen: nothing is signed until \"countersign thaw\"")
        return .done
    }

    static let thaw = Command(
        of: OwnerActs.thaw, operands: 0...0,
        usage: """
            usage: countersign thaw

            Allows signing again, after the passphrase. If the policy in force has [governance] with
            "thaw", its approvers have to approve the end of this freeze first. The command waits
            for them; Ctrl-C withdraws the question.

            example: countersign thaw
            """
    ) { invocation in
        let workspace = try invocation.workspace(toWrite: true)
        let ledger = try workspace.openLedger()
        let passphrase = try invocation.passphrase().read(to: "allow signing again")
        let isThawed = try await workspace.perform(
            OwnerActs.thaw, (), ledger, with: passphrase, invocation.console)
        invocation.console.done(["frozen": false], isThawed ? "thawed" : "signing was not frozen")
        workspace.checkpointIfSound(ledger, invocation.console)
        return .done
    }
}
