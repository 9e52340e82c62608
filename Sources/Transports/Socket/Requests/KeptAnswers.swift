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
        var count = 0
        var bytes = 0
    }

    /// The answers, the earliest first.
    private var list: [Kept] = []
    private var bytes = 0
    private var shares: [CountedClient: Share] = [:]

    /// Keeps an answer for the usual time.
    mutating func add(_ asked: SubmittedRequest, bytes size: Int) {
        let until = ContinuousClock.now + .seconds(SocketLimits.keptSeconds)
        list.append(Kept(asked: asked, bytes: size, until: until))
        bytes += size
        shares[asked.countedClient, default: Share()].count += 1
        shares[asked.countedClient]?.bytes += size
    }

    /// Removes one answer that has expired or is beyond a limit, and returns it; nil if there is
    /// none.
    mutating func removeNext(at now: ContinuousClock.Instant) -> SubmittedRequest? {
        guard let first = list.first else { return nil }
        if first.until <= now { return remove(at: 0) }
        let isCrowded = list.count > SocketLimits.keptMax
        guard isCrowded || bytes > SocketLimits.keptBytesMax else { return nil }
        let largest = shares.max {
            isCrowded ? $0.value.count < $1.value.count : $0.value.bytes < $1.value.bytes
        }
        let place = list.firstIndex { $0.asked.countedClient == largest?.key }
        return remove(at: place ?? 0)
    }

    private mutating func remove(at place: Int) -> SubmittedRequest {
        let old = list.remove(at: place)
        bytes -= old.bytes
        shares[old.asked.countedClient]?.count -= 1
        shares[old.asked.countedClient]?.bytes -= old.bytes
        if shares[old.asked.countedClient]?.count == 0 { shares[old.asked.countedClient] = nil }
        return old.asked
    }
}
