// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import SigningCodecs
import SigningCore
import SigningFiles
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let repair = Command(
        name: "repair", options: [Confirmation.option.offering(.fixed(["ledger"]))],
        operands: 1...1,
        operandOffers: [.fixed(repairable)],
        summary: "repair what \"countersign doctor\" found",
        usage: """
            usage: countersign repair [--confirm NAME] vault|ledger|clock|format

            Repairs what "countersign doctor" found. It asks for the passphrase, except for format,
            and records the repair.

            vault: accepts the current contents of vault.db and of the record, after damage or after
            an older vault.db or ledger.db was put back. It opens every key. Keys that cannot be
            opened, and records without a valid seal, are removed from the list and named; import
            the keys again under their names. A damaged policy is no longer in force; damaged
            settings are lost. It says so if nothing was to be repaired.

            ledger: if the entries of ledger.db are intact and only its tables differ from them, or
            another program added some, makes the tables again: limits, remembered answers, freeze
            and policy are what the entries say. Transactions that are to be sent and whose bytes
            are lost are given up. If rows say that later entries were removed, signing is frozen.
            If ledger.db is intact, changes nothing. Otherwise keeps ledger.db under another name
            and starts a new record for this vault. The contents of the old record are lost:
            requests and signatures, the counts of limits, remembered answers, sessions, serial
            numbers, and the list of transactions that may not have arrived. If signing is frozen,
            the freeze ends. No request is answered until a policy is attested.
            NAME is ledger, or the word that the command asks for; on a terminal you type it.

            clock: if a clock once ran ahead, sets the latest time on record back to now. Amounts
            that limits counted before are counted as used now.

            format: upgrades the files of a home of an older version to the formats of this version.
            It keeps a copy of each file, such as ledger.db.format-13. Every command that signs or
            changes the home does the same. Commands that only read refuse files of an older format.
            Stop an agent of an older version first.

            example: countersign repair vault
            """
    ) { invocation in
        let what = try invocation.operand(0)
        guard repairable.contains(what) else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(what))\" cannot be repaired",
                hint: "one of: \(repairable.joined(separator: ", "))")
        }
        guard what == "ledger" || !invocation.arguments.has(Confirmation.option.name) else {
            throw CLIError.usage("--confirm applies only to repair ledger", hint: "leave it out")
        }
        guard what != "format" else { return try upgradeFormat(invocation) }
        let workspace = try invocation.workspace(toChange: true)
        guard what != "ledger" else { return try repairLedger(workspace, invocation) }
        let ledger = try workspace.openLedger()
        let passphrase = try invocation.passphrase().read(to: "repair the \(what)")
        let repair = HomeRepair(vault: workspace.vault, ledger: ledger)
        guard what == "vault" else {
            try workspace.vault.unlock(passphrase: passphrase)
            let isDone = try repair.repairClock(to: SystemEnvironment().now())
            try workspace.checkpointAtExit(ledger)
            invocation.console.done(
                ["repaired": .bool(isDone)],
                isDone
                    ? "repaired: the latest time on record is now"
                    : "nothing to repair: no time on record is ahead of the clock")
            return .done
        }
        try workspace.unlock(passphrase)
        let wasSound = workspace.isSound(with: ledger)
        let done = try repair.repairVault(at: SystemEnvironment().now())
        try workspace.keepProviderID()
        let isSame = wasSound && done.damaged + done.setAside + done.lostWords == []
        report(done, invocation.console, isSame ? "nothing was to be repaired" : "repaired")
        return .done
    }

    /// The parts of a home that can be repaired.
    static let repairable = ["vault", "ledger", "clock", "format"]

    private static func upgradeFormat(_ invocation: Invocation) throws -> ExitStatus {
        let path = try invocation.environment.home(invocation.arguments)
        let wasOlder = try OpenHome.bringUpToDate(path)
        // A file that cannot be read now, such as on a full disk, may still have an older format.
        if !wasOlder { _ = try invocation.workspace().openLedger() }
        let copies = wasOlder ? try OpenHome.copiesInOlderFormats(path) : []
        invocation.console.done(
            ["repaired": .bool(wasOlder), "copies": .array(copies.map { .string($0) })],
            wasOlder
                ? "the files have the formats of this version; copies in the older formats: "
                    + VisibleText.escaped(copies.joined(separator: ", "))
                : "the files already had the formats of this version")
        return .done
    }

    private static func repairLedger(
        _ workspace: Workspace, _ invocation: Invocation
    ) throws -> ExitStatus {
        let loss = try HomeRepair.ledgerLoss(of: workspace.home, workspace.vault)
        guard let loss else {
            throw CLIError(
                "ledger.db is intact: nothing was done",
                hint: "if an older file was put back: countersign repair vault")
        }
        let isShared = (try? workspace.vault.sharesRecord()) ?? true
        if !isShared, HomeRepair.canRepairTables(of: workspace.home, workspace.vault) {
            return try repairTables(workspace, invocation)
        }
        let missing = isShared ? nil : loss.missingFile
        if let missing, invocation.arguments.value(Confirmation.option.name) != missingWord {
            throw CLIError(
                "\(VisibleText.escaped(loss.text)), and \(missing) is missing or was changed, so "
                    + "the tables cannot be made again from all entries",
                hint: "put \(missing) back, then try again; if it is lost, to start a new record: "
                    + "--confirm \(missingWord)")
        }
        let word = isShared ? sharedWord : missing == nil ? "ledger" : missingWord
        guard !isShared || invocation.arguments.value(Confirmation.option.name) != "ledger" else {
            throw CLIError(
                "this home shares its record with other hubs, which would not learn of the repair",
                hint: "countersign ledger rebuild, or join again from a backup of another hub; if "
                    + "no hub is left: --confirm \(sharedWord)")
        }
        try Confirmation(of: word, before: "the record was not changed").read(invocation) {
            """
            This starts a new record: \(VisibleText.escaped(loss.text))
            \(lost)\(isShared ? alone : "")
            The old file is kept beside it. If you have a good ledger.db, put that back instead.

            """
        }
        let passphrase = try invocation.passphrase().read(to: "start a new record")
        try workspace.unlock(passphrase)
        let done = try HomeRepair.beginLedgerAnew(
            of: workspace.home, workspace.vault, because: loss, at: SystemEnvironment().now())
        if isShared {
            try workspace.vault.noteSharing(false)
        }
        try workspace.keepProviderID()
        report(done.vault, setAside: done.setAside, invocation.console)
        let place = done.setAside.map { "; the old file is \($0)" } ?? ""
        invocation.console.warn("a new record was started\(place). \(lost)", hint: attestHint)
        return .done
    }

    private static func repairTables(
        _ workspace: Workspace, _ invocation: Invocation
    ) throws -> ExitStatus {
        let passphrase = try invocation.passphrase().read(to: "make the tables again")
        try workspace.vault.unlock(passphrase: passphrase)
        let freeze = try HomeRepair.repairTables(
            of: workspace.home, workspace.vault, at: SystemEnvironment().now())
        try workspace.checkpointAtExit(try workspace.openLedger())
        invocation.console.done(
            ["repaired": .bool(true), "frozen": freeze.map { .string($0) } ?? .null],
            "repaired: the tables of ledger.db were made again from its entries")
        if let freeze {
            invocation.console.warn(
                "signing is frozen: \(freeze), and limits may have been used more",
                hint: "look at the record: countersign audit list; then: countersign thaw")
        }
        return .done
    }

    /// The word to type if a file of archived entries is missing.
    private static let missingWord = "lost"
    /// The word to type if other hubs share the record.
    private static let sharedWord = "alone"

    private static let alone = """

        This home shares its record: other hubs go on with it and would not learn of this. \
        "countersign ledger rebuild", or joining again from a backup of another hub, keeps it.
        """

    private static let lost = """
        You lose the requests and signatures on record, the counts of limits, remembered answers, \
        sessions, serial numbers, and the list of transactions that may not have arrived. If \
        signing is frozen, the freeze ends.
        """

    private static let attestHint = "check policy.toml, then countersign policy attest"

    private static func report(
        _ repair: VaultRepair, setAside ledger: String? = nil, _ console: Console,
        _ result: String = "repaired"
    ) {
        if !repair.damaged.isEmpty {
            console.note("damaged: \(repair.damaged.joined(separator: ", "))")
        }
        let contacts = Contacts.found(in: repair.lostSettings)
        let networks = AddedNetworks(repair.lostSettings)
        let json: JSON = [
            "damaged": .array(repair.damaged.map { .string($0) }),
            "keys": .array(repair.kept.map { .string($0) }),
            "put_aside": .array(repair.setAside.map { .string($0) }),
            "lost_words": .array(repair.lostWords.map { .string($0) }),
            "lost_contacts": .array(contacts.map(\.json)),
            "lost_networks": .array(networks.list.map { .string($0.name) }),
            "policy": .bool(repair.hasPolicy),
            "ledger_put_aside": ledger.map { .string($0) } ?? .null,
        ]
        let names = repair.kept.isEmpty ? "none" : repair.kept.joined(separator: ", ")
        console.done(json, "\(result): keys \(VisibleText.escaped(names))")
        for name in repair.setAside {
            console.warn(
                "\"\(VisibleText.quotable(name))\" is damaged or has no valid seal: it was put "
                    + "aside and is no longer listed",
                hint: "import or watch it again, or restore the home from a backup")
        }
        for name in repair.lostWords {
            console.warn(
                "the words of \"\(VisibleText.quotable(name))\" are lost; its key still works",
                hint: "export the key in another form, or restore the home from a backup")
        }
        if !contacts.isEmpty {
            for contact in contacts { console.note("removed: \(contact.row)") }
            console.warn(
                "contacts were removed, as another program may have changed them",
                hint: "compare each address on a second way, then: countersign contact add")
        }
        if !networks.list.isEmpty {
            console.warn(
                "networks were removed, as another program may have changed them: "
                    + networks.list.map(\.name).joined(separator: ", "),
                hint: "countersign network add NAME")
        }
        if !repair.hasPolicy {
            console.warn("no policy is in force", hint: attestHint)
        }
    }
}

extension Workspace {
    /// Whether record and vault are intact and fit each other.
    fileprivate func isSound(with ledger: SQLiteLedger) -> Bool {
        let checkpointer = Checkpointer(
            vault: vault, ledger: ledger, environment: SystemEnvironment())
        do {
            try checkpointer.check()
            try checkpointer.checkBeforeChange()
            return try auditReport().problem == nil
        } catch {
            return false
        }
    }

    /// Creates a new provider id if the vault has none.
    fileprivate func keepProviderID() throws {
        guard try vault.setting(ProviderID.setting) == nil else { return }
        try vault.setSetting(ProviderID.setting, to: ProviderID.make())
        try checkpointAtExit(try openLedger())
    }
}
