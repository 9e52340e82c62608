// SPDX-License-Identifier: Apache-2.0

import SigningFiles
import SigningService

extension CommandLineTool {
    static let policyAttest = Command(
        of: OwnerActs.policyAttest,
        options: [Option(name: "--despite", value: "NAME", isRepeatable: true)], operands: 0...0,
        usage: """
            usage: countersign policy attest [--despite NAME]...

            Puts policy.toml in force, after the passphrase. Until then the policy that was attested
            last decides, whatever the file says. The command shows the changes before it asks for
            the passphrase. If the policy in force has [governance] with "policy", its approvers
            have to approve the new policy first. The command waits for them; Ctrl-C withdraws the
            question.

            It refuses a policy with a [[test]] that fails or a [[never]] that does not hold.

            options:
              --despite NAME  put the policy in force although this test or assertion fails; it
                              can be given several times

            example: countersign policy attest
            """
    ) { invocation in
        let workspace = try invocation.workspace(toWrite: true)
        let loaded = try PolicyLoading.reading(workspace.home.policyPath, for: workspace.adapters)
        let policy = try loaded.inUse("policy.toml")
        workspace.reportDifference(to: policy, invocation.console)
        let tests = try PolicyTests(of: policy, in: loaded, invocation)
        let accepted = try PolicyGate(policy, tests: tests).pass(
            despite: invocation.arguments.values("--despite"), invocation.console)
        let passphrase = try invocation.passphrase().read(to: "put policy.toml in force")
        try await workspace.putInForce(
            policy, loaded.source, despite: accepted, with: passphrase, invocation.console)
        policy.reportInForce(invocation.console)
        return .done
    }
}
