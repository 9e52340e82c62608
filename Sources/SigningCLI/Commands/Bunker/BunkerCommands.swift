// SPDX-License-Identifier: Apache-2.0

import NIP46
import SigningAgent
import SigningCodecs
import SigningCore
import SigningCrypto
import SigningFiles
import SigningNetwork
import SigningService

extension CommandLineTool {
    static let bunkerCommands = [
        bunkerNew, bunkerConnect, bunkerList, bunkerShow, bunkerRelays, bunkerProxy, bunkerRevoke,
        bunkerDiscovery,
    ]

    private static let bunkerNew = Command(
        name: "bunker new",
        options: [
            Option(name: "--name", value: "NAME"),
            Option(name: "--key", value: "KEY", offers: .keys),
            Option(name: "--relays", value: "URLS"), Option(name: "--perms", value: "LIST"),
        ], operands: 0...0,
        summary: "make a connection, print its URI and QR code",
        usage: """
            usage: countersign bunker new --relays URLS [--name NAME] [--key KEY] [--perms LIST]

            Makes a connection for one Nostr client (NIP-46), after the passphrase, and prints the
            bunker:// URI for the client and its QR code. The URI works for one client and for one
            day. URLS are relays, separated by commas: wss://, or ws:// on this machine and for
            .onion relays, which need "bunker proxy". KEY is the
            key that the client uses; it is needed only if there are several Nostr keys. NAME is
            your name for the connection. LIST is the permissions that you are asked to grant when
            the client connects: methods separated by commas, sign_event with a kind, such as
            sign_event:1. "countersign agent" answers the client.

            example: countersign bunker new --name laptop --relays wss://relay.example
            """
    ) { invocation in
        let arguments = invocation.arguments
        let relays = try BunkerInput.relays(try arguments.required("--relays"))
        let perms = try BunkerInput.perms(arguments.value("--perms") ?? "")
        let workspace = try invocation.workspace(toChange: true)
        let account = try BunkerInput.account(arguments.value("--key"), workspace)
        let passphrase = try invocation.passphrase().read(
            to: "let a client use \"\(account.name)\"")
        let (connection, uri) = try workspace.open.offerConnection(
            arguments.value("--name"), to: account, over: relays, perms: perms,
            passphrase: passphrase)
        let console = invocation.console
        await BunkerInput.warnOfUnreachableRelays(invocation)
        guard !console.isJSON else {
            let json: JSON = [
                "name": .string(connection.name), "signer": .string(connection.signer),
                "uri": .string(uri.text),
            ]
            console.put(json.write())
            return .done
        }
        console.put(uri.text)
        if !invocation.arguments.has("--quiet") {
            for row in TerminalQR.rows(uri.text) ?? [] { console.put(row) }
            console.note("give the URI to one client within a day: \(connection.name)")
        }
        return .done
    }

    private static let bunkerConnect = Command(
        name: "bunker connect",
        options: [
            Option(name: "--name", value: "NAME"),
            Option(name: "--key", value: "KEY", offers: .keys),
        ],
        operands: 1...1,
        summary: "connect a client that shows a URI",
        usage: """
            usage: countersign bunker connect [--name NAME] [--key KEY] URI

            Connects a Nostr client that shows a nostrconnect:// URI, after the passphrase. The
            agent answers it over the relays in the URI. The client has one day to connect.

            example: countersign bunker connect --name phone "nostrconnect://..."
            """
    ) { invocation in
        let arguments = invocation.arguments
        let text = try invocation.operand(0)
        let uri = try BunkerInput.naming("the URI") { () throws(NIP46Refusal) in
            try NostrConnectURI(text)
        }
        let workspace = try invocation.workspace(toChange: true)
        let account = try BunkerInput.account(arguments.value("--key"), workspace)
        let client = VisibleText.quotable(uri.metadata?.name ?? uri.client)
        let passphrase = try invocation.passphrase().read(
            to: "let \"\(client)\" use \"\(account.name)\"")
        let connection = try workspace.open.acceptConnection(
            arguments.value("--name"), of: uri, to: account, passphrase: passphrase)
        await BunkerInput.warnOfUnreachableRelays(invocation)
        let lost = uri.relays.filter { !connection.relays.contains($0) }
        let dropped =
            uri.dropped + lost.map { "the relay \($0.text): it needs \"bunker proxy\"" }
        for dropped in dropped { invocation.console.note("not used: \(dropped)") }
        invocation.console.done(
            [
                "name": .string(connection.name), "signer": .string(connection.signer),
                "dropped": .array(dropped.map { .string($0) }),
            ],
            "the agent answers the client: \(connection.name)")
        return .done
    }

