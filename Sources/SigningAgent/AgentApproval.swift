// SPDX-License-Identifier: Apache-2.0

package import SigningCore
internal import SigningTerminal
internal import Synchronization

/// Asks the person at the agent's own terminal, one question at a time.
///
/// A question blocks the thread that it is asked on, so it has one of its own; those that wait for
/// their turn, or whose client has left, end without it.
package final class AgentApproval: Approval {
    private struct State {
        var lastTicket = 0
        /// Whose turn it is, then those who wait.
        var tickets: [Int] = []
        /// When a question went that somebody may have been about to answer.
        var withdrawn: ContinuousClock.Instant?
    }

    private let schemas: [FactSchema]
    private let thread = BlockingThread("countersign.question")
    private let state = Mutex(State())

    /// Values are shown by the vocabularies of `schemas`.
    package init(schemas: [FactSchema]) { self.schemas = schemas }

    /// Whether there is a terminal that somebody looks at.
    package var canAsk: Bool { TerminalApproval(schemas: schemas).canAsk }

    /// Asks there when it is its turn.
    package func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer
    {
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
            // Whoever asks chooses when a question goes: an answer to it must not meet the next.
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
            terminal.show("\n--- nobody waits for this any more ---\n\n")
        }
    }

    private static let pause = Duration.milliseconds(50)
    private static let restAfterWithdrawal = Duration.seconds(3)
}
