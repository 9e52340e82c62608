// SPDX-License-Identifier: Apache-2.0

/// The requests that a hub is answering right now, by the names their clients gave them.
///
/// The same request sent again while it waits gets the one answer; nobody is asked twice.
actor PendingRequests {
    /// The most questions that may wait for people at one time.
    static let questionsMax = 50
    /// The most repetitions of one request that wait for its answer.
    static let joinedMax = 16

    /// What a request is known by while it waits.
    struct Key: Hashable, Sendable {
        let adapter: AdapterID
        let client: Note.Subject
        let correlator: String
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
        var joined: [CheckedContinuation<Answer, Never>] = []
    }

    private var waiting: [Key: Waiting] = [:]
    private var questionCount = 0

    /// Registers a request, or waits for the answer to the same one.
    func enter(_ key: Key, digest: [UInt8]) async -> Entry {
        guard let other = waiting[key] else {
            waiting[key] = Waiting(digest: digest)
            return .first
        }
        guard other.digest == digest, other.joined.count < Self.joinedMax else { return .refused }
        return .joined(await withCheckedContinuation { waiting[key]?.joined.append($0) })
    }

    /// Hands the answer to everyone who waits for it.
    func finish(_ key: Key, _ answer: Answer) {
        let joined = waiting.removeValue(forKey: key)?.joined ?? []
        for continuation in joined { continuation.resume(returning: answer.repeated) }
    }

    /// Takes a place in the queue of questions; false where there is none.
    func takePlace() -> Bool {
        guard questionCount < Self.questionsMax else { return false }
        questionCount += 1
        return true
    }

    /// Gives the place back.
    func leavePlace() { questionCount -= 1 }
}
