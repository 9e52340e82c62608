// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The requests that a hub is answering now, by the names that their clients gave them.
///
/// If the same request is sent again while it waits, both get the same answer and a person is asked
/// once. The class uses a lock, not an actor: a change of threads would take longer than answering
/// most requests.
final class PendingRequests: Sendable {
    /// The places of proved clients for questions that wait for people.
    ///
    /// The pages of one browser profile are one kind.
    static let questionsOfProved = SharedPlaces.Shares(
        all: 50, ofClient: 10, ofSite: 10, ofKind: 20, reserve: 5)
    /// The places of unproved clients, which can invent any number of names.
    static let questionsOfUnproved = SharedPlaces.Shares(
        all: 30, ofClient: 10, ofSite: 10, ofKind: 20, reserve: 0)
    /// The places of servers at which the owner has logged in; there are few of them.
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
        /// The request was answered together with the same request that was waiting.
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
        /// The first request has ended; this one may take its place.
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
            // The first request was answered between the two uses of the lock.
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

    /// Registers that the client of the first request has left.
    ///
    /// Calls `withdraw` once no other client waits for the answer; at once if the request has no
    /// name.
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

    /// Takes a place for a question; false if the client has too many or no place is left.
    func takePlace(for client: CountedClient) -> Bool {
        state.withLock { state in
            let place = Self.queue(of: client)
            return (try? state[keyPath: place].take(client)) != nil
        }
    }

    /// Gives a place for a question back.
    func leavePlace(of client: CountedClient) {
        state.withLock { $0[keyPath: Self.queue(of: client)].leave(client) }
    }

    private static func queue(of client: CountedClient) -> WritableKeyPath<State, SharedPlaces> {
        client.isProved ? \.proved : client.kind == .server ? \.servers : \.unproved
    }
}
