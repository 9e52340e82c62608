// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningHome
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let backupCommands = [backupCreate, backupVerify, backupRestore]

    private static let backupCreate = Command(
        name: "backup create", options: [], operands: 1...1,
        summary: "write the home to one sealed file",
        usage: """
            usage: countersign backup create FILE

            Writes the whole home (keys, record and policy) into one new file, sealed with the
            current passphrase of the vault, and rehearses a restore from it. A later change of the
            passphrase does not change the backup. If some keys cannot be opened, the command names
            them and exits with status 1; the backup contains everything else.

            example: countersign backup create /media/stick/countersign.backup
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let path = try invocation.operand(0)
        let passphrase = try invocation.passphrase().read(to: "make a backup")
        try Backup.create(of: workspace.home, workspace.vault, to: path, passphrase: passphrase)
        let rehearsal: BackupRehearsal
        do {
            rehearsal = try BackupRehearsal(
                of: path, in: try RehearsalFolder(), invocation.protocols, passphrase)
        } catch {
            let error = CLIError(error)
            throw CLIError(
                "\(VisibleText.escaped(path)) was written, but a home cannot be restored from it: "
                    + error.message,
                hint: "see \"countersign doctor\"; export the keys that open one by one")
        }
        noteTime(of: workspace, invocation.console)
        invocation.console.done(
            ["file": .string(path), "keys": rehearsal.count, "damaged": rehearsal.damagedNames],
            "wrote \(VisibleText.escaped(path)): \(rehearsal.countText); next: "
                + "countersign backup verify \(VisibleText.escaped(path))")
        try rehearsal.checkIsSound(
            hint: "the backup contains everything else; see \"countersign doctor\"")
        return .done
    }

    /// Notes the time for `doctor` and the metrics of an agent.
    private static func noteTime(of workspace: Workspace, _ console: Console) {
        do { try workspace.openLedger().noteBackup(at: SystemEnvironment().now()) } catch {
            console.warn(
                "the time of this backup cannot be noted: \(CLIError(error).message)",
                hint: "see \"countersign doctor\"")
        }
    }

    private static let backupVerify = Command(
        name: "backup verify", options: [], operands: 1...1,
        summary: "rehearse a restore, compare the public keys",
        usage: """
            usage: countersign backup verify FILE

            Rehearses a restore in a temporary folder: it opens every key and the words that the key
            was made from, derives every public key again, and checks the record. It also says which
            keys of this home are not in the backup.

            example: countersign backup verify /media/stick/countersign.backup
            """
    ) { invocation in
        let path = try invocation.operand(0)
        let passphrase = try invocation.passphrase().read(to: "open the backup")
        let folder = try RehearsalFolder()
        let rehearsal = try BackupRehearsal(
            of: path, in: folder, invocation.protocols, passphrase)
        let here = try BackupRehearsal.accounts(of: invocation)
        let missing = rehearsal.missing(among: here)
        let report = KeyReport(invocation)
        if invocation.console.isJSON {
            let json: JSON = [
                "ok": .bool(missing.isEmpty && rehearsal.damaged.isEmpty),
                "damaged": rehearsal.damagedNames,
                "keys": .array(rehearsal.accounts.map { report.json($0, among: []) }),
                "entries": .integer(rehearsal.entryCount),
                "missing": .array(missing.map { .string($0.name) }),
            ]
            invocation.console.put(json.write())
        } else {
            report.putTable(rehearsal.accounts)
        }
        guard missing.isEmpty else {
            let names = missing.map(\.name).joined(separator: ", ")
            throw CLIError(
                "the backup lacks \(names), which this home has",
                hint: "make a new one: countersign backup create FILE")
        }
        try rehearsal.checkIsSound(hint: "use an older backup for these keys")
        invocation.console.note(
            "the backup is good: every key opens and has the right public key, and the record is "
                + "intact (\(rehearsal.entryCount))" + rehearsal.recordNote)
        return .done
    }

    private static let backupRestore = Command(
        name: "backup restore", options: [], operands: 1...1,
        summary: "make a new home from a backup",
        usage: """
            usage: countersign backup restore FILE

            Makes a home from a backup, with the passphrase that the vault had when the backup was
            made. The home must not exist yet: nothing is overwritten. The backup does not know what
            happened after it was made: the use of limits since then is forgotten, and a policy
            attested since then is not in force. If some keys cannot be opened, the command names
            them and exits with status 1; the other keys are restored. If the old home still works,
            freeze it: otherwise both homes sign, each with its own count of the limits.

            example: countersign backup restore /media/stick/countersign.backup
            """
    ) { invocation in
        let source = try invocation.operand(0)
        let path = try invocation.environment.home(invocation.arguments)
        try OpenHome.refuseTaken(path)
        let passphrase = try invocation.passphrase().read(to: "restore the backup")
        var rehearsal: BackupRehearsal?
        let made = try OpenHome.make(at: path) { home in
            rehearsal = try BackupRehearsal(of: source, in: home, invocation.protocols, passphrase)
        }
        guard made, let rehearsal else {
            throw CLIError(
                "an earlier command had almost finished a home in \(path): it is complete now",
                hint: "nothing was restored; look at it with \"countersign key list\"")
        }
        invocation.console.done(
            ["home": .string(path), "keys": rehearsal.count, "damaged": rehearsal.damagedNames],
            "restored \(path): \(rehearsal.countText); next: countersign doctor")
        invocation.console.note(
            "if the old home still works, freeze it (countersign freeze): otherwise both sign, "
                + "each with its own count of the limits")
        try rehearsal.checkIsSound(
            hint: "everything else was restored; next: countersign repair vault")
        return .done
    }
}

/// An unpacked backup whose seals were all opened once.
struct BackupRehearsal {
    let accounts: [Account]
    /// The names of the vault's damaged parts and keys.
    let damaged: [String]
    let entryCount: Int64
    /// A note about record entries that could not be examined; empty if there are none.
    let recordNote: String

    init(
        of path: String, in folder: borrowing RehearsalFolder, _ protocols: ProtocolSupport,
        _ passphrase: borrowing SecretBytes
    ) throws {
        try self.init(of: path, in: folder.home, protocols, passphrase)
    }

    init(
        of path: String, in home: Home, _ protocols: ProtocolSupport,
        _ passphrase: borrowing SecretBytes
    ) throws {
        try Backup.extract(path, to: home, passphrase: passphrase)
        let workspace = try Workspace(path: home.path, protocols, onlyReads: false)
        try workspace.unlock(passphrase)
        let (parts, keys) = (try workspace.vault.damagedParts(), try workspace.vault.damagedKeys())
        damaged = parts + keys
        let checkpointer = Checkpointer(
            vault: workspace.vault, ledger: try workspace.openLedger(),
            environment: SystemEnvironment())
        let isShared = parts.isEmpty ? try workspace.vault.sharesRecord() : false
        // A damaged part cannot be compared with the record, but the counters can. Other hubs
        // may have changed the policy of a shared record since.
        if parts.isEmpty, !isShared {
            try checkpointer.check()
        } else {
            try checkpointer.checkBeforeChange()
        }
        let report = try workspace.auditReport()
        if let problem = report.problem {
            throw CLIError("the record in the backup: \(problem.text)", hint: "use an older backup")
        }
        recordNote = (report.unverified.first.map { "; \($0.text)" }) ?? ""
        // A locked vault lists the accounts without their seals.
        workspace.vault.lock()
        accounts = try workspace.accounts()
        entryCount = report.entryCount
    }

    /// The number of accounts without the damaged ones.
    private var soundCount: Int { accounts.count { !damaged.contains($0.name) } }

    /// `1 key`, `2 keys`.
    var countText: String { "\(soundCount) \(soundCount == 1 ? "key" : "keys")" }

    var count: JSON { .integer(Int64(soundCount)) }

    var damagedNames: JSON { .array(damaged.map { .string($0) }) }

    /// Throws if a part or a key is damaged; called after all other work.
    func checkIsSound(hint: String) throws {
        guard !damaged.isEmpty else { return }
        throw CLIError(
            "the backup contains damaged records: "
                + VisibleText.escaped(damaged.joined(separator: ", ")), hint: hint)
    }

    /// The keys of a home that the backup lacks, compared by protocol, address and public key.
    func missing(among here: [Account]) -> [Account] {
        let held = Set(accounts.map { [$0.protocolID.name, $0.address, "\($0.publicKey)"] })
        return here.filter { !held.contains([$0.protocolID.name, $0.address, "\($0.publicKey)"]) }
    }

    /// The accounts of the home of the command; empty if there is no home.
    static func accounts(of invocation: Invocation) throws -> [Account] {
        let path = try invocation.environment.home(invocation.arguments)
        guard Descriptor(opening: path, O_RDONLY) != nil else { return [] }
        return try Workspace(path: path, invocation.protocols).accounts()
    }
}

/// A private folder for a rehearsal, removed with everything in it.
struct RehearsalFolder: ~Copyable {
    let home: Home

    init() throws {
        let parent = Environment()["TMPDIR"] ?? "/tmp"
        let digits = Hex.encode(Randomness.bytes(8).span)
        home = try Home.create(at: "\(parent)/countersign-rehearsal-\(digits)")
    }

    deinit { home.discard() }
}
