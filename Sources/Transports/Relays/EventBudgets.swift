// SPDX-License-Identifier: Apache-2.0

internal import NIP46
internal import Synchronization

/// The budgets of events: each event is charged to the party that is known to have sent it.
///
/// A genuine event of a client is charged to that client, after its signature was verified. A
/// forged event is charged to the relay that sent it. Events of all other keys share one budget of
/// their relay, of which one key gets a small part.
final class EventBudgets: Sendable {
    struct Rate {
        let perSecond: Int64
        let atOnce: Int64
    }

    /// The limit for genuine events of one client, over all its relays.
    static let client = Rate(perSecond: 100, atOnce: 2_000)
    /// The limit for events of all keys that are not clients, at one relay.
    static let unknownClients = Rate(perSecond: 500, atOnce: 2_000)
    /// The limit for events of one such key at one relay.
    static let unknownClient = Rate(perSecond: 2, atOnce: 20)
    /// The limit for forged events in the name of clients at one relay; each one costs a
    /// verification.
    static let forgeries = Rate(perSecond: 2_000, atOnce: 10_000)
    /// The maximum number of balances of unknown keys; above it only the budget of their relay
    /// applies.
    static let unknownClientsMax = 10_000
    /// The number of balances of clients and relays above which full ones are dropped.
    private static let balancesMax = 10_000

    private enum Name: Hashable {
        case client(String)
        case unknownClients(RelayAddress)
        case forgeries(RelayAddress)
    }

    private struct Balance {
        let rate: Rate
        var left: Int64
        /// The time of the last refill, in seconds.
        var time: Int64

        mutating func fill(at now: Int64) {
            // After the clock was set back, no time has passed.
            let passed = max(0, min(now - time, rate.atOnce))
            left = min(rate.atOnce, left + passed * rate.perSecond)
            time = now
        }

        func isFull(at now: Int64) -> Bool {
            var copy = self
            copy.fill(at: now)
            return copy.left == rate.atOnce
        }
    }

    private struct State {
        var balances: [Name: Balance] = [:]
        /// The balances of unknown keys, by relay and key.
        var unknownClients: [RelayAddress: [[UInt8]: Balance]] = [:]
        var unknownClientsCount = 0
        /// The time when full balances were dropped last; at most once a second.
        var dropped = Int64.min
    }

    private let state = Mutex(State())

    /// Charges a client for an event that it signed; false if its budget is used up.
    func charge(client signer: String, at now: Int64) -> Bool {
        take(.client(signer), Self.client, at: now)
    }

    /// Charges an unknown key and its relay for an event; false if one of the budgets is used up.
    ///
    /// The signature is not verified yet.
    func charge(unknownClient author: [UInt8], by relay: RelayAddress, at now: Int64) -> Bool {
        let isWithin = state.withLock { state in
            if state.unknownClientsCount >= Self.unknownClientsMax {
                Self.dropFull(&state, at: now)
            }
            let known = state.unknownClients[relay]?[author]
            if known == nil {
                guard state.unknownClientsCount < Self.unknownClientsMax else { return true }
                state.unknownClientsCount += 1
            }
            var balance = known ?? Self.full(Self.unknownClient, at: now)
            defer { state.unknownClients[relay, default: [:]][author] = balance }
            return Self.take(&balance, at: now)
        }
        return isWithin && take(.unknownClients(relay), Self.unknownClients, at: now)
    }

    /// Returns true if another signature in the name of a client may be verified for a relay.
    func mayCheck(for relay: RelayAddress, at now: Int64) -> Bool {
        balance(.forgeries(relay), Self.forgeries, at: now) { $0.left > 0 }
    }

    /// Charges a relay for a forged event.
    func charge(forgeryBy relay: RelayAddress, at now: Int64) {
        _ = take(.forgeries(relay), Self.forgeries, at: now)
    }

    private func take(_ name: Name, _ rate: Rate, at now: Int64) -> Bool {
        balance(name, rate, at: now) { Self.take(&$0, at: now) }
    }

    private func balance(
        _ name: Name, _ rate: Rate, at now: Int64, _ body: (inout Balance) -> Bool
    ) -> Bool {
        state.withLock { state in
            if state.balances.count >= Self.balancesMax { Self.dropFull(&state, at: now) }
            var balance = state.balances[name] ?? Self.full(rate, at: now)
            balance.fill(at: now)
            defer { state.balances[name] = balance }
            return body(&balance)
        }
    }

    private static func full(_ rate: Rate, at now: Int64) -> Balance {
        Balance(rate: rate, left: rate.atOnce, time: now)
    }

    private static func take(_ balance: inout Balance, at now: Int64) -> Bool {
        balance.fill(at: now)
        guard balance.left > 0 else { return false }
        balance.left -= 1
        return true
    }

    /// Drops full balances, which equal new ones.
    private static func dropFull(_ state: inout State, at now: Int64) {
        guard now != state.dropped else { return }
        state.dropped = now
        state.balances = state.balances.filter { !$0.value.isFull(at: now) }
        state.unknownClients = state.unknownClients.mapValues {
            $0.filter { !$0.value.isFull(at: now) }
        }
        .filter { !$0.value.isEmpty }
        state.unknownClientsCount = state.unknownClients.values.reduce(0) { $0 + $1.count }
    }
}
