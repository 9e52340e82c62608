// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The requests that a hub is answering right now, by the names their clients gave them.
///
/// The same request sent again while it waits gets the one answer; nobody is asked twice. A lock
/// and no actor: most requests are the only ones, and a change of threads costs more than they do.
final class PendingRequests: Sendable {
    /// How callers that prove who they are share the questions that wait for people; the pages of
    /// one browser profile are a kind of callers.
    static let questionsOfProved = SharedPlaces.Shares(
        all: 50, ofClient: 10, ofSite: 10, ofKind: 20, reserve: 5)
    /// How those share them who prove nothing, and can make up any number of names.
    static let questionsOfUnproved = SharedPlaces.Shares(
        all: 30, ofClient: 10, ofSite: 10, ofKind: 20, reserve: 0)
    /// How the servers share them that the owner met; he meets few.
    static let questionsOfServers = SharedPlaces.Shares(
        all: 80, ofClient: 10, ofSite: 10, ofKind: 80, reserve: 0)
    /// The most repetitions of one request that wait for its answer.
    static let joinedMax = 16

    /// What a request is known by while it waits.
    struct Key: Hashable, Sendable {
        let adapter: AdapterID
        let client: Note.Subject
        let correlator: String
        /// Another caller may not have what this one gets.
        let peer: Peer
    }

    /// What to do with a request.
    enum Entry {
        /// Answer it, then call `finish`.
        case first
        /// It was answered together with the one that was waiting.
        case joined(Answer)
        /// Whoever asked left before there was an answer.
        case left
        /// Another request of this name waits, or too many of this one.
        case refused
    }

    /// What a repetition hears.
    private enum Heard {
        case answer(Answer)
        case left
        /// It is over: the repetition may be the first again.
        case nothing
    }

    private struct Waiting {
        let digest: [UInt8]
        var isFirstHere = true
        /// By number.
        var joined: [Int: CheckedContinuation<Heard, Never>] = [:]
        /// Ends what waits for a person, once the first has left.
        var withdraw: (@Sendable () -> Void)?

        var isDeserted: Bool { !isFirstHere && joined.isEmpty }
    }

    private struct State {
        var waiting: [Key: Waiting] = [:]
        /// Whose questions wait.
        var proved = SharedPlaces(PendingRequests.questionsOfProved)
        var unproved = SharedPlaces(PendingRequests.questionsOfUnproved)
        var servers = SharedPlaces(PendingRequests.questionsOfServers)
        var joinsCount = 0
        /// Repetitions that left before they were registered.
        var left: Set<Int> = []
    }

    private let state = Mutex(State())

    /// Registers a request, or waits for the answer to the same one.
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
            // It was answered between the two locks.
            case .nothing: continue
            }
        }
    }

    /// Waits with the request of this name, until it is answered or whoever asks leaves.
    private func join(_ key: Key, _ digest: [UInt8]) async -> Heard {
        let number = state.withLock { state in
            state.joinsCount += 1
            return state.joinsCount
        }
        defer { state.withLock { _ = $0.left.remove(number) } }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let heard: Heard? = state.withLock { state in
                    if state.left.contains(number) { return .left }
                    guard let other = state.waiting[key], other.digest == digest,
                        other.joined.count < Self.joinedMax
                    else { return .nothing }
                    state.waiting[key]?.joined[number] = continuation
                    return nil
                }
                if let heard { continuation.resume(returning: heard) }
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
                return (nil as CheckedContinuation<Heard, Never>?, nil as (@Sendable () -> Void)?)
            }
            let waiting = state.waiting[key]
            return (continuation, waiting?.isDeserted == true ? waiting?.withdraw : nil)
        }
        continuation?.resume(returning: .left)
        withdraw?()
    }

    /// Says that the one who asked first has left: what waits for a person ends by `withdraw` as
    /// soon as nobody else waits for the same; at once where the request has no name.
    func leave(_ key: Key?, withdraw: @escaping @Sendable () -> Void) {
        let isDeserted = state.withLock { state in
            guard let key, state.waiting[key] != nil else { return true }
            state.waiting[key]?.isFirstHere = false
            state.waiting[key]?.withdraw = withdraw
            return state.waiting[key]?.isDeserted ?? true
        }
        if isDeserted { withdraw() }
    }

    /// Whether others wait for the answer to a request that has a name.
    func hasJoined(_ key: Key?) -> Bool {
        guard let key else { return false }
        return state.withLock { $0.waiting[key]?.joined.isEmpty == false }
    }

    /// How many wait for the answer to another's request.
    var joinedCount: Int {
        state.withLock { state in state.waiting.values.reduce(0) { $0 + $1.joined.count } }
    }

    /// Hands the answer to everyone who waits for it.
    func finish(_ key: Key, _ answer: Answer) {
        let joined = state.withLock { $0.waiting.removeValue(forKey: key)?.joined ?? [:] }
        for continuation in joined.values {
            continuation.resume(returning: .answer(answer.repeated))
        }
    }

    /// Takes a place in the queue of questions; false where there is none.
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
