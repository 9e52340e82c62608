// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The requests that a hub is answering right now, by the names their clients gave them.
///
/// The same request sent again while it waits gets the one answer; nobody is asked twice. A lock
/// and no actor: most requests are the only ones, and a change of threads costs more than they do.
final class PendingRequests: Sendable {
    /// The most questions that may wait for people at one time.
    static let questionsMax = 50
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
        /// Another request of this name waits, or too many of this one.
        case refused
    }

    private struct Waiting {
        let digest: [UInt8]
        var joined: [CheckedContinuation<Answer?, Never>] = []
    }

    private struct State {
        var waiting: [Key: Waiting] = [:]
        var questionCount = 0
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
            let answer = await withCheckedContinuation { join(key, digest, $0) }
            // It may have been answered between the two locks: then this one is the first again.
            if let answer { return .joined(answer) }
        }
    }

    private func join(
        _ key: Key, _ digest: [UInt8], _ continuation: CheckedContinuation<Answer?, Never>
    ) {
        let hasJoined = state.withLock { state in
            guard let other = state.waiting[key], other.digest == digest,
                other.joined.count < Self.joinedMax
            else { return false }
            state.waiting[key]?.joined.append(continuation)
            return true
        }
        if !hasJoined { continuation.resume(returning: nil) }
    }

    /// Hands the answer to everyone who waits for it.
    func finish(_ key: Key, _ answer: Answer) {
        let joined = state.withLock { $0.waiting.removeValue(forKey: key)?.joined ?? [] }
        for continuation in joined { continuation.resume(returning: answer.repeated) }
    }

    /// Takes a place in the queue of questions; false where there is none.
    func takePlace() -> Bool {
        state.withLock { state in
            guard state.questionCount < Self.questionsMax else { return false }
            state.questionCount += 1
            return true
        }
    }

    /// Gives the place back.
    func leavePlace() { state.withLock { $0.questionCount -= 1 } }
}
