// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore

extension CommandLineTool {
    static let agentForget = Command(
        name: "agent forget", options: [], operands: 0...0,
        summary: "ask for the passphrase again in every terminal",
        usage: """
            usage: countersign agent forget

            Makes the agent forget in which terminals the passphrase was typed, and ends the inboxes
            that were opened there without it. The vault stays unlocked. Needs no passphrase.

            example: countersign agent forget
            """
    ) { invocation in
        let home = try invocation.environment.home(invocation.arguments)
        let reply = try await AgentFinding.client(home) { client in
            try await client.ask("DELETE", "/v1/owner/terminals")
        }
        guard reply.isGood else { throw reply.refusal }
        let count = reply.json["ended"]?.integerValue ?? 0
        invocation.console.done(
            ["ended": .integer(count)],
            count == 0 ? "no terminal was remembered" : "forgotten terminals: \(count)")
        return .done
    }
}

/// The terminals in which the passphrase was typed, in words.
enum OwnerTerminalText {
    /// The text for an answer of `/v1/owner/terminals`.
    static func text(_ state: JSON) -> String {
        let count = state["count"]?.integerValue ?? 0
        guard state["minutes"]?.integerValue != 0 else { return "never remembered: --terminal 0" }
        guard let until = state["until"]?.text else {
            return count == 0 ? "in no terminal" : "not in this terminal; in others: \(count)"
        }
        return "in this terminal, valid until \(VisibleText.escaped(until))"
            + (count > 1 ? "; in others: \(count - 1)" : "")
    }
}
