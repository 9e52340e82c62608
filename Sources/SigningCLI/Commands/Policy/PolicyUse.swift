// SPDX-License-Identifier: Apache-2.0

import PolicyPresets
import SigningCodecs
import SigningCore
import SigningService

extension CommandLineTool {
    static let policyUse = Command(
        name: "policy use", options: [], operands: 0...1,
        operandOffers: [.fixed(PolicyPreset.all.map(\.name))],
        summary: "start with a policy that comes with countersign",
        usage: """
            usage: countersign policy use [PRESET]

            Replaces policy.toml with a policy that comes with countersign and puts it in force,
            after the passphrase. The old file is kept as policy.toml.1, .2 and so on. Without
            PRESET it lists the presets. It waits for approvers as "policy attest" does.

            example: countersign policy use social-basics
            """
    ) { invocation in
        guard let name = invocation.arguments.operands.first else {
            guard !invocation.console.isJSON else {
                let rows = PolicyPreset.all.map { preset -> JSON in
                    ["name": .string(preset.name), "summary": .string(preset.summary)]
                }
                invocation.console.put(JSON.array(rows).write())
                return .done
            }
            for preset in PolicyPreset.all {
                let pad = String(repeating: " ", count: max(1, 18 - preset.name.utf8.count))
                invocation.console.put("\(preset.name)\(pad)\(preset.summary)")
            }
            return .done
        }
        guard let preset = PolicyPreset.all.first(where: { $0.name == name }) else {
            let names = PolicyPreset.all.map(\.name)
            let near = Suggestion.closest(to: name, among: names)
            throw CLIError.usage(
                "unknown preset \"\(VisibleText.quotable(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" }
                    ?? "one of: \(names.joined(separator: ", "))")
        }
        let workspace = try invocation.workspace(toWrite: true)
        let loaded = PolicyLoading(
            preset.source, fileName: "policy.toml", adapters: workspace.adapters)
        guard let policy = loaded.policy else {
            throw CLIError("the preset cannot be used: \(loaded.mistakes)", hint: nil)
        }
        // The requests of a preset's tests are not on this computer.
        _ = try PolicyGate(policy).pass(despite: [], invocation.console)
        let passphrase = try invocation.passphrase().read(to: "put another policy in force")
        try await workspace.putInForce(
            policy, preset.source, with: passphrase, invocation.console
        ) {
            if let kept = try workspace.replacePolicyFile(by: preset.source) {
                invocation.console.note("the old file is kept as \(kept)")
            }
        }
        policy.reportInForce(invocation.console)
        return .done
    }
}
