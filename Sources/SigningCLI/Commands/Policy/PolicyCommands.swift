// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningVault

extension CommandLineTool {
    static let policyCommands = [
        policyCheck, policyExplain, policyTest, policyFormat, policyDiff, policyReplay,
        policySuggest, policyLimits, policyAttest, policySync, policyUse, policyCanonical,
        policySchema,
    ]

    private static let policyCheck = Command(
        name: "policy check", options: [], operands: 0...1,
        summary: "check a policy for mistakes",
        usage: """
            usage: countersign policy check [FILE]

            Checks a policy (policy.toml of the home, or FILE). It shows every mistake with its
            line, its column and a suggestion, and warns about rules that deserve a second look.
            Exit status 0 if the policy can be used, 1 if not.

            example: countersign policy check policy.toml
            """
    ) { invocation in
        // The rules that a file may contain do not depend on the home.
        let loaded = try PolicyLoading.reading(
            try path(invocation), for: invocation.adapters)
        let isOfHome = invocation.arguments.operands.isEmpty
        let held = isOfHome ? (try? invocation.workspace().vault.accounts())?.map(\.name) : nil
        let found =
            loaded.diagnostics
            + (loaded.policy.map { PolicyFindings.find(in: $0, held: held, logins: [.liquid]) }
                ?? [])
        let diagnostics = found.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        if invocation.console.isJSON {
            invocation.console.put(JSON.array(diagnostics.map(json)).write())
        } else {
            for diagnostic in diagnostics {
                invocation.console.put(diagnostic.render(source: loaded.source.span))
            }
            if let policy = loaded.policy {
                invocation.console.put(
                    "policy: ok, \(policy.ruleCountText), hash \(policy.shortHash)")
            }
        }
        guard loaded.policy != nil else {
            throw CLIError(
                loaded.mistakes,
                hint: "correct the file; until then the policy that was attested last stays in "
                    + "force")
        }
        return .done
    }

    private static func json(_ diagnostic: Diagnostic) -> JSON {
        [
            "file": .string(diagnostic.file), "line": .integer(Int64(diagnostic.line)),
            "column": .integer(Int64(diagnostic.column)),
            "severity": .string(diagnostic.severity.rawValue), "code": .string(diagnostic.code),
            "message": .string(diagnostic.message),
            "suggestion": diagnostic.suggestion.map { .string($0) } ?? .null,
        ]
    }
}
