// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import SigningCore
internal import Synchronization

/// Answers that no relay has taken yet, each for the relays of its connection, and when each relay
/// is offered it again.
///
/// Answers are ephemeral: a relay hands them to those who listen at that moment. So one that a
/// relay has taken is handed over a second time, for a client that was a moment late.
final class AnswerOutbox: Sendable {
    /// When a relay is offered an answer next.
    private struct Offer {
        var next: ContinuousClock.Instant
        /// The pause after that, in seconds.
        var pause: Int64
    }

    private struct Waiting {
        let message: [UInt8]
        /// The signer's key of the connection.
        let signer: String
        var offers: [RelayAddress: Offer]
        let until: Timestamp
        /// A relay has taken it, and is offered it once more.
        var isTaken = false
    }

    /// The most that wait; beyond it the connection with the most of them loses its oldest.
    private static let countMax = 1_000
    /// The most answers of one connection that are handed over a second time.
    private static let repeatsMax = 16
    /// When an answer that was taken is handed over a second time.
    private static let repeatAfter = Duration.milliseconds(1_500)
    /// How long the last answers may take when the transport stops.
    private static let drainMax = Duration.seconds(2)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let waiting = Mutex<[String: Waiting]>([:])

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Keeps an answer that is offered to its relays now.
    func put(
        _ message: [UInt8], as id: String, of signer: String, for relays: [RelayAddress],
        until: Timestamp
    ) {
        let first = Offer(next: now() + .seconds(1), pause: 2)
        waiting.withLock { waiting in
            if waiting.count >= Self.countMax { Self.makeRoom(in: &waiting) }
            waiting[id] = Waiting(
                message: message, signer: signer,
                offers: Dictionary(relays.map { ($0, first) }, uniquingKeysWith: { $1 }),
                until: until)
        }
    }

    private static func makeRoom(in waiting: inout [String: Waiting]) {
        if let taken = waiting.first(where: { $0.value.isTaken })?.key {
            waiting[taken] = nil
            return
        }
        let bySigner = Dictionary(grouping: waiting) { $0.value.signer }
        let largest = bySigner.max { $0.value.count < $1.value.count }?.value ?? []
        if let oldest = largest.min(by: { $0.value.until < $1.value.until })?.key {
            waiting[oldest] = nil
        }
    }

    /// Whether an answer of this id waits, also for its second time.
    func holds(_ id: String) -> Bool { waiting.withLock { $0[id] != nil } }

    /// A relay has taken an answer: no other needs it any more.
    func take(_ id: String, by relay: RelayAddress) {
        waiting.withLock { waiting in
            guard var taken = waiting[id], !taken.isTaken else { return }
            waiting[id] = nil
            let repeatsCount = waiting.values.count { $0.isTaken && $0.signer == taken.signer }
            guard repeatsCount < Self.repeatsMax else { return }
            taken.isTaken = true
            taken.offers = [relay: Offer(next: now() + Self.repeatAfter, pause: 0)]
            waiting[id] = taken
        }
    }

    func forgetExpired(at now: Timestamp) {
        waiting.withLock { waiting in waiting = waiting.filter { $0.value.until > now } }
    }

    /// How many answers wait for a relay to take them.
    func count(for relay: RelayAddress) -> Int {
        waiting.withLock { $0.values.count { !$0.isTaken && $0.offers[relay] != nil } }
    }

    /// The answers that a relay is to be offered at once, as it has just come back.
    func waiting(for relay: RelayAddress) -> [[UInt8]] {
        waiting.withLock { waiting in
            waiting.values.filter { !$0.isTaken && $0.offers[relay] != nil }.map(\.message)
        }
    }

    /// The answers that relays are to be offered again: after 1, 2, 4 and more seconds.
    func due(at relays: Set<RelayAddress>) -> [(RelayAddress, [UInt8])] {
        let now = now()
        return waiting.withLock { waiting in
            var due: [(RelayAddress, [UInt8])] = []
            for (id, kept) in waiting {
                for (relay, offer) in kept.offers
                where relays.contains(relay) && offer.next <= now {
                    due.append((relay, kept.message))
                    waiting[id]?.offers[relay] = Offer(
                        next: now + .seconds(offer.pause), pause: 2 * offer.pause)
                    if kept.isTaken { waiting[id] = nil }
                }
            }
            return due
        }
    }

    /// Returns when nothing waits, or after the time for it.
    func drain() async {
        let end = ContinuousClock.now + Self.drainMax
        while !waiting.withLock({ $0.values.allSatisfy(\.isTaken) }), ContinuousClock.now < end {
            // The transport's task is cancelled by now, and would not sleep.
            await Task { try? await Task.sleep(for: .milliseconds(20)) }.value
        }
    }
}
