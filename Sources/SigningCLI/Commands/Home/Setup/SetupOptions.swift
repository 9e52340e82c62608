// SPDX-License-Identifier: Apache-2.0

import PolicyPresets
import SigningAgent
import SigningCore
import SigningService
import SigningTerminal
import Socket

/// The checks of the options before anything is made.
extension SetupSteps {
    /// Refuses options that are not valid, or that would have no effect.
    static func checkOptions(of invocation: Invocation) throws {
        let questions = SetupQuestions(invocation)
        let presets = PolicyPreset.all.map(\.name) + ["none"]
        let browsers = Browser.allCases.map(\.rawValue) + ["none"]
        for (option, offered) in [
            (key, invocation.protocols.names + ["none"]), (policy, presets),
            (browser, browsers), (agent, starts),
        ] {
            _ = try questions.given(option, offered: offered)
        }
        for (option, problem) in [
            (name, SetupQuestions.problem(ofName:)), (program, problem(ofProgram:)),
            (phone, BunkerInput.problem(ofRelays:)), (web, problem(ofPort:)),
        ] {
            guard let given = try questions.given(option, offered: nil), given != "none",
                let wrong = problem(given)
            else { continue }
            throw CLIError.usage(
                "\(option.name): \(wrong)", hint: "see \"countersign setup --help\"")
        }
        try checkKey(invocation)
        try checkPhone(invocation)
        try checkAgent(invocation)
    }

    /// The answer of an option to its question, if no person is asked it.
    private static func settled(_ option: Option, _ invocation: Invocation) -> String? {
        invocation.arguments.value(option.name) ?? (Terminal() == nil ? "none" : nil)
    }

    private static func checkKey(_ invocation: Invocation) throws {
        guard settled(key, invocation) == "none" else { return }
        try refuse([imports, name], of: invocation, "without a new key", hint: "add --key P")
    }

    private static func checkPhone(_ invocation: Invocation) throws {
        if settled(phone, invocation) == "none" {
            try refuse([phoneKey], of: invocation, "without a phone", hint: "add --phone RELAYS")
        }
        guard let made = settled(key, invocation) else { return }
        let home = try invocation.environment.home(invocation.arguments)
        let isMade = try OpenHome.isMade(at: home)
        let accounts = isMade ? try invocation.workspace().accounts() : []
        var names = accounts.filter { $0.protocolID.name == "nostr" }.map(\.name)
        if made == "nostr" {
            // A person on the terminal may choose any name for the new key.
            guard invocation.arguments.has(name.name) || Terminal() == nil else { return }
            names.append(
                invocation.arguments.value(name.name) ?? free("main", among: accounts.map(\.name)))
        }
        guard !names.isEmpty else {
            return try refuse(
                [phone], of: invocation, "without a Nostr key", hint: "add --key nostr")
        }
        _ = try SetupQuestions(invocation).given(phoneKey, offered: names)
    }

    private static func checkAgent(_ invocation: Invocation) throws {
        let home = try invocation.environment.home(invocation.arguments)
        if let path = invocation.arguments.value(socket.name) {
            do throws(TransportError) {
                try SocketPlace.check(SocketAddress(path: path), in: home)
            } catch {
                throw CLIError(error.message, hint: error.hint)
            }
        }
        switch settled(agent, invocation) {
        case "none":
            try refuse(
                [web, socket], of: invocation, "without the agent", hint: "add --agent start")
        case atLogin:
            try refuse(
                [web, socket], of: invocation, "at login",
                hint: "use --agent start, or change the unit: "
                    + "systemctl --user edit countersign-agent")
            guard LoginUnit(for: home, in: invocation.environment) == nil else { return }
            throw CLIError(
                "there is no unit countersign-agent.socket for this user and home",
                hint: "use --agent start; \"make install\" installs the unit for ~/.countersign")
        default: return
        }
    }

    /// Refuses options of a question that is not asked.
    static func refuse(
        _ options: [Option], of invocation: Invocation, _ condition: String, hint: String
    ) throws {
        let given = options.first { option in
            invocation.arguments.has(option.name)
                && invocation.arguments.value(option.name) != "none"
        }
        guard let given else { return }
        throw CLIError.usage("\(given.name) has no effect \(condition)", hint: hint)
    }
}
