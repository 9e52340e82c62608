// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningVault

extension CommandLineTool {
    static let policyCommands = [
        policyCheck, policyExplain, policyTest, policyFormat, policyDiff, policyReplay,
        policySuggest, policyWorstCase, policyMay, policyUnused, policyLimits, policyAttest,
        policySync,
        policyUse, policyHistory, policyShow, policyShadowStart, policyShadowShow, policyShadowStop,
        policyCanonical, policySchema,
    ]

    private static let policyCheck = Command(
        name: "policy check",
        options: [Option(name: "--format", value: "FORMAT", offers: .fixed(checkFormats))],
        operands: 0...1,
        summary: "check a policy for mistakes",
        usage: """
            usage: countersign policy check [--format FORMAT] [FILE]

            Checks a policy (policy.toml of the home, or FILE). It shows every mistake with its
            line, its column and a suggestion, and warns about rules that deserve a second look.
            It proves each [[never]], or shows a request that the policy allows against it. Exit
            status 0 if the policy can be used and no [[never]] fails, 1 if not.

            FORMAT is sarif, for tools that show results of static analysis, or github, for
            annotations in GitHub Actions.

            example: countersign policy check policy.toml
            """
    ) { invocation in
        // The rules that a file may contain do not depend on the home.
        let path = try path(invocation)
        let loaded = try PolicyLoading.reading(path, for: invocation.adapters)
        let isOfHome = invocation.arguments.operands.isEmpty
        let home = isOfHome ? try? invocation.workspace() : nil
        let held = (try? home?.vault.accounts())?.map(\.name)
        let networks = home.flatMap { try? NetworkText.named(in: $0.vault) }
        let proved = loaded.policy.map {
            ProvedAssertion.all(of: $0, at: SystemEnvironment().now())
        }
        let failed = proved?.filter { $0.failure != nil }.map(\.assertion.id) ?? []
        let found =
            loaded.diagnostics
            + (loaded.policy.map { policy in
                (proved ?? []).flatMap { $0.diagnostics(in: policy) }
            } ?? [])
            + (loaded.policy.map { policy in
                PolicyFindings.find(in: policy, held: held, logins: [.liquid])
                    + (networks.map { PolicyFindings.unknownNetworks(in: policy, besides: $0) }
                        ?? [])
            } ?? [])
        let diagnostics = found.sorted { ($0.line, $0.column) < ($1.line, $1.column) }
        let report = CheckReport(diagnostics, path: path)
        switch try checkFormat(invocation) {
        case "sarif": invocation.console.put(report.sarif.write())
        case "github" where !diagnostics.isEmpty: invocation.console.put(report.github)
        case "github": break
        case "json": invocation.console.put(JSON.array(diagnostics.map(json)).write())
        default:
            for diagnostic in diagnostics {
                invocation.console.put(diagnostic.render(source: loaded.source.span))
            }
            if let policy = loaded.policy, failed.isEmpty {
                invocation.console.put(
                    "policy: ok, \(policy.ruleCountText)\(proved?.countText ?? ""), hash "
                        + "\(policy.shortHash)")
            }
        }
        guard loaded.policy != nil else {
            throw CLIError(
                loaded.mistakes,
                hint: "correct the file; until then the policy that was attested last stays in "
                    + "force")
        }
        guard failed.isEmpty else {
            throw CLIError(
                "the policy allows what it must never allow: \(failed.joined(separator: ", "))",
                hint: "correct the rules, or the [[never]]")
        }
        return .done
    }

    private static let checkFormats = ["sarif", "github"]

    /// The format of the findings: one of `checkFormats`, `json`, or nil for people.
    private static func checkFormat(_ invocation: Invocation) throws -> String? {
        guard let format = invocation.arguments.value("--format") else {
            return invocation.console.isJSON ? "json" : nil
        }
        guard checkFormats.contains(format) else {
            throw CLIError.usage(
                "unknown format \"\(VisibleText.quotable(format))\"",
                hint: "write --format sarif or --format github")
        }
        guard !invocation.console.isJSON else {
            throw CLIError.usage("--json and --format exclude each other", hint: "leave one out")
        }
        return format
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
