// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningPolicyTools
import SigningService
import SigningVault
import SigningWires

extension CommandLineTool {
    static let policyFormat = Command(
        name: "policy fmt",
        options: [Option(name: "--check", value: nil), Option(name: "--upgrade", value: nil)],
        operands: 0...1,
        summary: "format a policy",
        usage: """
            usage: countersign policy fmt [--check] [--upgrade] [FILE]

            Formats a policy (policy.toml of the home, or FILE) in the standard layout. Comments,
            order and meaning stay. With --check it writes nothing and exits with status 1 if the
            file would change. With --upgrade it also rewrites a file of version 1 as a file of
            version 2 that gives the same verdicts, and shows the difference as "policy diff" does:
            where "on_exceed" is not what the default says, limits become budgets.

            example: countersign policy fmt --check policy.toml
            """
    ) { invocation in
        let path = try path(invocation)
        let source: [UInt8]
        do throws(PolicyFileError) {
            source = try PolicyFile.read(path)
        } catch {
            throw CLIError(ServiceError(error, path: path))
        }
        let loading = PolicyLoading(source, fileName: path, adapters: invocation.adapters)
        let upgrade =
            invocation.arguments.has("--upgrade")
            ? try loading.policy.flatMap { try upgraded(source, $0, path, invocation) } : nil
        let text = try upgrade?.text ?? formatted(source, path, invocation)
        if invocation.console.isJSON {
            let changed = JSON.bool(text != source)
            let json: JSON =
                upgrade.map { ["changed": changed, "difference": $0.comparison.json] }
                ?? ["changed": changed]
            invocation.console.put(json.write())
        }
        guard text != source else { return .done }
        if invocation.arguments.has("--check") {
            invocation.console.note("\(VisibleText.escaped(path)) is not formatted")
            return .failed
        }
        try ReplacedFile.write(text, to: path)
        invocation.console.note("formatted \(VisibleText.escaped(path))")
        if let upgrade {
            invocation.console.note(upgrade.comparison.findings.joined(separator: "\n"))
        }
        return .done
    }

    /// The file in the newest version of the format, and how it differs from the old one; nil if
    /// it has the newest version.
    private static func upgraded(
        _ source: [UInt8], _ policy: TOMLPolicy, _ path: String, _ invocation: Invocation
    ) throws -> (text: [UInt8], comparison: PolicyComparison)? {
        guard policy.document.version == 1 else { return nil }
        func refusal(_ text: String) -> CLIError {
            CLIError("\(VisibleText.escaped(path)) cannot be upgraded: \(text)", hint: nil)
        }
        let text: [UInt8]
        do throws(PolicyUpgradeError) {
            text = try PolicyUpgrade.rewrite(source, policy, at: SystemEnvironment().now())
        } catch {
            throw refusal(VisibleText.escaped(error.text))
        }
        let new = try PolicyLoading(text, fileName: path, adapters: invocation.adapters)
            .inUse(path)
        let comparison = PolicyComparison(from: policy, to: new)
        guard !comparison.isShown else {
            throw refusal(comparison.findings.joined(separator: "; "))
        }
        return (text, comparison)
    }

    private static func formatted(
        _ source: [UInt8], _ path: String, _ invocation: Invocation
    ) throws -> [UInt8] {
        guard let text = PolicyFormatter.format(source),
            hasSameMeaning(source, text, invocation.adapters)
        else {
            throw CLIError(
                "\(VisibleText.escaped(path)) cannot be formatted",
                hint: "see \"countersign policy check \(VisibleText.escaped(path))\"")
        }
        return text
    }

    /// The path in the operand FILE, or that of the home's policy.toml.
    static func path(_ invocation: Invocation) throws -> String {
        if let given = invocation.arguments.operands.first { return given }
        return try invocation.workspace().home.policyPath
    }

