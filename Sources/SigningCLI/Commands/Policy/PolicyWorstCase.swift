// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService

extension CommandLineTool {
    static let policyWorstCase = Command(
        name: "policy worst-case", options: [], operands: 0...1,
        summary: "say the most that can leave without a question",
        usage: """
            usage: countersign policy worst-case [FILE]

            Shows the most that the policy in force, or FILE, lets leave without a question to a
            person: in any hour, day and 30 days, for each asset and key and for each budget in a
            common unit. Remembered answers of the home are included. Then it lists what can be
            published, decrypted, signed or granted without a question. "unbounded" names the rule
            and the reason.

            Every figure is an upper bound. Amounts that people approve come on top, unless a final
            budget counts them. With FILE no home is needed; its keys and remembered answers count
            if there is one.

            example: countersign policy worst-case policy.toml
            """
    ) { invocation in
        let policy: TOMLPolicy
        let workspace: Workspace?
        if invocation.arguments.operands.isEmpty {
            let home = try invocation.workspace()
            policy = try home.attestedPolicy()
            workspace = home
        } else {
            let file = try PolicyFileAtHand(invocation)
            policy = try file.usable()
            workspace = file.workspace
        }
        let worst = WorstCase(
            of: policy, keys: try workspace?.accounts().map { WorstCase.Key($0) },
            remembered: try workspace?.rememberedAnswers() ?? [], at: SystemEnvironment().now())
        if invocation.console.isJSON {
            invocation.console.put(worst.json.write())
        } else {
            invocation.console.put(worst.text)
        }
        return .done
    }
}

extension Workspace {
    /// The remembered yeses that still count, in any login, with what is left of their totals.
    fileprivate func rememberedAnswers() throws -> [WorstCase.Remembered] {
        try grants(includingEnded: true)
            .filter { ["active", "other session"].contains($0.state) && $0.grant.answer == .yes }
            .map { report in
                WorstCase.Remembered(
                    report.grant, keyName: keyName(report.grant.scope.key),
                    left: zip(report.grant.totals, try left(of: report.grant))
                        .map { (total: $0, left: $1.1) })
            }
    }
}
