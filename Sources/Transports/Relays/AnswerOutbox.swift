// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import SigningCore
internal import Synchronization

/// The answers that no relay has accepted yet, and the time of the next try at each relay.
///
/// Answers are ephemeral events, which a relay only sends to current subscribers. After a relay has
/// accepted an answer, it is sent once more, for a client that subscribed slightly late.
final class AnswerOutbox: Sendable {
    /// The next try at one relay.
    private struct Offer {
        var next: ContinuousClock.Instant
        /// The pause after that try, in seconds.
        var pause: Int64
    }

    private struct Waiting {
        let message: [UInt8]
        /// The public key of the signer in this connection.
        let signer: String
        var offers: [RelayAddress: Offer]
        let until: Timestamp
        /// True if a relay has accepted it; it is sent to that relay once more.
        var isTaken = false
    }

    /// The maximum number of answers; above it, the connection with the most answers loses its
    /// oldest.
    private static let countMax = 1_000
    /// The maximum number of answers of one connection that are sent a second time.
    private static let repeatsMax = 16
    /// The time after which an accepted answer is sent a second time.
    private static let repeatAfter = Duration.milliseconds(1_500)
    /// The maximum time for the last answers when the transport stops.
    private static let drainMax = Duration.seconds(2)

    private let now: @Sendable () -> ContinuousClock.Instant
    private let waiting = Mutex<[String: Waiting]>([:])

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Adds an answer that is being sent to its relays now.
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

    /// Returns true if an answer with this id is waiting, also for its second time.
    func holds(_ id: String) -> Bool { waiting.withLock { $0[id] != nil } }

    /// Notes that a relay accepted an answer, so that no other relay needs it.
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

    /// Returns the number of answers that wait for a relay to accept them.
    func count(for relay: RelayAddress) -> Int {
        waiting.withLock { $0.values.count { !$0.isTaken && $0.offers[relay] != nil } }
    }

    /// Returns the answers to send to a relay that has just connected again.
    func waiting(for relay: RelayAddress) -> [[UInt8]] {
        waiting.withLock { waiting in
            waiting.values.filter { !$0.isTaken && $0.offers[relay] != nil }.map(\.message)
        }
    }

    /// Returns the answers to send again: after 1, 2, 4 and more seconds.
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

    /// Waits until no answer is waiting, at most for `drainMax`.
    func drain() async {
        let end = ContinuousClock.now + Self.drainMax
        while !waiting.withLock({ $0.values.allSatisfy(\.isTaken) }), ContinuousClock.now < end {
            // The task of the transport is cancelled by now, so a sleep in it would return at once.
            await Task { try? await Task.sleep(for: .milliseconds(20)) }.value
        }
    }
}
