// SPDX-License-Identifier: Apache-2.0

import Nostr
import SigningAgent
import SigningCore
import SigningService

/// The step that connects clients: a browser, a phone, a program.
extension SetupSteps {
    /// Connects the clients that are named; returns whether a browser is one.
    func connectClients() async throws -> Bool {
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
        try await connectProgram()
        return browser != nil
    }

    /// The reason for which a text is no name of a program's access token; nil if it is one.
    static func problem(ofProgram name: String) -> String? {
        AccessToken.canName(name) ? nil : ServiceError.notATokenName(name).hint
    }

    /// Makes an access token for a program.
    private func connectProgram() async throws {
        let program = try questions.answer(
            Self.program, "a program or bot: a name for it",
            problem: Self.problem(ofProgram:))
        guard let program else { return }
        let tokens = try invocation.workspace().perform(OwnerActs.tokenList, false)
        guard !tokens.contains(where: { $0.name == program && !$0.isBrowser }) else {
            return invocation.console.note("the access token \"\(program)\" is there")
        }
        try await perform(["agent", "token", "new", "--name", program])
    }

    /// Makes a connection over relays, if there is a Nostr key.
    private func connectPhone() async throws {
        let workspace = try invocation.workspace()
        let keys = try workspace.accounts().filter { $0.protocolID == .nostr }.map(\.name)
        guard let first = keys.first else {
            try Self.refuse(
                [Self.phone], of: invocation, "without a Nostr key", hint: "add --key nostr")
            return
        }
        let relays = try questions.answer(
            Self.phone, "a phone: the addresses of two relays, with a comma between them",
            problem: BunkerInput.problem(ofRelays:))
        guard let relays else {
            try Self.refuse(
                [Self.phoneKey], of: invocation, "without a phone", hint: "add --phone RELAYS")
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
}
