// SPDX-License-Identifier: Apache-2.0

import LiquidAuth
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningHome
import SigningNetwork
import SigningPolicy
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let doctor = Command(
        name: "doctor", options: [], operands: 0...0,
        summary: "check everything and say what is wrong",
        usage: """
            usage: countersign doctor

            Checks everything: versions, files and their permissions, the policy, the keys, the
            record, the agent, the extension of browsers and the desktop entry. It says what is
            wrong and how to fix it. With --passphrase-fd it also checks every seal and opens every
            key and the words that the key was made from. Exit status 0 if nothing is wrong, 1
            otherwise.

            example: countersign doctor --json
            """
    ) { invocation in
        let findings = try await examine(invocation)
        let isWell = findings.allSatisfy { $0.fix == nil }
        if invocation.console.isJSON {
            let rows = findings.map { finding -> JSON in
                [
                    "what": .string(finding.what), "state": .string(finding.state),
                    "ok": .bool(finding.fix == nil),
                    "fix": finding.fix.map { .string($0) } ?? .null,
                ]
            }
            invocation.console.put(JSON.array(rows).write())
        } else {
            for finding in findings {
                invocation.console.put(rows: finding.text, indent: Finding.columnOfState)
                if let fix = finding.fix { invocation.console.put("       fix: \(fix)") }
            }
        }
        return isWell ? .done : .failed
    }

    private static func examine(_ invocation: Invocation) async throws -> [Finding] {
        let path = try invocation.environment.home(invocation.arguments)
        var findings = [Finding("version", "countersign \(ProductVersion.ofProgram.text)")]
        findings.append(
            Finding(
                "libraries",
                "SQLite \(StorageLibraries.sqlite), libsodium \(CryptoLibraries.sodium), "
                    + "libcrypto \(CryptoLibraries.libcrypto)"))
        findings += RuntimeLibrary.all.map { Finding($0) }
        findings += channel(invocation) + [pictures(invocation)]
        let workspace: Workspace
        do {
            if let finding = try incompleteHome(path) { return findings + [finding] }
            workspace = try Workspace(path: path, invocation.protocols)
        } catch {
            return findings + [Finding("home", error)]
        }
        findings += [Finding("home", "\(path), private")] + (await Finding.agent(of: path))
        let copies = workspace.home.copiesInOlderFormats()
        if !copies.isEmpty {
            let names = VisibleText.escaped(copies.joined(separator: ", "))
            findings.append(
                Finding("upgrade", "delete these copies once this version works: \(names)"))
        }
        findings += vault(workspace, invocation)
        findings.append(policy(workspace))
        if let finding = Finding.shadow(workspace) { findings.append(finding) }
        findings += keys(workspace)
        if let finding = backup(workspace) { findings.append(finding) }
        findings.append(record(workspace))
        if let finding = Finding.governance(workspace) { findings.append(finding) }
        if let finding = Finding.impossibleQuestions(workspace) { findings.append(finding) }
        if let finding = sharing(workspace) { findings.append(finding) }
        findings += Finding.teams(workspace)
        if let finding = clock(workspace) { findings.append(finding) }
        findings += Finding.browsers(workspace, invocation)
        if let finding = Finding.desktop(invocation.environment) { findings.append(finding) }
        return findings
    }

    /// Examines the helper program that keeps data channels, which Liquid connections need.
    private static func channel(_ invocation: Invocation) -> [Finding] {
        let install =
            "sudo apt-get install --no-install-recommends gstreamer1.0-nice"
            + " gstreamer1.0-plugins-bad gstreamer1.0-plugins-base gstreamer1.0-plugins-good"
            + " libjansson4"
        do throws(ChannelError) {
            let program = try ChannelProgram(
                named: invocation.environment[ChannelProgram.variable])
            switch program.check() {
            case .ready(let bounds):
                let lines = bounds.map { Finding("channel", VisibleText.escaped($0)) }
                return [Finding("channel", program.path)] + lines
            case .missing(let problem):
                let fix = problem.contains("kernel") ? "a kernel with seccomp" : install
                return [Finding("channel", "\(program.path): \(problem)", fix: fix)]
            }
        } catch {
            guard case .missingProgram(let words, let hint) = error else {
                return [Finding("channel", "cannot be checked")]
            }
            return [Finding("channel", "\(words) (needed by \"liquid connect\"): \(hint)")]
        }
    }

    /// Examines the helper program that reads QR codes in pictures.
    private static func pictures(_ invocation: Invocation) -> Finding {
        do throws(PictureProgram.ReadError) {
            let program = try LiquidInput.pictureProgram(invocation)
            guard !program.check() else { return Finding("pictures", program.path) }
            return Finding(
                "pictures",
                "\(program.path) does not work here: it needs libpng, libzbar, Landlock and "
                    + "seccomp",
                fix: "sudo apt-get install --no-install-recommends libpng16-16 libzbar0")
        } catch {
            guard case .missingProgram(let words, let hint) = error else {
                return Finding("pictures", error.text)
            }
            return Finding(
                "pictures", "\(words) (needed to read QR codes in pictures): \(hint)")
        }
    }

    /// The problem of a home without a vault; nil if there is a vault.
    private static func incompleteHome(_ path: String) throws -> Finding? {
        let (home, file) = (try Home.open(at: path), try NewHome.fileInPlace(at: path))
        guard let file else {
            return Finding("home", "\(path) is empty: no home was made", fix: "countersign setup")
        }
        guard file != home.vaultPath else { return nil }
        return Finding(
            "home", "vault.db is missing, \(file) is there",
            fix: "put vault.db back, or countersign backup restore into another home")
    }

    /// Examines the file of the vault, its age, and all its seals.
    private static func vault(_ workspace: Workspace, _ invocation: Invocation) -> [Finding] {
        do {
            let problem = try workspace.vault.integrityProblem()
            if let problem {
                return [
                    Finding(
                        "vault", "vault.db is damaged: \(problem)",
                        fix: "keep a copy, export what opens, or countersign backup restore")
                ]
            }
            // The row of the record reports a ledger that cannot be opened.
            if let ledger = try? workspace.openLedger() {
                try Checkpointer(
                    vault: workspace.vault, ledger: ledger, environment: SystemEnvironment()
                ).checkBeforeChange()
            }
            guard invocation.arguments.has("--passphrase-fd") else {
                return [Finding("vault", "keys and seals not checked: add --passphrase-fd N")]
            }
            return try sealed(workspace, try invocation.passphrase().read(to: "open every key"))
        } catch {
            return [Finding("vault", error)]
        }
    }

    private static func sealed(
        _ workspace: Workspace, _ passphrase: borrowing SecretBytes
    ) throws -> [Finding] {
        try workspace.unlock(passphrase)
        let (parts, keys) = (try workspace.vault.damagedParts(), try workspace.vault.damagedKeys())
        let findings = (parts + keys).map {
            Finding(
                "vault", "the sealed record \"\($0)\" was damaged or changed",
                fix: ServiceError.fix($0))
        }
        return findings.isEmpty
            ? [Finding("vault", "every seal is intact, every key opens")] : findings
    }

    /// Tells when the last backup was made; nil if the home has no keys, or the row of the record
    /// reports a ledger that cannot be read.
    private static func backup(_ workspace: Workspace) -> Finding? {
        guard (try? workspace.accounts())?.isEmpty == false,
            let ledger = try? workspace.openLedger()
        else { return nil }
        let time: Timestamp?
        do { time = try ledger.lastBackup() } catch { return nil }
        guard let time else {
            return Finding("backup", "none was made here: countersign backup create FILE")
        }
        let days = max(0, SystemEnvironment().now().seconds - time.seconds) / 86_400
        let age = days == 0 ? "less than a day" : days == 1 ? "1 day" : "\(days) days"
        return Finding("backup", "the last one was made \(time.utcText), \(age) ago")
    }

    /// Reports a clock that was once ahead.
    private static func clock(_ workspace: Workspace) -> Finding? {
        guard let latest = try? workspace.openLedger().latestTime() else { return nil }
        let now = SystemEnvironment().now()
        guard latest.secondsLeft(at: now) > Self.clockSecondsMax else { return nil }
        return Finding(
            "clock", "the clock shows \(now.utcText), but a key was used at \(latest.utcText)",
            fix: "set the clock; if it is right: countersign repair clock")
    }

    /// The time that the record may be ahead of the clock without a report, in seconds.
    private static let clockSecondsMax: Int64 = 300

    private static func policy(_ workspace: Workspace) -> Finding {
        do {
            let policy = try workspace.attestedPolicy()
            if let ledger = try? workspace.openLedger() {
                try workspace.checkPolicyIsNewest(ledger)
            }
            if let note = workspace.policyNote() {
                return Finding("policy", note.state, fix: note.fix)
            }
            // The row of the vault reports keys that cannot be read.
            let held = (try? workspace.accounts())?.map(\.name)
            if let unheld = held.flatMap({ policy.unheldKeys(among: $0).first }) {
                return Finding(
                    "policy", unheld.text,
                    fix: "correct policy.toml, then countersign policy attest")
            }
            if let open = policy.openBudget {
                return Finding(
                    "policy", "line \(open.line) of the rules in force: \(open.message)",
                    fix: "correct policy.toml, then countersign policy attest")
            }
            let notes = policy.findings.isEmpty ? "" : ", worth a look: countersign policy check"
            return Finding("policy", "\(policy.ruleCountText) in force\(notes)")
        } catch {
            return Finding("policy", error)
        }
    }

    private static func keys(_ workspace: Workspace) -> [Finding] {
        do {
            let accounts = try workspace.accounts()
            let families = Set(accounts.map(\.protocolID.name)).sorted().joined(separator: ", ")
            let watchedCount = accounts.count(where: \.isWatchOnly)
            let note = watchedCount == 0 ? "" : ", \(watchedCount) of them watch-only"
            return [
                Finding("keys", accounts.isEmpty ? "none" : "\(accounts.count): \(families)\(note)")
            ]
        } catch {
            // The row of the vault reports damaged seals.
            return []
        }
    }

    /// Examines whether the log of a shared record can be reached and agrees with this home.
    private static func sharing(_ workspace: Workspace) -> Finding? {
        // The row of the record reports a ledger that cannot be opened.
        guard let ledger = try? workspace.openLedger() else { return nil }
        do {
            guard let sharing = try workspace.sharing(ledger) else { return nil }
            if let problem = try workspace.takeIn(ledger).problem {
                return Finding("hub", problem)
            }
            if let problem = try workspace.contradiction(ledger) {
                return Finding("hub", problem)
            }
            try ledger.checkMayAppend()
            let count = sharing.hubs.count(where: \.isInUse)
            return Finding(
                "hub", "\(VisibleText.escaped(sharing.hub.name)), one of \(count), log reached")
        } catch {
            return Finding("hub", error)
        }
    }

    private static let chainFix =
        "keep a copy of the home; if no good ledger.db exists: countersign repair ledger"
    private static let tablesFix = "keep a copy of the home, then: countersign repair ledger"
    private static let checkpointFix =
        "keep a copy of the home; if no good ledger.db exists: countersign repair vault"

    /// The mend of a record that is not intact.
    ///
    /// If only the vault's checkpoint does not fit, as after a stopped "repair ledger", the record
    /// is intact for that repair.
    private static func recordFix(_ workspace: Workspace) throws -> String {
        let loss = try HomeRepair.ledgerLoss(of: workspace.home, workspace.vault)
        return loss == nil ? checkpointFix : chainFix
    }

    private static func record(_ workspace: Workspace) -> Finding {
        do {
            let report = try workspace.auditReport()
            if let problem = report.problem {
                let fix = problem.isInTables ? Self.tablesFix : try recordFix(workspace)
                let missing = problem.isInTables ? report.unverified.first : nil
                return Finding(
                    "record", problem.text,
                    fix: missing.map { "put \($0.segment.fileName) back; \(fix)" } ?? fix)
            }
            if let segment = report.unverified.first {
                return Finding("record", segment.text, fix: unverifiedHint)
            }
            let reason = try SQLiteLedger.open(workspace.home).freezeReason()
            if let reason {
                return Finding(
                    "record", "signing is frozen (\(VisibleText.escaped(reason)))",
                    fix: "countersign thaw")
            }
            let open = report.unsettledCount
            let note =
                open == 0
                ? ""
                : open == 1
                    ? ", 1 request without a recorded result counts as signed"
                    : ", \(open) requests without a recorded result count as signed"
            let entries = report.entryCount == 1 ? "entry" : "entries"
            return Finding(
                "record", "\(report.entryCount) \(entries), unbroken\(report.beginning)\(note)")
        } catch {
            return Finding("record", error)
        }
    }
}

