// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningFiles
import SigningService
import SigningStorage

extension CommandLineTool {
    static let policySync = Command(
        name: "policy sync", options: [], operands: 0...0,
        summary: "put the policy of another hub in force",
        usage: """
            usage: countersign policy sync

            Puts the policy in force that another hub of the same record attested, after the
            passphrase, and writes it to policy.toml. The old file is kept as policy.toml.1, .2 and
            so on. Until then this hub signs nothing. The command shows the changes before it asks
            for the passphrase.

            example: countersign policy sync
            """
    ) { invocation in
        let workspace = try invocation.workspace(toWrite: true)
        let ledger = try workspace.openLedger()
        if let problem = try workspace.takeIn(ledger).problem { throw problem }
        let newer = try workspace.open.newerPolicy(in: ledger)
        guard let newer else {
            invocation.console.done(
                ["changed": false], "the policy in force is the one attested last")
            return .done
        }
        workspace.reportDifference(to: newer.policy, invocation.console)
        // The other hub has decided whether to put it in force although an assertion fails.
        PolicyGate(newer.policy).report(invocation.console)
        invocation.console.note("attested at \(newer.text.time.utcText)")
        try workspace.unlock(try invocation.passphrase().read(to: "put this policy in force"))
        let kept = try workspace.replacePolicyFile(by: newer.text.source)
        if let kept { invocation.console.note("the old file is kept as \(kept)") }
        try workspace.open.adopt(newer, in: ledger)
        newer.policy.reportInForce(invocation.console)
        return .done
    }
}