    /// True if two texts give the same findings at any place and, if they load, the same rules.
    private static func hasSameMeaning(
        _ old: [UInt8], _ new: [UInt8], _ adapters: AdapterSet
    ) -> Bool {
        let before = PolicyLoading(old, fileName: "a", adapters: adapters)
        let after = PolicyLoading(new, fileName: "a", adapters: adapters)
        return before.policy?.hash == after.policy?.hash
            && before.diagnostics.map(\.message).sorted()
                == after.diagnostics.map(\.message).sorted()
    }

    static let policySchema = Command(
        name: "policy schema", options: [Option(name: "--toml", value: nil)], operands: 0...0,
        summary: "write the JSON Schema of a policy",
        usage: """
            usage: countersign policy schema [--toml]

            Writes the JSON Schema of the canonical form of a policy, which "policy canonical"
            prints and which is hashed. With --toml it writes that of policy.toml, for editors.

            example: countersign policy schema --toml > schema.json
            """
    ) { invocation in
        let schemas = invocation.adapters.schemas
        let json =
            invocation.arguments.has("--toml")
            ? PolicyFileSchema(schemas).json : PolicySchema(schemas).json
        invocation.console.put(json.write())
        return .done
    }

    static let policyCanonical = Command(
        name: "policy canonical", options: [], operands: 0...1,
        summary: "write the canonical JSON that the hash is made of",
        usage: """
            usage: countersign policy canonical [FILE]

            Writes the canonical JSON of a policy (policy.toml of the home, or FILE), from which its
            hash is computed: rules and keys sorted, amounts in the smallest unit, integers as text.

            example: countersign policy canonical | sha256sum
            """
    ) { invocation in
        let document = try PolicyFileAtHand(invocation).usable().document
        invocation.console.put(document.canonicalJSON)
        return .done
    }

    static let policyDiff = Command(
        name: "policy diff",
        options: [Option(name: "--check", value: nil), Option(name: "--all", value: nil)],
        operands: 1...2,
        summary: "show what a change allows or forbids",
        usage: """
            usage: countersign policy diff [OLD] NEW [--check] [--all]

            Compares NEW with OLD (by default the policy in force). Four lines say which requests
            are newly allowed, newly asked about or newly denied, and which need fewer approvers:
            "none (proved)" if there is no such request; an example that both policies judged; or
            "not proved" with the part of requests that prevents a proof. The exit status is 0.

            options:
              --check  exit status 1 if a request is newly allowed or needs fewer approvers, and 4
                       if neither that nor the opposite is proved
              --all    every part that was removed or added, such as the lines of tables

            example: countersign policy diff --check main.toml policy.toml
            """
    ) { invocation in
        let home = try? invocation.workspace()
        let adapters = home?.adapters ?? invocation.adapters
        let names = invocation.arguments.operands
        let last = names[names.count - 1]
        let new = try PolicyLoading.reading(last, for: adapters).inUse(last)
        let old: TOMLPolicy
        if names.count == 2 {
            old = try PolicyLoading.reading(names[0], for: adapters, isInForce: true)
                .inUse(names[0])
        } else {
            old = try invocation.workspace().attestedPolicy()
        }
        let held = home.flatMap { try? $0.accounts() } ?? []
        let comparison = PolicyComparison(from: old, to: new, held: held)
        if invocation.console.isJSON {
            invocation.console.put(comparison.json.write())
        } else {
            invocation.console.put(
                invocation.arguments.has("--all") ? comparison.wholeText : comparison.text)
        }
        return invocation.arguments.has("--check") ? comparison.status : .done
    }
}

/// Replaces the text of a file atomically.
enum ReplacedFile {
    static func write(_ bytes: [UInt8], to path: String) throws {
        let fresh = path + ".new"
        unsafe unlink(fresh)
        try NewFile.write(bytes, to: fresh)
        var status = stat()
        // The new file has the permissions of the old file.
        if unsafe stat(path, &status) == 0 { unsafe chmod(fresh, status.st_mode & 0o777) }
        guard unsafe rename(fresh, path) == 0 else {
            throw ServiceError("\(VisibleText.escaped(path)) cannot be written", hint: nil)
        }
    }
}
