// SPDX-License-Identifier: Apache-2.0

import SigningAgent

/// The step that starts the agent, now or at each login.
extension SetupSteps {
    /// Starts the agent unless one runs; returns the command that makes it sign after a restart of
    /// the computer, nil if the agent is left out.
    ///
    /// Without a terminal it is started only if an option says so.
    func startAgent(forBrowser isForBrowser: Bool) async throws -> String? {
        invocation.console.note("step 5 of 5: the agent, which answers clients in the background")
        let home = try invocation.environment.home(invocation.arguments)
        guard try AgentFinding.presence(in: home) == .none else {
            try Self.refuse(
                [Self.web, Self.socket], of: invocation, "while an agent runs",
                hint: "countersign agent stop")
            invocation.console.note("it runs")
            return nil
        }
        let unit = LoginUnit(for: home, in: invocation.environment)
        let offered = Self.starts.filter { $0 != Self.atLogin || unit != nil }
        let question = unit == nil ? "start it" : "start it now, or at each login"
        let chosen = try questions.answer(
            Self.agent, question, offered: offered, standard: Self.now)
        guard let chosen else {
            invocation.console.note("to start it: countersign \(line(["agent", "start"]))")
            return nil
        }
        if let unit, chosen == Self.atLogin { return try await enable(unit) }
        let words = try startingWords(forBrowser: isForBrowser)
        try await perform(words)
        return line(words)
    }

    private func startingWords(forBrowser isForBrowser: Bool) throws -> [String] {
        let isAsked = isForBrowser || invocation.arguments.has(Self.web.name)
        let port =
            isAsked
            ? try questions.answer(
                Self.web, "port of the agent for browsers", standard: "7155",
                problem: Self.problem(ofPort:)) : nil
        let socket = invocation.arguments.value(Self.socket.name)
        return ["agent", "start"] + (port.map { ["--web", $0] } ?? [])
            + (socket.map { ["--socket", $0] } ?? [])
    }

    private func enable(_ unit: LoginUnit) async throws -> String {
        invocation.console.note("run: \(LoginUnit.enabling.joined(separator: " "))")
        try unit.enable()
        let words = ["agent", "unlock"]
        try await perform(words)
        return line(words)
    }

    /// The reason for which a text is no port of the agent's pages; nil if it is one.
    static func problem(ofPort text: String) -> String? {
        let isPort = Int(text).map { AgentWeb.ports.contains($0) } == true
        return isPort ? nil : "a port is a number from 1024 to 65535"
    }
}
