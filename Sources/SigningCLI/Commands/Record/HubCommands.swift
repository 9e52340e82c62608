// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import SigningFiles
import SigningPolicy
import SigningService
import SigningStorage

extension CommandLineTool {
    static let hubCommands = [hubList, hubJoin, hubInvite, hubCompare, hubRetire]

    private static let hubList = Command(
        name: "hub list", options: [], operands: 0...0,
        summary: "list the machines that share the record",
        usage: """
            usage: countersign hub list

            Lists the hubs that share this record, or shared it before: number, name, the number of
            entries when it joined, when it was retired, and whether it is the hub of an approver,
            which only answers questions.

            example: countersign hub list --json
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let ledger = try workspace.openLedger()
        let (_, _, problem) = try workspace.takeIn(ledger)
        if let problem {
            invocation.console.warn(
                problem.message,
                hint: "this is the state that this home saw last")
        }
        let sharing = try workspace.sharing(ledger)
        let hubs = try ledger.hubs()
        guard !invocation.console.isJSON else {
            let rows = hubs.map { $0.json(isOwn: $0.number == sharing?.hub.number) }
            invocation.console.put(JSON.array(rows).write())
            return .done
        }
        for hub in hubs {
            let note =
                (hub.answersOnly ? "  only answers questions" : "")
                + (hub.number == sharing?.hub.number ? "  this hub" : "")
            let state = hub.retired.map { "retired \($0.utcText)" } ?? "since entry \(hub.joined)"
            invocation.console.put(
                "\(hub.number)  \(VisibleText.escaped(hub.name))  \(state)\(note)")
        }
        if hubs.isEmpty { invocation.console.note("this record is not shared") }
        return .done
    }

    private static let hubJoin = Command(
        name: "hub join", options: [hubOption], operands: 1...1,
        summary: "join the record from a backup of another hub",
        usage: """
            usage: countersign hub join FILE [--hub NAME]

            Makes a home from a backup of a hub, with the passphrase that the vault had when the
            backup was made, and joins the log of that hub as another hub. The new home has the
            keys, the policy and the passphrase of the backup, but another name and log key. The
            home must not exist yet. The password file and the certificates that the address names
            have to be on this machine too.

            example: countersign hub join hub.backup --hub office-2
            """
    ) { invocation in
        let name = try HubName.of(invocation)
        let path = try invocation.environment.home(invocation.arguments)
        let source = try invocation.operand(0)
        try OpenHome.refuseTaken(path)
        let passphrase = try invocation.passphrase().read(to: "open the backup")
        var joined: LedgerHub?
        _ = try OpenHome.make(at: path) { home in
            joined = try join(home, from: source, as: name, passphrase, invocation)
        }
        guard let joined else {
            throw CLIError(
                "an earlier command had almost finished a home in \(path): it is complete now",
                hint: "nothing was joined; look at it with \"countersign ledger status\"")
        }
        invocation.console.done(
            [
                "home": .string(path), "hub": .string(joined.name),
                "number": .integer(Int64(joined.number)),
            ],
            "the home \(path) is hub \(joined.name), number \(joined.number); next: "
                + "countersign doctor")
        return .done
    }

    private static func join(
        _ home: Home, from source: String, as name: String, _ passphrase: borrowing SecretBytes,
        _ invocation: Invocation
    ) throws -> LedgerHub {
        let rehearsal = try BackupRehearsal(of: source, in: home, invocation.protocols, passphrase)
        try rehearsal.checkIsSound(hint: "no home was made; use an intact backup")
        let workspace = try Workspace(path: home.path, invocation.protocols)
        try workspace.unlock(passphrase)
        let ledger = try workspace.openLedger()
        guard try workspace.sharing(ledger) != nil else {
            throw CLIError(
                "the backup is of a home that does not share its record",
                hint: "share the record on that machine first: countersign ledger move ADDRESS")
        }
        let hub = try ledger.join(as: name, at: SystemEnvironment().now())
        workspace.checkpointIfSound(ledger, invocation.console)
        return hub
    }

    private static let hubRetire = Command(
        name: "hub retire", options: [Confirmation.option], operands: 1...1,
        summary: "retire a hub: it can no longer write",
        usage: """
            usage: countersign hub retire NAME [--confirm NAME]

            Retires a hub permanently, after the passphrase: it can no longer write to the shared
            record, so it signs nothing from then on. The hub keeps its copy of the record and its
            keys: if it was stolen, change these keys as well.

            example: countersign hub retire office-2
            """
    ) { invocation in
        let workspace = try invocation.workspace(toWrite: true)
        let ledger = try workspace.openLedger()
        let name = try invocation.operand(0)
        let (_, _, problem) = try workspace.takeIn(ledger)
        if let problem { throw problem }
        let hubs = try ledger.hubs()
        guard let hub = hubs.first(where: { $0.name == name && $0.retired == nil }) else {
            let near = Suggestion.closest(
                to: name, among: hubs.filter { $0.retired == nil }.map(\.name))
            throw CLIError(
                "unknown hub \"\(VisibleText.quotable(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" } ?? "see \"countersign hub list\"")
        }
        try Confirmation(of: name, before: "\(name) was not retired").read(invocation) {
            "hub \(name) will never sign again"
        }
        try workspace.unlock(try invocation.passphrase().read(to: "retire the hub \"\(name)\""))
        try ledger.retire(hub: hub.number, at: SystemEnvironment().now())
        invocation.console.done(["retired": .string(name)], "retired: \(name)")
        workspace.checkpointIfSound(ledger, invocation.console)
        return .done
    }
}

extension LedgerHub {
    fileprivate func json(isOwn: Bool) -> JSON {
        [
            "number": .integer(Int64(number)), "name": .string(name),
            "public_key": .string(Hex.encode(publicKey.span)), "joined": .integer(joined),
            "retired": retired.map { .string($0.utcText) } ?? .null,
            "answers_only": .bool(answersOnly), "this": .bool(isOwn),
        ]
    }
}
