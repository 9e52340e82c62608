// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningPolicy
import SigningStorage

extension CommandLineTool {
    static let policyCommands = [policyCheck, policyExplain, policyAttest, policyUse]

    private static let policyCheck = Command(
        name: "policy check", options: [], operands: 0...1,
        usage: """
            usage: countersign policy check [FILE]

            Reads a policy (policy.toml of the home, or FILE), tells every mistake with its line,
            column and what was probably meant, and what deserves a second look. Exit status 0 if
            it can be used, 1 if not.

            example: countersign policy check policy.toml
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let path = invocation.arguments.operands.first ?? workspace.home.policyPath
        let loaded = try PolicyLoading.load(path: path, adapters: workspace.adapters)
        if invocation.console.isJSON {
            invocation.console.put(JSON.array(loaded.diagnostics.map(json)).write())
        } else {
            for diagnostic in loaded.diagnostics {
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
                hint: "nothing is signed until the file is right")
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
