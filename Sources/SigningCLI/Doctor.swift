// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningCrypto
import SigningPolicy
import SigningStorage

extension CommandLineTool {
    static let doctor = Command(
        name: "doctor", options: [], operands: 0...0,
        usage: """
            usage: countersign doctor

            Looks at everything: versions, files and their modes, the policy, the keys, the record;
            says what is wrong and how to mend it. With --passphrase-fd every key is opened as
            well. Exit status 0 if nothing is wrong, 1 otherwise.

            example: countersign doctor --json
            """
    ) { invocation throws(CLIError) in
        let findings = try examine(invocation)
        let isWell = findings.allSatisfy { $0.mend == nil }
        if invocation.console.isJSON {
            let rows = findings.map { finding -> JSON in
                [
                    "what": .string(finding.what), "state": .string(finding.state),
                    "ok": .bool(finding.mend == nil),
                    "mend": finding.mend.map { .string($0) } ?? .null,
                ]
            }
            invocation.console.put(JSON.array(rows).write())
        } else {
            for finding in findings { invocation.console.put(finding.text) }
        }
        return isWell ? .done : .failed
    }

    private static func examine(_ invocation: Invocation) throws(CLIError) -> [Finding] {
        let path = try invocation.environment.home(invocation.arguments)
        var findings = [Finding("version", "countersign \(version)")]
        findings.append(
            Finding(
                "libraries",
                "SQLite \(StorageLibraries.sqlite), libsodium \(CryptoLibraries.sodium), "
                    + "libcrypto \(CryptoLibraries.libcrypto)"))
        let workspace: Workspace
        do throws(CLIError) {
            workspace = try Workspace(path: path)
        } catch {
            return findings + [Finding("home", error)]
        }
        findings.append(Finding("home", "\(path), private"))
        findings.append(policy(workspace))
        findings += keys(workspace, invocation)
        findings.append(record(workspace))
        return findings
    }

    private static func policy(_ workspace: Workspace) -> Finding {
        do throws(CLIError) {
            let policy = try workspace.attestedPolicy()
            try workspace.checkPolicyIsNewest(try workspace.openLedger())
            if let note = workspace.policyNote() {
                return Finding("policy", note.state, mend: note.mend)
            }
            let notes = policy.findings.isEmpty ? "" : ", worth a look: countersign policy check"
            return Finding("policy", "\(policy.ruleCountText) in force\(notes)")
        } catch {
            return Finding("policy", error)
        }
    }

    /// Opens every record, where the passphrase is at hand without asking for it.
    private static func damagedKeys(
        _ workspace: Workspace, _ invocation: Invocation
    ) throws(CLIError) -> [String] {
        guard invocation.arguments.has("--passphrase-fd") else { return [] }
        let passphrase = try invocation.passphrase().read(to: "open every key")
        return try CLIError.wrapping { () throws(VaultError) in
            try workspace.vault.unlock(passphrase: passphrase)
            return try workspace.vault.damagedKeys()
        }
    }

    private static func keys(
        _ workspace: Workspace, _ invocation: Invocation
    ) -> [Finding] {
        do throws(CLIError) {
            let accounts = try workspace.accounts()
            let damaged = try damagedKeys(workspace, invocation)
            guard damaged.isEmpty else {
                return damaged.map {
                    Finding(
                        "keys", "the record of \"\($0)\" was damaged or changed",
                        mend: "restore vault.db from a backup")
                }
            }
            let families = Set(accounts.map(\.protocolID.name)).sorted().joined(separator: ", ")
            let watchedCount = accounts.count(where: \.isWatchOnly)
            let note = watchedCount == 0 ? "" : ", \(watchedCount) of them watch-only"
            return [
                Finding("keys", accounts.isEmpty ? "none" : "\(accounts.count): \(families)\(note)")
            ]
        } catch {
            return [Finding("keys", error)]
        }
    }

    private static func record(_ workspace: Workspace) -> Finding {
        do throws(CLIError) {
            let report = try workspace.auditReport()
            if let problem = report.problem {
                return Finding("record", problem.text, mend: "keep a copy of the home")
            }
            let reason = try CLIError.wrapping { () throws(LedgerError) in
                try SQLiteLedger.open(workspace.home).freezeReason()
            }
            if let reason {
                return Finding(
                    "record", "frozen (\(VisibleText.escaped(reason))), nothing is signed",
                    mend: "countersign thaw")
            }
            let open = report.unsettledCount
            let note = open == 0 ? "" : ", \(open) intents without a result count as released"
            let entries = report.entryCount == 1 ? "entry" : "entries"
            return Finding("record", "\(report.entryCount) \(entries), unbroken\(note)")
        } catch {
            return Finding("record", error)
        }
    }
}

/// One thing the doctor looked at.
private struct Finding {
    let what: String
    let state: String
    /// What to do; nil where all is well.
    let mend: String?

    init(_ what: String, _ state: String, mend: String? = nil) {
        self.what = what
        self.state = state
        self.mend = mend
    }

    init(_ what: String, _ error: CLIError) {
        // Whoever asks the doctor is not sent to the doctor.
        let hint = error.hint.flatMap { $0.contains("doctor") ? nil : $0 }
        self.init(what, error.message, mend: hint ?? "restore the home from a backup")
    }

    var text: String {
        let pad = String(repeating: " ", count: max(1, 12 - what.utf8.count))
        let head = "\(mend == nil ? "ok   " : "WRONG")  \(what)\(pad)\(state)"
        return mend.map { "\(head)\n       mend: \($0)" } ?? head
    }
}
