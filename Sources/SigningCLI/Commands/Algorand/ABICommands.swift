// SPDX-License-Identifier: Apache-2.0

import Algorand
import BuiltInProtocols
import SigningCodecs
import SigningCore
import SigningPolicy
import SigningService
import SigningVault

extension CommandLineTool {
    static let abiCommands = [abiAdd, abiList, abiRemove]

    private static let abiAdd = Command(
        name: "abi add",
        options: [
            Option(name: "--name", value: "NAME"), Option(name: "--app", value: "ID"),
            Option(
                name: "--network", value: "NETWORK", offers: .networks),
        ], operands: 1...1,
        summary: "add a file that names the methods of an Algorand app",
        usage: """
            usage: countersign abi add [OPTION...] FILE

            options: --name NAME, --app ID, --network NETWORK

            Adds a file of ARC-4, ARC-32 or ARC-56, after the passphrase. From then on questions
            show calls of its app in words, by the file NAME (default: the name in the file). The
            bytes stay in the question, and no rule, danger or verdict depends on the words: an app
            can do other things than its file says. --app names the app on NETWORK, mainnet (the
            default) or testnet, if the file does not.

            example: countersign abi add --app 1002541853 dex.arc56.json
            """
    ) { invocation in
        let source = try invocation.operand(0)
        var contract = try contract(from: source)
        try setApp(of: &contract, invocation)
        guard !contract.apps.isEmpty else {
            throw CLIError(
                "the file names no app on a network",
                hint: "add --app ID, and --network testnet if it is not on mainnet")
        }
        let name = invocation.arguments.value("--name") ?? contract.name
        guard AlgorandABIs.isName(name) else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(name, countMax: 64))\" cannot be the name of a file here",
                hint: "give --name with up to \(AlgorandABIs.nameCountMax) letters, digits, . _ -")
        }
        let workspace = try invocation.workspace(toChange: true)
        try checkRoom(for: contract, name, among: AlgorandABIs.files(in: workspace.vault))
        let text = contract.text
        guard text.utf8.count <= Vault.settingBytesMax else {
            throw CLIError(
                "the methods need more than \(Vault.settingBytesMax) bytes",
                hint: "leave out methods that you do not call")
        }
        let passphrase = try invocation.passphrase().read(to: "add the file \"\(name)\"")
        try workspace.change(with: passphrase) { vault in
            try vault.setSetting(AlgorandABIs.setting(name), to: text)
        }
        invocation.console.done(
            ["added": .string(name), "methods": .integer(Int64(contract.methodCount))],
            "added: \(name), with \(contract.methodsText)")
        return .done
    }

    private static func contract(from source: String) throws -> ABIContract {
        do throws(ABIFileError) {
            return try ABIContract(try read(source))
        } catch {
            switch error {
            case .invalid(let reason):
                throw CLIError(
                    VisibleText.escaped(reason),
                    hint: "give the file of the app in the form of ARC-4, ARC-32 or ARC-56")
            }
        }
    }

    private static func read(_ source: String) throws(ABIFileError) -> [UInt8] {
        do {
            return try Source.read(source)
        } catch {
            throw .invalid(CLIError(error).message)
        }
    }

    private static func setApp(of contract: inout ABIContract, _ invocation: Invocation) throws {
        let arguments = invocation.arguments
        guard let text = arguments.value("--app") else {
            guard arguments.value("--network") == nil else {
                throw CLIError.usage("--network needs --app", hint: "write --app ID too")
            }
            return
        }
        guard let app = UInt64(text), app > 0, String(app) == text else {
            throw CLIError.usage(
                "\"\(VisibleText.quotable(text))\" is not the id of an app",
                hint: "write --app with the number of the app")
        }
        let name = arguments.value("--network") ?? "mainnet"
        contract.setApp(app, on: try AlgorandNodes.network(named: name, invocation))
    }

    /// Throws unless the file has a name of its own and an app that no other file names.
    private static func checkRoom(
        for contract: ABIContract, _ name: String, among files: ABIFiles
    ) throws {
        let others = files.contracts
        guard others[name] == nil else {
            throw CLIError(
                "there is a file \"\(name)\" already",
                hint: "countersign abi remove \(name), or give --name")
        }
        guard others.count < ABIFiles.countMax else {
            throw CLIError(
                "there are \(ABIFiles.countMax) files already",
                hint: "remove one: countersign abi remove NAME")
        }
        for (other, known) in others.sorted(by: { $0.key < $1.key }) {
            guard known.apps.contains(where: { contract.apps[$0.key] == $0.value }) else {
                continue
            }
            throw CLIError(
                "the file \"\(other)\" names the same app", hint: "countersign abi remove \(other)")
        }
    }

    private static let abiList = Command(
        name: "abi list", options: [], operands: 0...0,
        summary: "list the ABI files",
        usage: """
            usage: countersign abi list

            Lists the files that were added: the name, the apps, and the number of methods.

            example: countersign abi list --json
            """
    ) { invocation in
        let vault = try invocation.workspace().vault
        let files = try AlgorandABIs.files(in: vault).contracts.sorted { $0.key < $1.key }
        let networks = AlgorandNodes.networks + (try AddedNetworks(in: vault)).algorand
        guard !invocation.console.isJSON else {
            let rows = files.map { name, contract -> JSON in
                let apps = contract.appRows(among: networks).map { row -> JSON in
                    ["network": .string(row.network), "app": .string(String(row.app))]
                }
                return [
                    "name": .string(name), "title": .string(contract.name),
                    "apps": .array(apps), "methods": .integer(Int64(contract.methodCount)),
                ]
            }
            invocation.console.put(JSON.array(rows).write())
            return .done
        }
        for (name, contract) in files {
            let apps = contract.appRows(among: networks).map { "app \($0.app) on \($0.network)" }
            invocation.console.put(
                "\(name)  \(apps.joined(separator: ", "))  \(contract.methodsText)")
        }
        if files.isEmpty { invocation.console.note("no file was added") }
        return .done
    }

    private static let abiRemove = Command(
        name: "abi remove", options: [], operands: 1...1,
        summary: "remove an ABI file",
        usage: """
            usage: countersign abi remove NAME

            Removes a file, after the passphrase. Questions show the calls of its app as bytes only.

            example: countersign abi remove dex
            """
    ) { invocation in
        let name = try invocation.operand(0)
        let workspace = try invocation.workspace(toChange: true)
        let known = try AlgorandABIs.names(in: workspace.vault)
        guard known.contains(name) else {
            throw CLIError(
                "unknown file \"\(VisibleText.quotable(name))\"",
                hint: Suggestion.closest(to: name, among: known).map { "did you mean \"\($0)\"?" }
                    ?? "see \"countersign abi list\"")
        }
        let passphrase = try invocation.passphrase().read(to: "remove the file \"\(name)\"")
        try workspace.change(with: passphrase) { vault in
            try vault.setSetting(AlgorandABIs.setting(name), to: nil)
        }
        invocation.console.done(["removed": .string(name)], "removed: \(name)")
        return .done
    }
}

extension ABIContract {
    fileprivate var methodsText: String { "\(methodCount) method\(methodCount == 1 ? "" : "s")" }

    /// The applications by network, sorted; an unknown network has its genesis hash as name.
    fileprivate func appRows(
        among networks: [AlgorandNetwork]
    ) -> [(network: String, app: UInt64)] {
        apps.map { hash, app in
            let network = networks.first { $0.genesisHash == hash }
            return (network?.policyName ?? Base64.encode(hash.span), app)
        }.sorted { $0.network < $1.network }
    }
}
