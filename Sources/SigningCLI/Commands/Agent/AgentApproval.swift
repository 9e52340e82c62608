// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCore
import SigningTerminal
import Synchronization

/// Asks the person at the agent's terminal, one question at a time.
///
/// A question blocks its thread, so terminal questions have a separate one. A question that waits
/// for its turn, or whose client has disconnected, ends without blocking it.
final class AgentApproval: Approval {
    private struct State {
        var lastTicket = 0
        /// The ticket of the current question, then those of the questions that wait.
        var tickets: [Int] = []
        /// The time at which a question was withdrawn that a person may have been about to answer.
        var withdrawn: ContinuousClock.Instant?
    }

    private let schemas: [FactSchema]
    private let thread = BlockingThread("countersign.question")
    private let state = Mutex(State())

    /// Creates an approval that shows values with the vocabularies of `schemas`.
    init(schemas: [FactSchema]) { self.schemas = schemas }

    /// True if there is a terminal to ask at.
    var canAsk: Bool { TerminalApproval(schemas: schemas).canAsk }

    /// Asks at the terminal when the question's turn comes.
    func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer {
        let start = ContinuousClock.now
        let ticket = state.withLock { state in
            state.lastTicket += 1
            state.tickets.append(state.lastTicket)
            return state.lastTicket
        }
        defer { state.withLock { $0.tickets.removeAll { $0 == ticket } } }
        while state.withLock({ $0.tickets.first != ticket }) {
            do { try await Task.sleep(for: Self.pause) } catch { throw .timedOut }
        }
        if let gone = state.withLock({ $0.withdrawn }) {
            // The client controls when a question is withdrawn: an answer meant for it must not hit
            // the next question.
            let rest = gone + Self.restAfterWithdrawal - .now
            if rest > .zero { do { try await Task.sleep(for: rest) } catch { throw .timedOut } }
        }
        let waited = (ContinuousClock.now - start).components.seconds
        let left = SigningHub.approvalSecondsDefault - waited
        guard left > 0, !Task.isCancelled else { throw .timedOut }
        let terminal = TerminalApproval(secondsMax: left, schemas: schemas)
        defer { if Task.isCancelled { noteWithdrawal() } }
        return try await withTaskExecutorPreference(thread) { () throws(ApprovalError) in
            try await terminal.decide(question)
        }
    }

    private func noteWithdrawal() {
        state.withLock { $0.withdrawn = .now }
        if let terminal = Terminal() {
            terminal.show("\n--- this request no longer waits ---\n\n")
        }
    }

    private static let pause = Duration.milliseconds(50)
    private static let restAfterWithdrawal = Duration.seconds(3)
}
