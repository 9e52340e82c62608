// SPDX-License-Identifier: Apache-2.0

internal import SigningCodecs
package import SigningCore
internal import SigningService
internal import SigningStorage
internal import Socket
internal import Synchronization

/// Holds what is asked so that it can be answered from elsewhere than the agent's own terminal.
///
/// The other places are asked as well, and the first answer counts. The hub bounds how many
/// questions wait, and for how long.
package final class QuestionQueue: Approval {
    private struct State {
        var waiting: [HeldQuestion] = []
        /// Those that ended, the earliest first.
        var ended: [EndedQuestion] = []
        /// Grows whenever a question comes or goes.
        var revision: Int64 = 1
        var watchers: [ObjectIdentifier: Gate] = [:]
        /// What waits for several people, as it was last told.
        var approvals: [ApproverItem] = []
        /// Why a yes to a question would come to nothing, as far as that is known.
        var obstacle: @Sendable (ApprovalQuestion) -> String? = { _ in nil }
    }

    /// The most questions that wait at one time: more than the hub lets in.
    static let waitingMax = 200
    /// How many of those that ended are told.
    static let endedMax = 100
    /// The most that wait for news at one time.
    static let watchersMax = 32

    let schemas: [FactSchema]
    private let others: [any Approval]
    /// What happens is told there.
    package let events: EventRing
    /// The time.
    let now: @Sendable () -> Timestamp
    private let state = Mutex(State())

    /// Values are shown by the vocabularies of `schemas`; `others` are asked as well.
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

    /// Has answers looked over by `obstacle`, which tells why a yes would come to nothing.
    func check(by obstacle: @escaping @Sendable (ApprovalQuestion) -> String?) {
        state.withLock { $0.obstacle = obstacle }
    }

    /// Why a yes to a question would come to nothing now; nil where that is not known.
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
            // Who gave it is told what the hub makes of it: a yes that nobody waits for is none.
            if Task.isCancelled, case .approved = answer { throw .timedOut }
            leave(held, .answered(answer))
            return answer
        } catch {
            leave(held, now() >= question.binding.expires ? .expired : .withdrawn)
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

    /// Has everybody look again who waits for news.
    package func announce() {
        change { _ in }
        events.publish("locked", [:])
    }

    /// Tells what is new of what waits for several people.
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

// MARK: What is told of it

extension QuestionQueue {
    /// All there is to know at one moment.
    struct Overview {
        let revision: Int64
        let waiting: [HeldQuestion]
        let ended: [EndedQuestion]
    }

    /// What waits now, and what ended.
    var overview: Overview {
        state.withLock {
            Overview(revision: $0.revision, waiting: $0.waiting, ended: $0.ended)
        }
    }

    /// A question that waits; nil where none of this id does.
    func find(_ id: String) -> HeldQuestion? {
        state.withLock { $0.waiting.first { $0.id == id } }
    }

    /// One that has ended, while it is told of.
    func findEnded(_ id: String) -> EndedQuestion? {
        state.withLock { $0.ended.last { $0.id == id } }
    }

    /// Returns when something is other than at `revision`, after so many seconds, or when the
    /// task is cancelled; false where too many wait already.
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

/// What is told of a question that has ended.
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
