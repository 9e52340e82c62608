// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The finished requests whose answers clients can still fetch.
///
/// If there are too many, answers of the client with the most answers are removed first. So no
/// client can displace the answers of another.
struct KeptAnswers {
    private struct Kept {
        let asked: SubmittedRequest
        let bytes: Int
        let until: ContinuousClock.Instant
    }

    /// The kept answers of one client.
    private struct Share {
        /// The numbers of its answers, the earliest first.
        var numbers: ArraySlice<Int> = []
        var bytes = 0
    }

    /// The answers by number; a later one has a larger number.
    private var answers: [Int: Kept] = [:]
    /// No answer has a smaller number.
    private var earliest = 0
    private var next = 0
    private var bytes = 0
    private var shares: [CountedClient: Share] = [:]

    /// Keeps an answer for the usual time.
    mutating func add(_ asked: SubmittedRequest, bytes size: Int) {
        let until = ContinuousClock.now + .seconds(SocketLimits.keptSeconds)
        answers[next] = Kept(asked: asked, bytes: size, until: until)
        bytes += size
        shares[asked.countedClient, default: Share()].numbers.append(next)
        shares[asked.countedClient]?.bytes += size
        next += 1
    }

    /// Removes one answer that has expired or is beyond a limit, and returns it; nil if there is
    /// none.
    mutating func removeNext(at now: ContinuousClock.Instant) -> SubmittedRequest? {
        while earliest < next, answers[earliest] == nil { earliest += 1 }
        guard let first = answers[earliest] else { return nil }
        if first.until <= now { return removeFirst(of: first.asked.countedClient) }
        let isCrowded = answers.count > SocketLimits.keptMax
        guard isCrowded || bytes > SocketLimits.keptBytesMax else { return nil }
        let largest = shares.max {
            isCrowded
                ? $0.value.numbers.count < $1.value.numbers.count : $0.value.bytes < $1.value.bytes
        }
        return largest.flatMap { removeFirst(of: $0.key) }
    }

    /// Removes the earliest answer of a client.
    private mutating func removeFirst(of client: CountedClient) -> SubmittedRequest? {
        guard let number = shares[client]?.numbers.popFirst(),
            let old = answers.removeValue(forKey: number)
        else { return nil }
        bytes -= old.bytes
        shares[client]?.bytes -= old.bytes
        if shares[client]?.numbers.isEmpty ?? false { shares[client] = nil }
        return old.asked
    }
}
