// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningCore
import SigningService

/// The signer of a command that leaves the home to its agent and opens none of its files.
struct AgentCommandSigner: CommandSigner {
    private let signer: AgentSigner
    private let agent: ServingAgent

    init(_ agent: ServingAgent, for adapter: any ProtocolAdapter, _ console: Console) {
        self.agent = agent
        signer = AgentSigner(agent.client, for: adapter) {
            console.note(
                "the agent has the request; if it waits for a person: countersign inbox "
                    + "(Ctrl-C withdraws it)")
        }
    }

    var policyNote: (state: String, fix: String)? {
        guard let note = agent.status["policy_note"], let state = note["state"]?.text,
            let fix = note["fix"]?.text
        else { return nil }
        return (state, fix)
    }

    func unaskedText(of frame: Frame, over adapter: any ProtocolAdapter) async -> String? {
        await signer.explanation(of: frame).flatMap { UnaskedSummary.text($0) }
    }

    func answer(_ frame: Frame, over wire: AdapterID?) async -> Answer {
        await signer.answer(frame, over: wire)
    }

    func carryOut(_ frame: Frame, over wire: AdapterID) async -> CommandAnswer {
        let given = await StopSignals.run { await signer.carryOut(frame, over: wire) }
        let denial = CommandAnswer.denial(given.answer)
        // The status that was read before the request may be older than the denial.
        var status: JSON?
        if denial == .frozen || denial == .policyChanged {
            status = try? await agent.client.status().json
        }
        return CommandAnswer(
            answer: given.answer, remembered: given.remembered,
            freeze: denial == .frozen ? status?["frozen"]?.text : nil,
            hasNewerPolicy: denial == .policyChanged && status?["newer_policy"]?.flag == true,
            isByAgent: true)
    }

    func knowsClient(of frame: Frame, over wire: AdapterID?) async -> Bool {
        await signer.knowsClient(of: frame)
    }

    /// Leaves the record to the agent, which completes it.
    func finish() throws(ServiceError) {}
}
