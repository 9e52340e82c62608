// SPDX-License-Identifier: Apache-2.0

import SigningAgent
import SigningCodecs
import SigningService
import SigningTerminal
import Synchronization

/// Fetches the content of the owner's inbox from an agent, in background tasks.
final class InboxFeed: InboxSource {
    private struct State {
        var news = InboxNews()
        var isNew = false
        /// The fetched texts of questions that wait, by id.
        var words: [String: InboxQuestion.Words] = [:]
        var details: [String: InboxQuestion.Words] = [:]
        var failure: ServiceError?
    }

    private let session: AgentSession
    private let lookUpLimits: @Sendable () -> [InboxLimit]
    private let lookUpConnections: @Sendable () -> [InboxConnection]
    private let state = Mutex(State())

    /// The time that one request may wait for news, in seconds.
    private static let waitSeconds: Int64 = 20
    /// The pause after the agent was busy.
    private static let busyPause = Duration.seconds(1)

    /// Creates a feed in a session.
    ///
    /// `limits` looks up the uses of the policy's limits, and `connections` the connected clients.
    init(
        _ session: AgentSession, limits: @escaping @Sendable () -> [InboxLimit] = { [] },
        connections: @escaping @Sendable () -> [InboxConnection] = { [] }
    ) {
        self.session = session
        lookUpLimits = limits
        lookUpConnections = connections
    }

    /// The clients that are connected.
    func connections() -> [InboxConnection] { lookUpConnections() }

    /// Ends a connection.
    func end(connection id: String) {
        Task {
            let reply = try? await session.perform(OwnerActs.connectionEnd, on: id)
            let text =
                reply?.isGood == true
                ? "the connection has ended" : reply?.refusal.message ?? "the agent does not answer"
            let left = lookUpConnections()
            state.withLock { state in
                state.news.connected = (text, left)
                state.isNew = true
            }
        }
    }

    /// The limits of the policy.
    func limits() -> [InboxLimit] { lookUpLimits() }

    /// The error that ended the feed; nil if it was stopped.
    var failure: ServiceError? { state.withLock { $0.failure } }

    /// Follows the questions until the task is cancelled or the session ends.
    func run() async {
        var revision: Int64 = 0
        while !Task.isCancelled {
            do throws(ServiceError) {
                revision = try await follow(after: revision)
            } catch {
                let isEnd = !Task.isCancelled
                state.withLock { state in
                    if isEnd { state.failure = error }
                    state.news.isOver = true
                    state.isNew = true
                }
                return
            }
        }
    }

    private func follow(after revision: Int64) async throws(ServiceError) -> Int64 {
        guard let reply = try await news(after: revision), let approvals = try await approvals()
        else {
            // Other clients keep the agent busy; the feed goes on.
            try? await Task.sleep(for: Self.busyPause)
            return revision
        }
        let now = ContinuousClock.now
        var questions = (reply["waiting"]?.list ?? []).compactMap { InboxQuestion($0, now: now) }
        let ended = (reply["ended"]?.list ?? []).compactMap { InboxEnded($0) }
        for place in questions.indices {
            questions[place].words = try await words(of: questions[place].id)
        }
        questions += approvals
        let ids = Set(questions.map(\.id))
        state.withLock { state in
            state.words = state.words.filter { ids.contains($0.key) }
            state.details = state.details.filter { ids.contains($0.key) }
            for place in questions.indices where !questions[place].isForApprovers {
                questions[place].details = state.details[questions[place].id]
            }
            state.news.questions = questions
            state.news.ended = ended
            state.isNew = true
        }
        return reply["revision"]?.integerValue ?? 0
    }

    private func words(of id: String) async throws(ServiceError) -> InboxQuestion.Words? {
        if let known = state.withLock({ $0.words[id] }) { return known }
        let reply = try await session.perform(OwnerActs.questionShow, on: id)
        // A question that has ended meanwhile disappears with the next list.
        guard reply.isGood, let words = InboxQuestion.Words(reply.json) else { return nil }
        state.withLock { $0.words[id] = words }
        return words
    }

    /// The questions to several approvers; their texts change with each answer, so they are fetched
    /// again each time.
    ///
    /// Nil if the agent is busy. If the agent cannot read them, the list is empty and other
    /// questions still show.
    private func approvals() async throws(ServiceError) -> [InboxQuestion]? {
        let reply = try await session.perform(OwnerActs.approvalList)
        guard reply.code != Self.overCode else { throw Self.over }
        if reply.status == 503 { return nil }
        guard reply.isGood else { return [] }
        let now = ContinuousClock.now
        var questions = (reply.json["waiting"]?.list ?? [])
            .compactMap { InboxQuestion(approval: $0, now: now) }
        for place in questions.indices {
            let reply = try await session.perform(
                OwnerActs.approvalShow, on: questions[place].id)
            guard reply.isGood else { continue }
            questions[place].words = InboxQuestion.Words(reply.json)
            // The texts of these questions are complete.
            questions[place].details = questions[place].words
        }
        return questions
    }

    private static let overCode = "owner_session_needed"
    private static let over = ServiceError(
        "the session is over", hint: "open the inbox again: countersign inbox")

    /// The questions when they are newer than a revision, or after a wait; nil if the agent is
    /// busy.
    private func news(after revision: Int64) async throws(ServiceError) -> JSON? {
        let reply = try await session.perform(
            OwnerActs.questionList,
            query: "?after=\(revision)&wait_seconds=\(Self.waitSeconds)",
            waitSeconds: Self.waitSeconds)
        guard reply.code != Self.overCode else { throw Self.over }
        if reply.status == 503 { return nil }
        guard reply.isGood else { throw reply.refusal }
        return reply.json
    }

    /// The news since the last call; nil if there is no change.
    func takeNews() -> InboxNews? {
        state.withLock { state in
            guard state.isNew else { return nil }
            defer {
                state.isNew = false
                state.news.refused = []
                state.news.connected = nil
            }
            return state.news
        }
    }

    /// Fetches the details of a question.
    func fetchDetails(of id: String) {
        Task {
            let reply = try? await session.perform(OwnerActs.questionDetails, on: id)
            guard let reply, reply.isGood, let details = InboxQuestion.Words(reply.json) else {
                return refuse(id, reply.map(\.refusal.message) ?? "the agent does not answer")
            }
            state.withLock { state in
                state.details[id] = details
                guard let place = state.news.questions.firstIndex(where: { $0.id == id }) else {
                    return
                }
                state.news.questions[place].details = details
                state.isNew = true
            }
        }
    }

    /// Sends answers one after another.
    func send(_ decisions: [InboxDecision]) {
        Task {
            for decision in decisions {
                let reply = try? await session.perform(
                    decision.act, on: decision.id, decision.body)
                guard let reply, reply.isGood else {
                    refuse(
                        decision.id,
                        reply?.json["detail"]?.text
                            ?? "the agent does not answer; the history says what was answered")
                    continue
                }
            }
        }
    }

    private func refuse(_ id: String, _ reason: String) {
        state.withLock { state in
            state.news.refused.append((id, reason))
            state.isNew = true
        }
    }
}

/// Runs the inbox on a separate thread.
enum Inbox {
    /// Shows the feed until the person closes the inbox.
    static func run(_ feed: InboxFeed) async -> InboxLoop.End {
        let following = Task { await feed.run() }
        defer { following.cancel() }
        return await withTaskExecutorPreference(BlockingThread("countersign.inbox")) {
            var loop = InboxLoop(feed)
            return loop.run()
        }
    }
}
