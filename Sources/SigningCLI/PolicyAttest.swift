// SPDX-License-Identifier: Apache-2.0

import Glibc
import PolicyPresets
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningPolicy
import SigningStorage

extension CommandLineTool {
    static let policyAttest = Command(
        name: "policy attest", options: [], operands: 0...0,
        usage: """
            usage: countersign policy attest

            Puts policy.toml in force, after the passphrase. Until then the policy that was attested
            before judges, whatever the file says.

            example: countersign policy attest
            """
    ) { invocation throws(CLIError) in
        let workspace = try invocation.workspace()
        let loaded = try PolicyLoading.load(
            path: workspace.home.policyPath, adapters: workspace.adapters)
        let policy = try loaded.usable("policy.toml")
        try workspace.attest(
            policy, loaded.source, try invocation.passphrase().read(to: "put policy.toml in force"))
        policy.tellInForce(invocation.console)
        return .done
    }

    static let policyUse = Command(
        name: "policy use", options: [], operands: 0...1,
        usage: """
            usage: countersign policy use [PRESET]

            Replaces policy.toml by a policy that comes with countersign and puts it in force, after
            the passphrase; the old file is kept as policy.toml.old. Without PRESET it lists them.

            example: countersign policy use social-basics
            """
    ) { invocation throws(CLIError) in
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
            throw .usage(
                "there is no preset \"\(VisibleText.escaped(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" }
                    ?? "one of: \(names.joined(separator: ", "))")
        }
        let workspace = try invocation.workspace()
        let loaded = PolicyLoading(
            preset.source, fileName: "policy.toml", adapters: workspace.adapters)
        guard let policy = loaded.policy else {
            throw CLIError("the preset cannot be used: \(loaded.mistakes)", hint: nil)
        }
        let passphrase = try invocation.passphrase().read(to: "put another policy in force")
        try workspace.unlock(passphrase)
        try workspace.replacePolicyFile(by: preset.source)
        try workspace.putInForce(policy, preset.source)
        policy.tellInForce(invocation.console)
        return .done
    }
}

extension Workspace {
    /// Opens the vault key for its owner, whatever became of the rest.
    func unlock(_ passphrase: borrowing SecretBytes) throws(CLIError) {
        do throws(VaultError) {
            try vault.unlockDespiteDamage(passphrase: passphrase)
        } catch {
            throw CLIError(error)
        }
    }

    /// Unlocks the vault and puts a policy in force.
    func attest(
        _ policy: TOMLPolicy, _ source: [UInt8], _ passphrase: borrowing SecretBytes
    ) throws(CLIError) {
        try unlock(passphrase)
        try putInForce(policy, source)
    }

    /// Puts a policy in force, on record first.
    func putInForce(_ policy: TOMLPolicy, _ source: [UInt8]) throws(CLIError) {
        let ledger = try openLedger()
        let now = SystemEnvironment().now()
        do throws(AttestingError) {
            try vault.attest(policy: source, hash: policy.hash, at: now, in: ledger)
        } catch {
            throw CLIError(error)
        }
        try checkpointAtExit(ledger)
    }

    /// Writes policy.toml anew and keeps the old one beside it.
    func replacePolicyFile(by source: [UInt8]) throws(CLIError) {
        let path = home.policyPath
        let copy = path + ".old.new"
        unsafe unlink(copy)
        if unsafe link(path, copy) == 0 {
            guard unsafe rename(copy, path + ".old") == 0 else {
                throw CLIError("\(path).old cannot be written", hint: "is the folder yours?")
            }
        } else if errno != ENOENT {
            throw CLIError(
                "\(path) cannot be kept as policy.toml.old", hint: "move it away and try again")
        }
        try ReplacedFile.write(source, to: path)
    }
}

extension TOMLPolicy {
    /// `1 rule`, `2 rules`.
    var ruleCountText: String {
        let count = document.ruleIDs.count
        return "\(count) \(count == 1 ? "rule" : "rules")"
    }

    /// Says that it judges from now on.
    func tellInForce(_ console: Console) {
        console.done(
            [
                "hash": .string(Hex.encode(hash.span)),
                "rules": .integer(Int64(document.ruleIDs.count)),
            ], "in force: \(ruleCountText), hash \(shortHash)")
    }

    /// The beginning of the hash, enough to tell policies apart by eye.
    var shortHash: Substring { Hex.encode(hash.span).prefix(16) }
}
