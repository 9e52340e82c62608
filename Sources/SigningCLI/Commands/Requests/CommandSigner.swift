// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCore
import SigningService

/// A request of a command, in the two forms in which the signers get it.
struct CommandRequest {
    let adapter: any ProtocolAdapter
    /// The frame for the agent, which proves the peer itself.
    let toAgent: Frame
    /// The frame for the home in this process.
    let toHome: Frame
    /// True if the command proves which server asks.
    let provesServer: Bool
}

/// The signer of a command, with the facts that the command reports beside an answer.
///
/// There are two: the agent of the home, and the signer of the home that this process opens.
protocol CommandSigner: Signer {
    /// The reason that policy.toml is not the policy in force, with the remedy; nil if it is.
    var policyNote: (state: String, fix: String)? { get }

    /// Returns the text of a frame that will be answered without a question; nil if a person will
    /// be asked or if the frame cannot be judged.
    func unaskedText(of frame: Frame, over adapter: any ProtocolAdapter) async -> String?

    /// Answers a frame.
    func carryOut(_ frame: Frame, over wire: AdapterID) async -> CommandAnswer

    /// Returns whether a person or a rule has decided about the client of a frame before.
    func knowsClient(of frame: Frame, over wire: AdapterID?) async -> Bool

    /// Completes the record after the last answer.
    func finish() throws(ServiceError)
}

/// An answer to a command, with the facts about it that the command reports.
struct CommandAnswer: Sendable {
    let answer: Answer
    /// The grants that were recorded.
    let remembered: [ReportedGrant]
    /// The reason that all signing is stopped, for a denial because of that.
    var freeze: String?
    /// True if another hub put a different policy in force, for a denial because of that.
    var hasNewerPolicy = false
    /// The reason that the vault could not be unlocked; nil from an agent.
    var unlockingError: ServiceError?
    /// True if the agent answered.
    let isByAgent: Bool

    /// The code of a denial; nil for other results.
    static func denial(_ answer: Answer) -> ReasonCode? {
        guard case .outcome(.denied(let reason)) = answer.ending else { return nil }
        return reason.code
    }
}

extension LocalSigner: CommandSigner {
    var policyNote: (state: String, fix: String)? { home.policyNote() }

    func unaskedText(of frame: Frame, over adapter: any ProtocolAdapter) async -> String? {
        let explained = try? explain(frame, over: adapter.id)
        return explained.flatMap { UnaskedSummary.text($0.explanation) }
    }

    func carryOut(_ frame: Frame, over wire: AdapterID) async -> CommandAnswer {
        let answer = await answer(frame, over: wire)
        let denial = CommandAnswer.denial(answer)
        return CommandAnswer(
            answer: answer, remembered: answer.remembered.map { ReportedGrant($0, of: answer) },
            freeze: denial == .frozen ? freezeReason() : nil,
            hasNewerPolicy: denial == .policyChanged && hasNewerPolicy(),
            unlockingError: unlockingError, isByAgent: false)
    }
}
