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
/// The question waits for the whole delay and until the client takes the result.
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

    /// True while a client waits for the end.
    var isAwaited: Bool { state.withLock { $0.waiting != nil } }

    /// True if the request is of use for a client that comes back.
    ///
    /// One that has passed is not: a person can no longer stop it.
    var isOpen: Bool {
        switch end {
        case nil, .answered: true
        case .passed, .failed: false
        }
    }

    /// Sets the end; returns true if a client waits for it, which then gets it.
    @discardableResult
    func finish(_ end: DelayEnd) -> Bool {
        let waiting = state.withLock { state in
            state.end = end
            return state.waiting
        }
        waiting?.finish()
        return waiting != nil
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
        return state.withLock { state in
            state.waiting = nil
            return state.end
        }
    }
}

/// The delayed requests of a hub whose clients have left.
final class DelayedRequests: Sendable {
    /// The time after the delay for which the client may come back, in seconds.
    static let keptSeconds: Int64 = 86_400
    /// The most requests of one client, and of all clients.
    static let leftOfClientMax = 10
    static let leftMax = 100

    private let left = Mutex<[DelayedRequest]>([])

    /// Takes the request that `isWanted` describes; nil if there is none.
    func take(
        at now: Timestamp, where isWanted: (DelayedRequest) -> Bool
    ) -> DelayedRequest? {
        left.withLock { left in
            left.removeAll {
                let isOld = $0.question.binding.expires.seconds + Self.keptSeconds < now.seconds
                return !$0.isOpen || ($0.end != nil && isOld)
            }
            return left.firstIndex(where: isWanted).map { left.remove(at: $0) }
        }
    }

    /// Keeps the request of a client that has left; false if there is no place for it.
    func keep(_ request: DelayedRequest) -> Bool {
        left.withLock { left in
            left.removeAll { !$0.isOpen }
            let own = left.count { $0.client == request.client }
            guard own < Self.leftOfClientMax, left.count < Self.leftMax else { return false }
            left.append(request)
            return true
        }
    }
}
