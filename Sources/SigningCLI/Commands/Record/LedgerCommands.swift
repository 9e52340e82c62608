// SPDX-License-Identifier: Apache-2.0

import Glibc
import SigningAgent
import SigningCodecs
import SigningCore
import SigningFiles
import SigningService
import SigningStorage
import SigningVault

extension CommandLineTool {
    static let ledgerCommands = [ledgerStatus, ledgerMove] + ledgerFixes + ledgerCutting

    /// The name of this hub in a shared record.
    static let hubOption = Option(name: "--hub", value: "NAME")

    private static let ledgerStatus = Command(
        name: "ledger status", options: [], operands: 0...0,
        summary: "show where the record is kept, take in new entries",
        usage: """
            usage: countersign ledger status

            Shows where the record is kept: only in this home, or in a log on PostgreSQL that
            several hubs share. In that case this home has a copy of the log, and the command takes
            in new entries. Exit status 1 if it could not.

            example: countersign ledger status --json
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let ledger = try workspace.openLedger()
        guard let sharing = try workspace.sharing(ledger) else {
            if invocation.console.isJSON {
                invocation.console.put((["shared": false] as JSON).write())
            } else {
                invocation.console.put("the record is kept only in \(workspace.home.ledgerPath)")
            }
            return .done
        }
        let (before, after, problem) = try workspace.takeIn(ledger)
        let end = try workspace.sharing(ledger)?.place ?? sharing.place
        let hash = Hex.encode(end.hash.span)
        let heard = try ledger.comparedHubs()
        if invocation.console.isJSON {
            let json: JSON = [
                "shared": true, "hub": .string(sharing.hub.name),
                "number": .integer(Int64(sharing.hub.number)),
                "server": .string(sharing.serverText),
                "hubs": .integer(Int64(sharing.hubs.count(where: \.isInUse))),
                "entries": .integer(after),
                "end": ["number": .integer(end.sequence), "hash": .string(hash)],
                "heard": .array(heard.map(\.json)), "reached": .bool(problem == nil),
                "error": problem.map { .string($0.message) } ?? .null,
            ]
            invocation.console.put(json.write())
        } else {
            invocation.console.put(sharing.text)
            invocation.console.put("end of the log in this copy: \(end.sequence) \(hash)")
            invocation.console.put("entries in this copy: \(after), \(after - before) of them new")
            for hub in heard where hub.isConfirmed { invocation.console.put(hub.text) }
        }
        let contradiction = try workspace.contradiction(ledger)
        guard let problem = problem ?? contradiction else { return .done }
        if invocation.console.isJSON { return .failed }
        throw problem
    }

    private static let ledgerMove = Command(
        name: "ledger move",
        options: [hubOption, Option(name: "--lost", value: nil), Confirmation.option],
        operands: 1...1,
        summary: "move the record to PostgreSQL, or back",
        usage: """
            usage: countersign ledger move ADDRESS [--hub NAME] [--confirm WORDS]
                   countersign ledger move local [--lost [--confirm NAME]]

            Moves the whole record into a new log on PostgreSQL that other hubs can share, after the
            passphrase, and keeps a copy in this home. Docs/Teams.md describes ADDRESS. NAME is the
            name of this hub there (by default the name of the machine). "local" ends the sharing:
            this home goes on with its record alone, and every other hub of the log refuses to sign
            from then on. --lost does the same if the log is gone or refused by all hubs; you
            confirm with the name of this hub, and other hubs cannot learn of it. The agent must not
            run.

            example: countersign ledger move 'postgresql://hub@db.example/sign?sslrootcert=/ca.pem'
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        try AgentRoute.refuseWhileRunning(workspace, "the record is moved")
        let target = try invocation.operand(0)
        guard target != "local" else {
            try moveBack(workspace, invocation)
            invocation.console.done(
                ["shared": false], "the record is kept only in \(workspace.home.ledgerPath)")
            return .done
        }
        let name = try HubName.of(invocation)
        try LossAcceptance.read(for: target, invocation)
        try workspace.unlock(try invocation.passphrase().read(to: "share the record"))
        try workspace.share(target, as: name, invocation.console)
        return .done
    }
}

