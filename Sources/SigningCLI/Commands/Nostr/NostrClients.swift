// SPDX-License-Identifier: Apache-2.0

import BuiltInProtocols
import Nostr
import SigningCodecs
import SigningCore
import SigningService
import SigningVault

extension CommandLineTool {
    static let nostrClient = Command(
        name: "nostr client",
        options: [
            Option(
                name: "--accounts", value: "NAMES", offers: .stored(.keys(NostrChain.protocolID))),
            Option(name: "--forget", value: nil),
        ], operands: 0...1,
        summary: "set the keys that a client can use",
        usage: """
            usage: countersign nostr client [--accounts NAMES | --forget] [NAME]

            Shows which Nostr keys each client can use, or sets them for the client NAME, after the
            passphrase. NAMES, separated by commas, are the only keys that the client can use. It
            gets the first of them, unless a person chose another when the client asked for the
            public key. --forget lets the client use every key again. A client of a bunker uses the
            key of its connection. The rules in policy.toml say what a client may do.

            example: countersign nostr client --accounts work https://app.example
            """
    ) { invocation in
        let name = invocation.arguments.operands.first.map { ClientIdentity(claim: $0).id }
        let isChange = try checkNostrOptions(invocation.arguments, name)
        let workspace = try invocation.workspace(toChange: isChange)
        var clients = try NostrClients(in: workspace.vault)
        guard let name, isChange else {
            put(clients, of: name, invocation.console)
            return .done
        }
        var names: [String]?
        if let text = invocation.arguments.value("--accounts"), text != "all" {
            let known = try workspace.accounts().filter { $0.protocolID == NostrChain.protocolID }
            names = try keyNames(text, among: known, "Nostr")
        }
        let passphrase = try invocation.passphrase().read(
            to: "change the settings of the client \"\(VisibleText.quotable(name))\"")
        clients.names[name] = names
        let text = try clients.text()
        try workspace.change(with: passphrase) { vault in
            try vault.setSetting(NostrClients.setting, to: text)
        }
        put(clients, of: name, invocation.console)
        return .done
    }

    /// Refuses client settings without a client.
    private static func checkNostrOptions(_ arguments: Arguments, _ name: String?) throws -> Bool {
        let given = ["--accounts", "--forget"].filter(arguments.has)
        guard let first = given.first else { return false }
        guard let name, !name.isEmpty else {
            throw CLIError.usage(
                "\(first) needs the name of a client",
                hint: "write the name of the client at the end")
        }
        guard given.count == 1 else {
            throw CLIError.usage(
                "--forget gives the client every key, so it does not go with --accounts",
                hint: "leave out --accounts or --forget")
        }
        return true
    }

    private static func put(_ clients: NostrClients, of name: String?, _ console: Console) {
        guard !console.isJSON else {
            console.put(clients.json(of: name).write())
            return
        }
        let rows = clients.names.filter { name == nil || $0.key == name }.sorted { $0.key < $1.key }
        if rows.isEmpty {
            console.note(
                name == nil
                    ? "no client has a setting: each can get every key" : "it can get every key")
        }
        for (name, keys) in rows {
            console.put(VisibleText.escaped(name))
            console.put("  accounts  \(keys.joined(separator: ", "))")
        }
    }
}
