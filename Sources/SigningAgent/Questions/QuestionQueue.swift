// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningFiles
internal import SigningService
internal import Socket
internal import Synchronization

/// Holds questions so that they can be answered elsewhere than at the agent's terminal.
///
/// The other places are asked too, and the first answer counts. The hub limits the number of
/// waiting questions and the time that each waits.
package final class QuestionQueue: Approval {
    private struct State {
        var waiting: [HeldQuestion] = []
        /// The questions that ended, oldest first.
        var ended: [EndedQuestion] = []
        /// Increases whenever a question is added or ends.
        var revision: Int64 = 1
        var watchers: [ObjectIdentifier: Gate] = [:]
        /// The questions to several approvers, as last reported.
        var approvals: [ApproverItem] = []
        /// Returns the reason that a yes to a question would have no effect, if one is known.
        var obstacle: @Sendable (ApprovalQuestion) -> String? = { _ in nil }
        /// Returns whether the owner can see the waiting questions.
        var isVisible: @Sendable () -> Bool = { true }
        /// True once the agent takes no more answers.
        var isStopping = false
    }

    /// The most questions that wait at one time: more than the hub lets in.
    static let waitingMax = 200
    /// The number of ended questions that are listed.
    static let endedMax = 100
    /// The most clients that wait for news at one time.
    static let watchersMax = 32

    let schemas: [FactSchema]
    private let others: [any Approval]
    /// Receives the events about questions.
    package let events: EventRing
    /// Returns the time.
    let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    /// Creates a queue that shows values with the vocabularies of `schemas`; `others` are asked
    /// too.
    package init(
        schemas: [FactSchema], beside others: [any Approval] = [], events: EventRing = EventRing(),
        now: @escaping @Sendable () -> Timestamp = {
            SystemEnvironment().now()
        }
    ) {
        self.schemas = schemas
        self.others = others
        self.events = events
        self.now = now
    }

    /// Sets the check of answers: `obstacle` returns the reason that a yes would have no effect,
    /// and `isVisible` whether the owner can see the questions.
    func check(
        by obstacle: @escaping @Sendable (ApprovalQuestion) -> String?,
        whileVisible isVisible: @escaping @Sendable () -> Bool
    ) {
        state.withLock {
            $0.obstacle = obstacle
            $0.isVisible = isVisible
        }
    }

    /// Says that the agent takes no more answers, so that no delay passes.
    package func stop() { state.withLock { $0.isStopping = true } }

    /// True while the owner can see the questions and answer them.
    package var canBeAnswered: Bool {
        let (isVisible, isStopping) = state.withLock { ($0.isVisible, $0.isStopping) }
        return !isStopping && isVisible()
    }

    /// The reason that a yes to a question would have no effect now; nil if none is known.
    func obstacle(to question: ApprovalQuestion) -> String? {
        state.withLock { $0.obstacle }(question)
    }

    /// Asks here and at the other places.
    package func decide(_ question: ApprovalQuestion) async throws(ApprovalError) -> ApprovalAnswer
    {
        let held = HeldQuestion(question, schemas: schemas, asked: now())
        guard enter(held) else { throw .unavailable }
        events.publish("question", held.listed(at: now()))
        do throws(ApprovalError) {
            let answer = try await FirstAnswer([held] + others).decide(question)
            // The outcome that the sender of the answer sees must be the hub's: an approval for a
            // withdrawn request does not count.
            if Task.isCancelled, case .approved = answer { throw .timedOut }
            leave(held, .answered(answer))
            return answer
        } catch {
            let isOver = now() >= question.binding.expires
            leave(
                held,
                !isOver ? .withdrawn : question.isAllowedUnanswered ? .unanswered : .expired)
            throw error
        }
    }

    private func enter(_ held: HeldQuestion) -> Bool {
        change { state in
            guard state.waiting.count < Self.waitingMax else { return false }
            state.waiting.append(held)
            return true
        }
    }

    private func leave(_ held: HeldQuestion, _ ending: QuestionOutcome) {
        let ended = EndedQuestion(held, ending, at: now())
        change { state in
            state.waiting.removeAll { $0 === held }
            state.ended.append(ended)
            if state.ended.count > Self.endedMax { state.ended.removeFirst() }
        }
        held.finish(ending)
        events.publish("ended", ended.listed)
    }

    /// Wakes all clients that wait for news.
    package func announce() {
        change { _ in }
        events.publish("locked", [:])
    }

    /// Publishes changes in the questions to several approvers.
    func note(approvals items: [ApproverItem]) {
        let known = state.withLock { state in
            defer { state.approvals = items }
            return state.approvals
        }
        let gone = known.filter { old in !items.contains { $0.digest == old.digest } }
        let news = items.filter { !known.contains($0) }
        guard !gone.isEmpty || !news.isEmpty else { return }
        change { _ in }
        for item in news { events.publish("approval", item.listed(at: now())) }
        for item in gone {
            events.publish("approval_ended", ["id": .string(item.digest.hexText)])
        }
    }

    private func change<R>(_ body: (inout State) -> R) -> R {
        let (result, watchers) = state.withLock { state in
            let result = body(&state)
            state.revision += 1
            defer { state.watchers = [:] }
            return (result, Array(state.watchers.values))
        }
        for watcher in watchers { watcher.open() }
        return result
    }
}

// MARK: Reading the queue

extension QuestionQueue {
    /// The content of the queue at one moment.
    struct Overview {
        let revision: Int64
        let waiting: [HeldQuestion]
        let ended: [EndedQuestion]
    }

    /// The waiting and the ended questions.
    var overview: Overview {
        state.withLock {
            Overview(revision: $0.revision, waiting: $0.waiting, ended: $0.ended)
        }
    }

    /// The number of questions to several people that a key of this home may approve.
    var approvalCount: Int { state.withLock { $0.approvals.count { !$0.mayApprove.isEmpty } } }

    /// True if no question waits for an answer.
    package var isEmpty: Bool { state.withLock { $0.waiting.isEmpty } }

    /// A waiting question; nil if no waiting question has this id.
    func find(_ id: String) -> HeldQuestion? {
        state.withLock { $0.waiting.first { $0.id == id } }
    }

    /// A question that ended, if it is still listed.
    func findEnded(_ id: String) -> EndedQuestion? {
        state.withLock { $0.ended.last { $0.id == id } }
    }

    /// Returns when the queue differs from `revision`, after this number of seconds, or when the
    /// task is cancelled; false if too many clients wait already.
    func wait(after revision: Int64, seconds: Int64) async -> Bool {
        let gate = Gate()
        let isTaken: Bool? = state.withLock { state in
            guard state.revision == revision, seconds > 0 else { return nil }
            guard state.watchers.count < Self.watchersMax else { return false }
            state.watchers[ObjectIdentifier(gate)] = gate
            return true
        }
        guard let isTaken else { return true }
        guard isTaken else { return false }
        await gate.wait(seconds: seconds)
        state.withLock { _ = $0.watchers.removeValue(forKey: ObjectIdentifier(gate)) }
        return true
    }
}

/// The listed data of a question that ended.
struct EndedQuestion: Sendable {
    let id: String
    let asked: Timestamp
    let ended: Timestamp
    let ending: QuestionOutcome
    let headline: String
    let client: String
    let knownBy: String
    let called: String?
    let profile: String?

    init(_ held: HeldQuestion, _ ending: QuestionOutcome, at ended: Timestamp) {
        id = held.id
        asked = held.asked
        self.ended = ended
        self.ending = ending
        headline = held.headline
        client = held.clientName
        knownBy = held.knownBy
        called = held.called
        profile = held.profile
    }
}
