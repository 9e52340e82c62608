// SPDX-License-Identifier: Apache-2.0

import ARC27
import Algorand
import BuiltInProtocols
import SigningCodecs
import SigningCore
import SigningPolicy
import SigningService
import SigningVault

extension ARC27ClientSettings {
    /// Reads the settings from a command line.
    mutating func read(_ arguments: Arguments, _ known: [Account]) throws {
        if let text = arguments.value("--stxns") {
            guard let dialect = Dialect(rawValue: text) else {
                throw CLIError.usage(
                    "unknown --stxns \"\(VisibleText.quotable(text))\"",
                    hint: "one of: arc27, signature")
            }
            stxns = dialect
        }
        if let text = arguments.value("--messages") {
            guard let mode = AlgorandMessageMode(rawValue: text) else {
                throw CLIError.usage(
                    "unknown --messages \"\(VisibleText.quotable(text))\"",
                    hint: "one of: mx, raw")
            }
            messages = mode
        }
        if let text = arguments.value("--accounts") {
            accounts =
                text == "all"
                ? nil
                : try CommandLineTool.keyNames(
                    text, among: known.filter { $0.protocolID == .algorand }, "Algorand")
        }
    }
}

extension CommandLineTool {
    /// The names of keys in `--accounts`, each once; throws if the home does not hold one of them.
    static func keyNames(
        _ text: String, among accounts: [Account], _ chain: String
    ) throws -> [String] {
        let known = accounts.map(\.name)
        var names: [String] = []
        for name in text.split(separator: ",").map(String.init) where !names.contains(name) {
            names.append(name)
        }
        guard !names.isEmpty else {
            throw CLIError.usage(
                "--accounts is empty", hint: "write names separated by commas, or all")
        }
        for name in names where !known.contains(name) {
            let near = Suggestion.closest(to: name, among: known)
            throw CLIError(
                "unknown \(chain) key \"\(VisibleText.quotable(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" } ?? "see \"countersign key list\"")
        }
        return names
    }

    static let algorandClient = Command(
        name: "algorand client",
        options: [
            Option(name: "--stxns", value: "FORM", offers: .fixed(["arc27", "signature"])),
            Option(name: "--messages", value: "MODE", offers: .fixed(["mx", "raw"])),
            Option(name: "--accounts", value: "NAMES", offers: .stored(.keys(.algorand))),
            Option(name: "--forget", value: nil),
        ], operands: 0...1,
        summary: "set the keys and answer forms of a client",
        usage: """
            usage: countersign algorand client [OPTION...] [NAME]

            options: --stxns FORM, --messages MODE, --accounts NAMES, --forget

            Shows the clients of Algorand that have other settings than the default, or changes the
            settings of the client NAME, after the passphrase. FORM is the answer to
            sign_transactions: arc27 (whole signed transactions) or signature (bare signatures).
            MODE is how sign_message signs: mx (the text with the prefix "MX") or raw (the text
            alone). NAMES, separated by commas, are the only keys that a client with this name can
            see and use; "all" removes that limit. --forget resets all settings. The rules in
            policy.toml say what a client may do.

            example: countersign algorand client --stxns signature https://app.example
            """
    ) { invocation in
        let name = invocation.arguments.operands.first.map { ClientIdentity(claim: $0).id }
        let isChange = try checkOptions(invocation.arguments, name)
        let workspace = try invocation.workspace(toChange: isChange)
        var clients = try AlgorandClients(in: workspace.vault)
        guard let name, isChange else {
            put(clients, of: name, invocation.console)
            return .done
        }
        let passphrase = try invocation.passphrase().read(
            to: "change the settings of the client \"\(VisibleText.quotable(name))\"")
        if invocation.arguments.has("--forget") {
            clients.settings[name] = nil
        } else {
            var settings = clients.settings[name] ?? ARC27ClientSettings()
            try settings.read(invocation.arguments, try workspace.accounts())
            clients.settings[name] = settings == ARC27ClientSettings() ? nil : settings
        }
        let text = try clients.text()
        try workspace.change(with: passphrase) { vault in
            try vault.setSetting(AlgorandClients.setting, to: text)
        }
        put(clients, of: name, invocation.console)
        return .done
    }

    /// Refuses client settings without a client.
    private static func checkOptions(_ arguments: Arguments, _ name: String?) throws -> Bool {
        let given = ["--stxns", "--messages", "--accounts", "--forget"].filter(arguments.has)
        guard let first = given.first else { return false }
        guard let name, !name.isEmpty else {
            throw CLIError.usage(
                "\(first) needs the name of a client",
                hint: "write the name of the client at the end")
        }
        guard !arguments.has("--forget") || given.count == 1 else {
            throw CLIError.usage(
                "--forget resets all settings, so it does not go with \(first)",
                hint: "leave out \(first)")
        }
        return true
    }

    private static func put(_ clients: AlgorandClients, of name: String?, _ console: Console) {
        let rows = clients.settings.filter { name == nil || $0.key == name }
            .sorted { $0.key < $1.key }
        guard !console.isJSON else {
            let members = rows.map { JSONObject.Member(name: $0.key, value: $0.value.json) }
            console.put(JSON.object(JSONObject(members)).write())
            return
        }
        if rows.isEmpty {
            console.note(name == nil ? "every client has the default settings" : "default settings")
        }
        for (name, settings) in rows {
            let accounts = settings.accounts.map { $0.joined(separator: ", ") } ?? "all"
            console.put(VisibleText.escaped(name))
            console.put("  stxns     \(settings.stxns?.rawValue ?? "as usual")")
            console.put("  messages  \(settings.messages.rawValue)")
            console.put("  accounts  \(accounts)")
        }
    }
}
