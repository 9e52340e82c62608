// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The end of a question about a delayed request.
enum DelayEnd: Sendable {
    /// The whole delay passed without an answer.
    case passed
    case answered(ApprovalAnswer)
    case failed(ApprovalError)
}

/// A request that rules allow after a delay, with the question by which a person can stop it.
///
/// The question waits for the whole delay, also if the client leaves; a client that sends the same
/// request again meanwhile waits for the rest.
final class DelayedRequest: Sendable {
    private struct State {
        var end: DelayEnd?
        var waiting: AsyncStream<Void>.Continuation?
    }

    let client: CountedClient
    let question: ApprovalQuestion
    /// The delay, in seconds.
    let seconds: Int64
    /// Whether a decoded request is the same one.
    let isSame: @Sendable (any Sendable) -> Bool
    private let state = Mutex(State())

    init(
        of client: CountedClient, _ question: ApprovalQuestion, for seconds: Int64,
        isSame: @escaping @Sendable (any Sendable) -> Bool
    ) {
        self.client = client
        self.question = question
        self.seconds = seconds
        self.isSame = isSame
    }

    /// The end; nil while the question waits.
    var end: DelayEnd? { state.withLock { $0.end } }

    fileprivate var hasFailed: Bool {
        if case .failed? = end { true } else { false }
    }

    func finish(_ end: DelayEnd) {
        let waiting = state.withLock { state in
            state.end = end
            return state.waiting
        }
        waiting?.finish()
    }

    /// Waits for the end; nil if the task is cancelled before.
    ///
    /// At most one task may wait.
    func wait() async -> DelayEnd? {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let isOver = state.withLock { state in
            state.waiting = continuation
            return state.end != nil
        }
        if !isOver { for await _ in stream {} }
        return end
    }
}

/// The delayed requests of a hub: those whose questions wait, and those that ended while their
/// clients were away.
final class DelayedRequests: Sendable {
    /// The time after its end for which a delayed request can be taken up again, in seconds.
    static let keptSeconds: Int64 = 86_400
    /// The most delayed requests of one client, and of all clients, that have ended.
    static let endedOfClientMax = 10
    static let endedMax = 100

    /// The requests that no client waits for, oldest first.
    private let left = Mutex<[DelayedRequest]>([])

    /// Takes the request that `isWanted` describes; nil if there is none.
    ///
    /// One whose question failed is of no use: its delay begins again.
    func take(
        at now: Timestamp, where isWanted: (DelayedRequest) -> Bool
    ) -> DelayedRequest? {
        left.withLock { left in
            left.removeAll {
                $0.question.binding.expires.seconds + Self.keptSeconds < now.seconds || $0.hasFailed
            }
            return left.firstIndex(where: isWanted).map { left.remove(at: $0) }
        }
    }

    /// Removes a request; false if a client waits for it.
    func drop(_ request: DelayedRequest) -> Bool {
        left.withLock { left in
            let place = left.firstIndex { $0 === request }
            return place.map { left.remove(at: $0) } != nil
        }
    }

    /// Keeps the request of a client that has left.
    ///
    /// Without place for it, the oldest one that has ended is dropped, of this client if it has
    /// several; its delay begins again.
    func keep(_ request: DelayedRequest) {
        left.withLock { left in
            left.append(request)
            let ended = left.filter { $0.end != nil }
            let own = ended.filter { $0.client == request.client }
            guard own.count > Self.endedOfClientMax || ended.count > Self.endedMax else { return }
            let surplus = own.count > 1 ? own.first : ended.first
            left.removeAll { $0 === surplus }
        }
    }
}
