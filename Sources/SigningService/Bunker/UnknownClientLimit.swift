// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import Synchronization

/// Limits the events of unknown clients and the replies to them, for each connection and relay.
///
/// An unknown client can only present a secret. A secret has 128 bits, so the limit is not against
/// guesses; it bounds the number of replies. After a wrong secret, a client with the right one can
/// still connect.
final class UnknownClientLimit: Sendable {
    private struct Tally {
        var start: Int64 = 0
        var count = 0
        var lastReply: Int64 = .min / 2
        var wrongCount = 0
        var quietUntil: Int64 = .min / 2
    }

    private static let spanSeconds: Int64 = 10
    private static let replyPauseSeconds: Int64 = 60
    private static let delaySecondsMax: Int64 = 60
    private static let talliesMax = 2_000

    private let tallies = Mutex<[String: Tally]>([:])

    /// Returns true if an event of an unknown client may be opened.
    func admits(_ connection: BunkerConnection, by relay: RelayAddress, at now: Int64) -> Bool {
        // Each unknown client may be the one that the owner gave the secret to.
        if connection.state == .offered { return true }
        return change(connection, relay) { tally in
            if now >= tally.start + Self.spanSeconds {
                tally.start = now
                tally.count = 0
            }
            tally.count += 1
            // A connection that has a client needs no events of other keys.
            return tally.count == 1 && now >= tally.lastReply + Self.replyPauseSeconds
        }
    }

    /// Returns true if an unknown client gets a reply with this refusal.
    func mayReply(
        _ refusal: NIP46Refusal, of connection: BunkerConnection, by relay: RelayAddress,
        at now: Int64
    ) -> Bool {
        change(connection, relay) { tally in
            if refusal == .invalidSecret {
                guard now >= tally.quietUntil else { return false }
                let delay = min(Self.delaySecondsMax, 1 << Int64(min(tally.wrongCount, 6)))
                tally.quietUntil = now + delay
                tally.wrongCount += 1
                return true
            }
            guard now >= tally.lastReply + Self.replyPauseSeconds else { return false }
            tally.lastReply = now
            return true
        }
    }

    private func change(
        _ connection: BunkerConnection, _ relay: RelayAddress, _ body: (inout Tally) -> Bool
    ) -> Bool {
        tallies.withLock { tallies in
            if tallies.count >= Self.talliesMax { tallies = [:] }
            return body(&tallies["\(connection.signer) \(relay.text)", default: Tally()])
        }
    }
}
