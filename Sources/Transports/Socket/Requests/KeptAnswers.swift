// SPDX-License-Identifier: Apache-2.0

internal import SigningCore

/// The requests that have ended, as long as their clients may ask for the answer again.
///
/// Where there are too many, those of the caller with most of them are forgotten: no caller has the
/// answers of another one forgotten.
struct KeptAnswers {
    private struct Kept {
        let asked: Asked
        let bytes: Int
        let until: ContinuousClock.Instant
    }

    /// What is kept for one caller.
    private struct Share {
        var count = 0
        var bytes = 0
    }

    /// The earliest first.
    private var list: [Kept] = []
    private var bytes = 0
    private var shares: [CountedClient: Share] = [:]

    /// Keeps an answer for the usual time.
    mutating func add(_ asked: Asked, bytes size: Int) {
        let until = ContinuousClock.now + .seconds(SocketLimits.keptSeconds)
        list.append(Kept(asked: asked, bytes: size, until: until))
        bytes += size
        shares[asked.countedClient, default: Share()].count += 1
        shares[asked.countedClient]?.bytes += size
    }

    /// Takes out one whose time is over, or that has to make room; nil where none has to go.
    mutating func removeNext(at now: ContinuousClock.Instant) -> Asked? {
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

    private mutating func remove(at place: Int) -> Asked {
        let old = list.remove(at: place)
        bytes -= old.bytes
        shares[old.asked.countedClient]?.count -= 1
        shares[old.asked.countedClient]?.bytes -= old.bytes
        if shares[old.asked.countedClient]?.count == 0 { shares[old.asked.countedClient] = nil }
        return old.asked
    }
}
