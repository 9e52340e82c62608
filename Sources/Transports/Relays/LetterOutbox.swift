// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import SigningCore
internal import Synchronization

/// Answers that no relay has taken yet, each for the relays of its connection.
final class LetterOutbox: Sendable {
    private struct Waiting {
        let message: [UInt8]
        /// The signer's key of the connection.
        let signer: String
        let relays: Set<RelayAddress>
        let until: Timestamp
    }

    /// The most that wait; beyond it the connection with the most of them loses its oldest.
    private static let countMax = 1_000
    /// How long the last answers may take when the transport stops.
    private static let drainMax = Duration.seconds(2)

    private let waiting = Mutex<[String: Waiting]>([:])

    func put(
        _ message: [UInt8], as id: String, of signer: String, for relays: [RelayAddress],
        until: Timestamp
    ) {
        waiting.withLock { waiting in
            if waiting.count >= Self.countMax { Self.makeRoom(in: &waiting) }
            waiting[id] = Waiting(
                message: message, signer: signer, relays: Set(relays), until: until)
        }
    }

    private static func makeRoom(in waiting: inout [String: Waiting]) {
        let bySigner = Dictionary(grouping: waiting) { $0.value.signer }
        let largest = bySigner.max { $0.value.count < $1.value.count }?.value ?? []
        if let oldest = largest.min(by: { $0.value.until < $1.value.until })?.key {
            waiting[oldest] = nil
        }
    }

    /// A relay has it: the client finds it there.
    func forget(_ id: String) { waiting.withLock { _ = $0.removeValue(forKey: id) } }

    func forgetExpired(at now: Timestamp) {
        waiting.withLock { waiting in waiting = waiting.filter { $0.value.until > now } }
    }

    /// What a relay that has just come back is to be handed.
    func waiting(for relay: RelayAddress) -> [[UInt8]] {
        waiting.withLock { waiting in
            waiting.values.filter { $0.relays.contains(relay) }.map(\.message)
        }
    }

    /// Returns when nothing waits, or after the time for it.
    func drain() async {
        let end = ContinuousClock.now + Self.drainMax
        while !waiting.withLock({ $0.isEmpty }), ContinuousClock.now < end {
            // The transport's task is cancelled by now, and would not sleep.
            await Task { try? await Task.sleep(for: .milliseconds(20)) }.value
        }
    }
}
