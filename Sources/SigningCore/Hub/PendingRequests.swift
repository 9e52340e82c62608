// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The requests that a hub is answering now, by the names that their clients gave them.
///
/// The same request sent again while it waits joins the first; a person is asked once. It uses a
/// lock instead of an actor: most requests have no duplicate, and a change of threads costs more
/// than answering them.
final class PendingRequests: Sendable {
    /// The shares of proved clients in the questions that wait for people.
    ///
    /// The pages of one browser profile are one kind.
    static let questionsOfProved = SharedPlaces.Shares(
        all: 50, ofClient: 10, ofSite: 10, ofKind: 20, reserve: 5)
    /// The shares of unproved clients, which can make up any number of names.
    static let questionsOfUnproved = SharedPlaces.Shares(
        all: 30, ofClient: 10, ofSite: 10, ofKind: 20, reserve: 0)
    /// The bounds on waiting questions of servers that the owner has logged in to; these are few.
    static let questionsOfServers = SharedPlaces.Shares(
        all: 80, ofClient: 10, ofSite: 10, ofKind: 80, reserve: 0)
    /// The most repetitions of one request that wait for its answer.
    static let joinedMax = 16

    /// The identity of a waiting request.
    struct Key: Hashable, Sendable {
        let adapter: AdapterID
        let client: Note.Subject
        let correlator: String
        /// The peer: another client must not receive this one's answer.
        let peer: Peer
    }

    /// The next step for a request.
    enum Entry {
        /// Answer it, then call `finish`.
        case first
        /// It was answered together with the one that was waiting.
        case joined(Answer)
        /// The client left before there was an answer.
        case left
        /// Another request with this name waits, or too many repetitions of this one.
        case refused
    }

    /// The result of waiting as a repetition.
    private enum JoinEnd {
        case answer(Answer)
        case left
        /// The first request is gone: the repetition may become the first.
        case nothing
    }

    private struct Waiting {
        let digest: [UInt8]
        var isFirstHere = true
        /// The repetitions, by number.
        var joined: [Int: CheckedContinuation<JoinEnd, Never>] = [:]
        /// Ends the waiting question; set once the first client has left.
        var withdraw: (@Sendable () -> Void)?

        var isDeserted: Bool { !isFirstHere && joined.isEmpty }
    }

    private struct State {
        var waiting: [Key: Waiting] = [:]
        /// The clients whose questions wait.
        var proved = SharedPlaces(PendingRequests.questionsOfProved)
        var unproved = SharedPlaces(PendingRequests.questionsOfUnproved)
        var servers = SharedPlaces(PendingRequests.questionsOfServers)
        var joinsCount = 0
        /// The repetitions that left before they were registered.
        var left: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Registers a request, or waits for the answer to an identical one.
    func enter(_ key: Key, digest: [UInt8]) async -> Entry {
        while true {
            let entry: Entry? = state.withLock { state in
                guard let other = state.waiting[key] else {
                    state.waiting[key] = Waiting(digest: digest)
                    return .first
                }
                let canJoin = other.digest == digest && other.joined.count < Self.joinedMax
                return canJoin ? nil : .refused
            }
            if let entry { return entry }
            switch await join(key, digest) {
            case .answer(let answer): return .joined(answer)
            case .left: return .left
            // The first was answered between the two locks.
            case .nothing: continue
            }
        }
    }

    /// Waits with the request of this name until it is answered or the client leaves.
    private func join(_ key: Key, _ digest: [UInt8]) async -> JoinEnd {
        let number = state.withLock { state in
            state.joinsCount += 1
            return state.joinsCount
        }
        defer { state.withLock { _ = $0.left.remove(number) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: JoinEnd? = state.withLock { state in
                    if state.left.contains(number) { return .left }
                    guard let other = state.waiting[key], other.digest == digest,
                        other.joined.count < Self.joinedMax
                    else { return .nothing }
                    state.waiting[key]?.joined[number] = continuation
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            leave(key, joinedAs: number)
        }
    }

    private func leave(_ key: Key, joinedAs number: Int) {
        let (continuation, withdraw) = state.withLock { state in
            guard let continuation = state.waiting[key]?.joined.removeValue(forKey: number)
            else {
                state.left.insert(number)
                return (nil as CheckedContinuation<JoinEnd, Never>?, nil as (@Sendable () -> Void)?)
            }
            let waiting = state.waiting[key]
            return (continuation, waiting?.isDeserted == true ? waiting?.withdraw : nil)
        }
        continuation?.resume(returning: .left)
        withdraw?()
    }

    /// Notes that the first client has left.
    ///
    /// Calls `withdraw` as soon as no other client waits for the answer, or at once if the request
    /// has no name.
    func leave(_ key: Key?, withdraw: @escaping @Sendable () -> Void) {
        let isDeserted = state.withLock { state in
            guard let key, state.waiting[key] != nil else { return true }
            state.waiting[key]?.isFirstHere = false
            state.waiting[key]?.withdraw = withdraw
            return state.waiting[key]?.isDeserted ?? true
        }
        if isDeserted { withdraw() }
    }

    /// True if other clients wait for the answer to a named request.
    func hasJoined(_ key: Key?) -> Bool {
        guard let key else { return false }
        return state.withLock { $0.waiting[key]?.joined.isEmpty == false }
    }

    /// The number of repetitions that wait for an answer.
    var joinedCount: Int {
        state.withLock { state in state.waiting.values.reduce(0) { $0 + $1.joined.count } }
    }

    /// Hands the answer to all repetitions.
    func finish(_ key: Key, _ answer: Answer) {
        let joined = state.withLock { $0.waiting.removeValue(forKey: key)?.joined ?? [:] }
        for continuation in joined.values {
            continuation.resume(returning: .answer(answer.repeated))
        }
    }

    /// Takes a place in the queue of questions; false if the client may take no place.
    func takePlace(for client: CountedClient) -> Bool {
        state.withLock { state in
            let place = Self.queue(of: client)
            return (try? state[keyPath: place].take(client)) != nil
        }
    }

    /// Gives the place back.
    func leavePlace(of client: CountedClient) {
        state.withLock { $0[keyPath: Self.queue(of: client)].leave(client) }
    }

    private static func queue(of client: CountedClient) -> WritableKeyPath<State, SharedPlaces> {
        client.isProved ? \.proved : client.kind == .server ? \.servers : \.unproved
    }
}
