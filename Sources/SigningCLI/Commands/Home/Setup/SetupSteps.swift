// SPDX-License-Identifier: Apache-2.0

import Nostr
import PolicyPresets
import SigningAgent
import SigningCore
import SigningService

/// The steps of `setup` behind the home; each runs commands that it shows.
struct SetupSteps {
    private let invocation: Invocation
    private let passphrase: KeptPassphrase
    private let questions: SetupQuestions

    init(_ invocation: Invocation, _ passphrase: KeptPassphrase) {
        self.invocation = invocation
        self.passphrase = passphrase
        questions = SetupQuestions(invocation)
    }

    private static let key = Option(name: "--key", value: "P", offers: .protocols)
    private static let imports = Option(name: "--import", value: nil)
    private static let name = Option(name: "--name", value: "NAME")
    private static let policy = Option(
        name: "--policy", value: "PRESET", offers: .fixed(PolicyPreset.all.map(\.name)))
    private static let browser = Option(
        name: "--browser", value: "NAME", offers: .fixed(Browser.allCases.map(\.rawValue)))
    private static let phone = Option(name: "--phone", value: "RELAYS")
    private static let phoneKey = Option(name: "--phone-key", value: "KEY", offers: .keys)
    private static let program = Option(name: "--program", value: "NAME")
    private static let web = Option(name: "--web", value: "PORT")

    static let options = [
        key, imports, name, policy, browser, phone, phoneKey, program, web,
    ]

    /// Takes the steps in order.
    func run() async throws {
        try await makeKey()
        try await choosePolicy()
        try await connectClients()
        let port = try await startAgent()
        invocation.console.note("done. Each command above can be run by itself, with --help.")
        invocation.console.note("  answer questions: countersign inbox")
        invocation.console.note("  make a backup: countersign backup create FILE")
        invocation.console.note(
            "  after a restart of the computer: countersign agent start"
                + (port.map { " --web \($0)" } ?? "") + place)
    }

    /// Shows a command and runs it.
    func perform(_ words: [String]) async throws {
        let line = words.map(Self.quoted).joined(separator: " ") + place
        invocation.console.note("run: countersign \(line)")
        let home = invocation.arguments.value("--home").map { ["--home", $0] } ?? []
        let status = try await CommandLineTool.run(words + home, within: invocation, passphrase)
        guard status == .done else {
            throw CLIError(
                "setup stops: countersign \(line) failed",
                hint: "mend that, then run countersign setup again")
        }
    }

    /// The option that names the home, if it was given, with a space before it.
    private var place: String {
        invocation.arguments.value("--home").map { " --home \(Self.quoted($0))" } ?? ""
    }

    /// A word as a shell reads it.
    private static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy {
            switch $0 {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                true
            default: "-_./:,@=+".utf8.contains($0)
            }
        }
        return plain && !word.isEmpty ? word : BrowserPlace.quoted(word)
    }

    private func makeKey() async throws {
        invocation.console.note("step 2 of 5: a key")
        let names = try invocation.workspace().accounts().map(\.name)
        if !names.isEmpty {
            let shown = names.prefix(Self.namesMax).joined(separator: ", ")
            invocation.console.note("there are \(names.count): \(shown)")
        }
        let chains = invocation.protocols.names
        let chosen = try questions.answer(
            Self.key, "protocol of a new key", offered: chains + ["none"],
            standard: names.isEmpty ? chains.first ?? "none" : "none")
        guard let chosen else {
            try refuse([Self.imports, Self.name], "without a new key", hint: "add --key P")
            return
        }
        let isKnown = try questions.isWished(
            Self.imports, "do you have the secret key already, and want to import it?")
        let name = try questions.answer(Self.name, "name of the key", standard: "main") ?? "main"
        try await perform(
            ["key", isKnown ? "import" : "new", "--protocol", chosen, "--name", name])
    }

    /// The maximum number of keys that are named.
    private static let namesMax = 10

    private func choosePolicy() async throws {
        invocation.console.note("step 3 of 5: the policy, which says what is signed unasked")
        for preset in PolicyPreset.all {
            invocation.console.note("\(preset.name): \(preset.summary)")
        }
        let chosen = try questions.answer(
            Self.policy, "a policy; none keeps the one in force",
            offered: PolicyPreset.all.map(\.name) + ["none"])
        if let chosen { try await perform(["policy", "use", chosen]) }
    }

    private func connectClients() async throws {
        invocation.console.note("step 4 of 5: the clients that may ask")
        let browsers = Browser.allCases.map(\.rawValue)
        let browser = try questions.answer(
            Self.browser, "a browser on this computer", offered: browsers + ["none"])
        if let browser {
            try await perform(["browser", "install", "--browser", browser])
            let tokens = try invocation.workspace().perform(OwnerActs.tokenList, true)
            try await perform([
                "agent", "token", "new", "--browser", "--name",
                Self.free(browser, among: tokens.map(\.name)),
            ])
        }
        try await connectPhone()
        let program = try questions.answer(Self.program, "a program or bot: a name for it")
        if let program { try await perform(["agent", "token", "new", "--name", program]) }
    }

    /// Refuses options of a question that is not asked.
    private func refuse(_ options: [Option], _ condition: String, hint: String) throws {
        guard let given = options.first(where: { invocation.arguments.has($0.name) }) else {
            return
        }
        throw CLIError.usage("\(given.name) has no effect \(condition)", hint: hint)
    }

    /// Makes a connection over relays, if there is a Nostr key.
    private func connectPhone() async throws {
        let workspace = try invocation.workspace()
        let keys = try workspace.accounts().filter { $0.protocolID == .nostr }.map(\.name)
        guard let first = keys.first else {
            try refuse([Self.phone], "without a Nostr key", hint: "add --key nostr")
            return
        }
        let relays = try questions.answer(
            Self.phone, "a phone: the addresses of two relays, with a comma between them")
        guard let relays else {
            try refuse([Self.phoneKey], "without a phone", hint: "add --phone RELAYS")
            return
        }
        let key = try questions.answer(
            Self.phoneKey, "its key", offered: keys, standard: first)
        let names = try workspace.perform(OwnerActs.bunkerList, ()).map(\.name)
        try await perform([
            "bunker", "new", "--name", Self.free("phone", among: names), "--key", key ?? first,
            "--relays", relays,
        ])
    }

    /// A name that is not taken: the given one, or it with a number.
    private static func free(_ name: String, among taken: [String]) -> String {
        guard taken.contains(name) else { return name }
        var number = 2
        while taken.contains("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }

    /// Starts the agent unless one runs; returns its port for browsers.
    private func startAgent() async throws -> String? {
        invocation.console.note("step 5 of 5: the agent, which answers clients in the background")
        let home = try invocation.environment.home(invocation.arguments)
        guard try AgentFinding.presence(in: home) == .none else {
            try refuse([Self.web], "while an agent runs", hint: "countersign agent stop")
            invocation.console.note("it runs")
            return nil
        }
        let port = try questions.answer(
            Self.web, "port of the agent for browsers", standard: "7160")
        try await perform(["agent", "start"] + (port.map { ["--web", $0] } ?? []))
        return port
    }
}
