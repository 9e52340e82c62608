// SPDX-License-Identifier: Apache-2.0

import PolicyPresets
import SigningAgent
import SigningCore
import SigningService

/// The steps of `setup` behind the home; each runs commands that it shows.
struct SetupSteps {
    let invocation: Invocation
    private let passphrase: KeptPassphrase
    let questions: SetupQuestions

    init(_ invocation: Invocation, _ passphrase: KeptPassphrase) {
        self.invocation = invocation
        self.passphrase = passphrase
        questions = SetupQuestions(invocation)
    }

    static let key = Option(name: "--key", value: "P", offers: .protocols)
    static let imports = Option(name: "--import", value: nil)
    static let name = Option(name: "--name", value: "NAME")
    static let policy = Option(
        name: "--policy", value: "PRESET", offers: .fixed(PolicyPreset.all.map(\.name)))
    static let browser = Option(
        name: "--browser", value: "NAME", offers: .fixed(Browser.allCases.map(\.rawValue)))
    static let phone = Option(name: "--phone", value: "RELAYS")
    static let phoneKey = Option(name: "--phone-key", value: "KEY", offers: .keys)
    static let program = Option(name: "--program", value: "NAME")
    static let agent = Option(name: "--agent", value: "WORD", offers: .fixed(starts))
    static let socket = Option(name: "--socket", value: "PATH")
    static let web = Option(name: "--web", value: "PORT")

    static let options = [
        key, imports, name, policy, browser, phone, phoneKey, program, agent, socket, web,
    ]

    /// The answer that starts the agent at each login, by its systemd units.
    static let atLogin = "login"
    /// The answer that starts the agent now.
    static let now = "start"
    /// The answers to whether the agent is started.
    static let starts = [now, atLogin, "none"]

    /// Takes the steps in order.
    func run() async throws {
        do { try await takeSteps() } catch let error as ServiceError where error.isCancelled {
            throw CLIError(
                "cancelled", hint: "what was done stays done; to go on: countersign setup\(place)")
        }
    }

    private func takeSteps() async throws {
        try await makeKey()
        try await choosePolicy()
        let isForBrowser = try await connectClients()
        let start = try await startAgent(forBrowser: isForBrowser)
        invocation.console.note("done. Each command above can be run by itself, with --help.")
        invocation.console.note("  answer questions: countersign inbox\(place)")
        invocation.console.note("  make a backup: countersign backup create FILE\(place)")
        guard let start else { return }
        invocation.console.note("  after a restart of the computer: countersign \(start)")
    }

    /// A command as a person types it.
    func line(_ words: [String]) -> String {
        words.map(Self.quoted).joined(separator: " ") + place
    }

    /// Shows a command and runs it.
    func perform(_ words: [String]) async throws {
        let line = line(words)
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
        let accounts = try invocation.workspace().accounts()
        let names = accounts.map(\.name)
        if !names.isEmpty {
            let shown = names.prefix(Self.namesMax).joined(separator: ", ")
            let more =
                names.count > Self.namesMax ? ", and \(names.count - Self.namesMax) more" : ""
            invocation.console.note("keys of this home (\(names.count)): \(shown)\(more)")
        }
        let chains = invocation.protocols.names
        let chosen = try questions.answer(
            Self.key, "protocol of a new key", offered: chains + ["none"],
            standard: names.isEmpty ? chains.first ?? "none" : "none")
        guard let chosen else {
            try Self.refuse(
                [Self.imports, Self.name], of: invocation, "without a new key", hint: "add --key P")
            return
        }
        if let name = invocation.arguments.value(Self.name.name),
            accounts.contains(where: { $0.name == name && $0.protocolID.name == chosen })
        {
            return invocation.console.note("the \(chosen) key \"\(name)\" is there")
        }
        let isKnown = try questions.isWished(
            Self.imports, "do you have the secret key already, and want to import it?")
        let free = Self.free("main", among: names)
        let name =
            try questions.answer(Self.name, "name of the key", standard: free) { name in
                names.contains(name)
                    ? "there is a key with this name" : SetupQuestions.problem(ofName: name)
            } ?? free
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

    /// A name that is not taken: the given one, or it with a number.
    static func free(_ name: String, among taken: [String]) -> String {
        guard taken.contains(name) else { return name }
        var number = 2
        while taken.contains("\(name)-\(number)") { number += 1 }
        return "\(name)-\(number)"
    }
}