extension CommandLineTool {
    fileprivate static func moveBack(_ workspace: Workspace, _ invocation: Invocation) throws {
        let ledger = try workspace.openLedger()
        let sharing = try workspace.sharing(ledger)
        let wasShared = try workspace.vault.sharesRecord()
        guard sharing != nil || wasShared else {
            throw CLIError(
                "the record is not shared", hint: "see \"countersign hub list\"")
        }
        let isLost = invocation.arguments.has("--lost")
        if isLost, let sharing {
            let name = sharing.hub.name
            try Confirmation(of: name, before: "the record stays shared").read(invocation) {
                """
                This gives up the log: hub \(name) goes on alone with its copy of the log, up to \
                \(sharing.place.sequence).
                Other hubs cannot learn of this: stop them, so that they sign no more. Use the hub \
                with the longest copy of the log (countersign ledger status).

                """
            }
        }
        try workspace.unlock(
            try invocation.passphrase().read(
                to: "take the record back into this home"))
        try workspace.open.unshare(ledger, withoutLog: isLost)
    }
}

/// The owner's consent to a database that may lose the last signatures.
enum LossAcceptance {
    static let words = "last-signatures-may-be-lost"

    /// Asks for consent if the address allows such a database.
    static func read(for text: String, _ invocation: Invocation) throws {
        let address = try OpenHome.address(text)
        guard address.mayLoseLast else { return }
        try Confirmation(of: words, before: "nothing was changed").read(invocation) {
            """
            With replication=asynchronous a promoted replica may lack the last signatures. Hubs
            that had not seen these do not count what they used of limits and serial numbers. Hubs
            that had seen them refuse every request until the database has them again.

            """
        }
    }
}

/// The name of this hub.
enum HubName {
    /// The value of `--hub`, or the host name of the machine.
    static func of(_ invocation: Invocation) throws -> String {
        let name = invocation.arguments.value(CommandLineTool.hubOption.name) ?? machine
        guard LedgerHub.isName(name) else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(name))\" cannot name a hub",
                hint: "give --hub NAME with at most \(LedgerHub.nameMax) letters and digits, - . "
                    + "and _")
        }
        return name
    }

    private static var machine: String {
        var bytes = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&bytes, bytes.count - 1) == 0 else { return "" }
        let name = bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return String(decoding: name, as: UTF8.self)
    }
}

extension Workspace {
    func sharing(_ ledger: SQLiteLedger) throws -> RecordSharing? {
        try open.sharing(ledger)
    }

    /// Moves the record to a shared log and reports it.
    func share(_ address: String, as name: String, _ console: Console) throws {
        let ledger = try openLedger()
        let hub = try open.share(ledger, at: address, as: name)
        console.done(
            ["shared": true, "hub": .string(hub.name), "number": .integer(Int64(hub.number))],
            "the record is shared: this is hub \(hub.name); to add another machine: countersign "
                + "backup create FILE here, then countersign hub join FILE there")
    }

    /// Imports the entries of other hubs; returns the counts before and after, and a problem if
    /// any.
    func takeIn(
        _ ledger: SQLiteLedger
    ) throws -> (before: Int64, after: Int64, problem: CLIError?) {
        let before = try ledger.length().entries
        var problem: CLIError?
        do throws(LedgerError) { try ledger.catchUp() } catch { problem = CLIError(error) }
        if problem == nil, let retired = try sharing(ledger)?.hub.retired {
            problem = CLIError(
                "this hub was retired at \(retired.utcText): it can no longer write",
                hint: "join again from a backup of another hub: countersign hub join FILE")
        }
        let after = try ledger.length().entries
        return (before, after, problem)
    }
}

extension RecordSharing {
    /// The state of the shared record as text.
    var text: String {
        let count = hubs.count(where: \.isInUse)
        return """
            the record is shared by \(count) \(count == 1 ? "hub" : "hubs"); this is hub \
            \(VisibleText.escaped(hub.name)) (\(hub.number))
            log: \(VisibleText.escaped(serverText)), schema \(VisibleText.escaped(address.schema))
            """
    }
}