    private static let bunkerList = Command(
        of: OwnerActs.bunkerList, operands: 0...0,
        usage: """
            usage: countersign bunker list

            Lists the connections over relays: name, state, key, and the name that the client gives
            itself. The states are offered (no client has used the URI), invited (the client has no
            answer yet) and connected. Needs no passphrase.

            example: countersign bunker list --json
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let report = try BunkerReport(workspace)
        guard !invocation.console.isJSON else {
            invocation.console.put(JSON.array(report.connections.map(report.json)).write())
            return .done
        }
        if report.connections.isEmpty { invocation.console.note("no connection") }
        for connection in report.connections { invocation.console.put(report.line(connection)) }
        return .done
    }

    private static let bunkerShow = Command(
        name: "bunker show", options: [], operands: 1...1,
        operandOffers: [.stored(.subjects(.bunker))],
        summary: "show everything about a connection",
        usage: """
            usage: countersign bunker show NAME

            Shows everything about one connection: the public key of the client, which rules use as
            its name; the public key of the signer for this connection; the relays; and what the
            client claims about itself. Needs no passphrase.

            example: countersign bunker show laptop
            """
    ) { invocation in
        let workspace = try invocation.workspace()
        let name = try invocation.operand(0)
        let connection = try workspace.open.bunkerConnection(named: name)
        let report = try BunkerReport(workspace)
        guard !invocation.console.isJSON else {
            invocation.console.put(report.json(connection).write())
            return .done
        }
        for line in report.lines(connection) { invocation.console.put(line) }
        return .done
    }

    private static let bunkerRelays = Command(
        name: "bunker relays", options: [], operands: 2...2,
        operandOffers: [.stored(.subjects(.bunker))],
        summary: "change the relays of a connection",
        usage: """
            usage: countersign bunker relays NAME URLS

            Changes the relays of a connection to URLS, separated by commas, after the passphrase.
            The client learns the new relays when it asks for them (switch_relays). For one day the
            agent also listens on the old relays.

            example: countersign bunker relays laptop wss://one.example,wss://two.example
            """
    ) { invocation in
        let relays = try BunkerInput.relays(try invocation.operand(1))
        let workspace = try invocation.workspace(toChange: true)
        let name = try invocation.operand(0)
        let connection = try workspace.open.bunkerConnection(named: name)
        let passphrase = try invocation.passphrase().read(
            to: "change the relays of \"\(connection.name)\"")
        try workspace.open.setRelays(relays, of: connection.name, passphrase: passphrase)
        invocation.console.done(
            ["name": .string(connection.name)],
            "\(connection.name) now uses \(relays.map(\.text).joined(separator: ", "))")
        return .done
    }

    private static let bunkerRevoke = Command(
        of: OwnerActs.bunkerRevoke, operands: 1...1,
        usage: """
            usage: countersign bunker revoke NAME

            Ends a connection, after the passphrase: its key is deleted and the permissions of its
            client are revoked. The record keeps its entries.

            example: countersign bunker revoke laptop
            """
    ) { invocation in
        let workspace = try invocation.workspace(toChange: true)
        let name = try invocation.operand(0)
        let connection = try workspace.open.bunkerConnection(named: name)
        let passphrase = try invocation.passphrase().read(
            to: "end the connection \"\(connection.name)\"")
        try workspace.perform(OwnerActs.bunkerRevoke, connection.name, with: passphrase)
        invocation.console.done(
            ["revoked": .string(connection.name)], "ended \(connection.name)")
        return .done
    }
}

/// Parses the options of these commands.
enum BunkerInput {
    static func relays(_ text: String) throws -> [RelayAddress] {
        try naming("the relays") { () throws(NIP46Refusal) in
            try RelayAddress.list(text.split(separator: ",").map(String.init))
        }
    }

    /// The reason for which a text is no list of relays; nil if it is one.
    static func problem(ofRelays text: String) -> String? {
        do {
            _ = try relays(text)
            return nil
        } catch {
            return CLIError(error).message
        }
    }

    static func perms(_ text: String) throws -> String {
        let entries = try naming("--perms") { () throws(NIP46Refusal) in
            try NIP46Permissions.read(text)
        }
        guard NIP46Permissions.known(entries).count == entries.count else {
            throw CLIError.usage(
                "--perms names a method that cannot be granted, or names one twice",
                hint: "write a list such as --perms sign_event:1,nip44_encrypt")
        }
        return text
    }

    /// Warns if the running agent cannot reach relays because its sandbox has no networks.
    static func warnOfUnreachableRelays(_ invocation: Invocation) async {
        let library = RuntimeLibrary.webSockets
        guard library.isUsable else {
            return invocation.console.warn(
                "no relay can be reached: \(library.name) is missing", hint: library.hint)
        }
        guard let home = try? invocation.environment.home(invocation.arguments),
            case .serving(_, _)? = try? AgentFinding.presence(in: home),
            let status = try? await AgentFinding.client(
                home,
                { client in
                    try await client.status().json
                }),
            status["sandbox"]?["text"]?.text?.contains("networks: none") == true
        else { return }
        invocation.console.warn(
            "the running agent does not use relays: it had no connection over relays when it "
                + "started",
            hint: "restart it: countersign agent stop, then countersign agent start")
    }

    /// The key with a name, or the only Nostr key.
    static func account(_ name: String?, _ workspace: Workspace) throws -> Account {
        if let name { return try workspace.account(named: name) }
        let keys = try workspace.accounts().filter { $0.protocolID.name == "nostr" }
        guard let only = keys.first else {
            throw CLIError(
                "this home has no Nostr key",
                hint: "make one: countersign key new --protocol nostr --name NAME")
        }
        guard keys.count == 1 else {
            throw CLIError.usage(
                "this home has several Nostr keys",
                hint: "choose one: --key \(keys.map(\.name).joined(separator: " or --key "))")
        }
        return only
    }

    static func naming<Value>(
        _ what: String, _ read: () throws(NIP46Refusal) -> Value
    ) throws -> Value {
        do throws(NIP46Refusal) { return try read() } catch {
            guard case .invalid(let text) = error else {
                throw CLIError.usage("\(what) cannot be read", hint: "see --help")
            }
            throw CLIError.usage("\(what) cannot be used: \(text)", hint: "see --help")
        }
    }
}

/// Connections as text and as JSON.
struct BunkerReport {
    let connections: [BunkerConnection]
    private let names: [KeyID: String]
    private let now = SystemEnvironment().now()

    init(_ workspace: Workspace) throws {
        connections = try workspace.perform(OwnerActs.bunkerList, ())
        names = Dictionary(
            try workspace.accounts().map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
    }

    private func key(_ connection: BunkerConnection) -> String {
        names[connection.account] ?? "(gone)"
    }

    private func state(_ connection: BunkerConnection) -> String {
        connection.hasExpired(at: now) ? "expired" : connection.state.rawValue
    }

    func line(_ connection: BunkerConnection) -> String {
        let claimedName = connection.metadata?.name.map { "\"\(VisibleText.quotable($0))\"" }
        let client = claimedName ?? connection.client.map { String($0.prefix(16)) }
        return [
            VisibleText.escaped(connection.name), state(connection),
            VisibleText.escaped(key(connection)), client ?? "-",
        ].joined(separator: "  ")
    }

    func lines(_ connection: BunkerConnection) -> [String] {
        let metadata = connection.metadata
        let rows: [(String, String?)] = [
            ("state", state(connection)), ("key", VisibleText.escaped(key(connection))),
            ("client", connection.client), ("says it is", Self.quoted(metadata?.name)),
            ("its page", Self.quoted(metadata?.url)), ("signer", connection.signer),
            ("relays", connection.relays.map(\.text).joined(separator: ", ")),
            ("offers", connection.perms.isEmpty ? nil : connection.perms),
            ("made", connection.created.utcText),
        ]
        return [VisibleText.escaped(connection.name)]
            + rows.compactMap { label, text in
                text.map { text in
                    let pad = String(repeating: " ", count: 12 - label.utf8.count)
                    return "  \(label)\(pad)\(text)"
                }
            }
    }

    /// A client's text in quotes, escaped so that it cannot end the quotes.
    private static func quoted(_ text: String?) -> String? {
        text.map { "\"\(VisibleText.quotable($0))\"" }
    }

    func json(_ connection: BunkerConnection) -> JSON {
        func text(_ value: String?) -> JSON { value.map { .string($0) } ?? .null }
        return [
            "name": .string(connection.name), "state": .string(state(connection)),
            "key": .string(key(connection)), "client": text(connection.client),
            "client_name": text(connection.metadata?.name),
            "client_url": text(connection.metadata?.url), "signer": .string(connection.signer),
            "relays": .array(connection.relays.map { .string($0.text) }),
            "perms": .string(connection.perms), "made": .string(connection.created.utcText),
        ]
    }
}
