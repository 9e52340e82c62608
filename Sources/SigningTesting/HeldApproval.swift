// SPDX-License-Identifier: Apache-2.0

public import SigningCore
import Synchronization

/// An approver that answers when a test says so, and that counts withdrawn questions.
public final class HeldApproval: Approval {
    private struct State {
        var askedCount = 0
        var withdrawnCount = 0
        var answers: [Bool] = []
    }

    private let state = Mutex(State())
    private let isLate: Bool

    /// Creates an approver; one that `isLate` approves a question after its withdrawal.
    public init(isLate: Bool = false) { self.isLate = isLate }

    /// The number of questions asked.
    public var askedCount: Int { state.withLock { $0.askedCount } }

    /// The number of questions withdrawn before an answer.
    public var withdrawnCount: Int { state.withLock { $0.withdrawnCount } }

    /// Answers one question.
    public func say(yes: Bool) { state.withLock { $0.answers.append(yes) } }

    /// Returns as soon as this many questions were asked.
    public func isAsked(times count: Int = 1) async {
        while askedCount < count { try? await Task.sleep(for: .milliseconds(1)) }
    }

    /// Waits for the answer from the test.
    public func decide(
        _ question: ApprovalQuestion
    ) async throws(ApprovalError) -> ApprovalAnswer {
        state.withLock { $0.askedCount += 1 }
        while !Task.isCancelled {
            let answer = state.withLock { $0.answers.isEmpty ? nil : $0.answers.removeFirst() }
            if let answer { return answer ? .approved(question.binding) : .denied() }
            try? await Task.sleep(for: .milliseconds(1))
        }
        state.withLock { $0.withdrawnCount += 1 }
        guard isLate else { throw .timedOut }
        return .approved(question.binding)
    }
}