/// The result of one check of the doctor.
struct Finding {
    let what: String
    let state: String
    /// The remedy; nil if there is no problem.
    let fix: String?

    init(_ what: String, _ state: String, fix: String? = nil) {
        self.what = what
        self.state = state
        self.fix = fix
    }

    /// Reports an optional library, which is loaded when a feature needs it.
    init(_ library: RuntimeLibrary) {
        self.init(
            "library",
            library.isUsable
                ? "\(library.name): \(library.purpose)"
                : "\(library.name) is missing, so this does not work: \(library.purpose); to add "
                    + "it, "
                    + library.hint)
    }

    init(_ what: String, _ error: any Error) {
        let error = CLIError(error)
        // A hint of the doctor does not refer to the doctor.
        let hint = error.hint.flatMap { $0.contains("doctor") ? nil : $0 }
        let isDamaged = Self.damage.contains { error.message.contains($0) }
        self.init(
            what, error.message,
            fix: hint
                ?? (isDamaged
                    ? "keep a copy of the home; countersign backup restore makes another one"
                    : "do what the message says; it does not mean that data is damaged"))
    }

    /// The texts by which errors of SQLite and of the ledger are recognised as damage.
    private static let damage = [
        "is damaged", "damaged pages", "is not a SQLite file", "not a file of this kind",
        "is missing or has another form",
    ]

    /// The column in which the state begins.
    static let columnOfState = 19

    /// The row without the remedy.
    ///
    /// A remedy is not broken into lines, so that it can be copied.
    var text: String {
        let pad = String(repeating: " ", count: max(1, 12 - what.utf8.count))
        return "\(fix == nil ? "ok   " : "WRONG")  \(what)\(pad)\(state)"
    }
}
