// SPDX-License-Identifier: Apache-2.0

import Glibc
import PolicyPresets
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let policyAttest = Command(
        of: OwnerActs.policyAttest, operands: 0...0,
        usage: """
            usage: countersign policy attest

            Puts policy.toml in force, after the passphrase. Until then the policy that was attested
            last decides, whatever the file says. The command shows the changes before it asks for
            the passphrase. If the policy in force has [governance] with "policy", its approvers
            have to approve the new policy first. The command waits for them; Ctrl-C withdraws the
            question.

            example: countersign policy attest
            """
    ) { invocation in
        let workspace = try invocation.workspace(toWrite: true)
        let loaded = try PolicyLoading.reading(workspace.home.policyPath, for: workspace.adapters)
        let policy = try loaded.inUse("policy.toml")
        workspace.reportDifference(to: policy, invocation.console)
        let passphrase = try invocation.passphrase().read(to: "put policy.toml in force")
        try await workspace.putInForce(
            policy, loaded.source, with: passphrase, invocation.console)
        policy.reportInForce(invocation.console)
        return .done
    }

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
        invocation.console.note("attested at \(newer.text.time.utcText)")
        try workspace.unlock(try invocation.passphrase().read(to: "put this policy in force"))
        let kept = try workspace.replacePolicyFile(by: newer.text.source)
        if let kept { invocation.console.note("the old file is kept as \(kept)") }
        try workspace.open.adopt(newer, in: ledger)
        newer.policy.reportInForce(invocation.console)
        return .done
    }

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

extension Workspace {
    /// Reports the changes of a policy compared with the one in force, and its keys that the home
    /// lacks.
    fileprivate func reportDifference(to policy: TOMLPolicy, _ console: Console) {
        let accounts = (try? vault.accounts()) ?? []
        for unheld in policy.unheldKeys(among: accounts.map(\.name)) {
            console.warn(unheld.text, hint: "countersign key list")
        }
        for found in PolicyFindings.beforeAttesting(policy) {
            console.warn(found.message, hint: "countersign agent token new --name NAME")
        }
        guard let old = try? attestedPolicy(), old.hash != policy.hash else { return }
        console.note(PolicyComparison(from: old, to: policy).text)
    }

    /// The maximum number of kept copies of policy.toml.
    static let policyCopiesMax = 10_000

    /// Replaces policy.toml; returns the name of the copy of the old file, if there was one.
    func replacePolicyFile(by source: [UInt8]) throws -> String? {
        let kept = try keepPolicyFile()
        try ReplacedFile.write(source, to: home.policyPath)
        return kept
    }

    /// Links policy.toml to a new name, so that no copy is ever overwritten.
    private func keepPolicyFile() throws -> String? {
        for number in 1...Self.policyCopiesMax {
            if unsafe link(home.policyPath, "\(home.policyPath).\(number)") == 0 {
                return "policy.toml.\(number)"
            }
            if errno == ENOENT { return nil }
            if errno != EEXIST { break }
        }
        throw ServiceError(
            "the old policy.toml cannot be kept under another name",
            hint: "move policy.toml away, then try again")
    }
}

extension TOMLPolicy {
    /// `1 rule`, `2 rules`.
    var ruleCountText: String {
        let count = document.ruleIDs.count
        return "\(count) \(count == 1 ? "rule" : "rules")"
    }

    /// Reports that the policy is in force now.
    func reportInForce(_ console: Console) {
        console.done(
            [
                "hash": .string(Hex.encode(hash.span)),
                "rules": .integer(Int64(document.ruleIDs.count)),
            ], "in force: \(ruleCountText), hash \(shortHash)")
    }

    /// The first digits of the hash, enough to compare policies by eye.
    var shortHash: Substring { Hex.encode(hash.span).prefix(16) }
}
