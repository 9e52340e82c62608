// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// How often those who are refused again and again are heard: `burst` times, and then once in
/// `seconds`.
///
/// Each refusal is on record for ever; without an end to them a client could grow the record as
/// fast as a disk takes it. What is granted is not counted.
final class RateLimit: Sendable {
    /// How many refusals somebody may have at once.
    static let burst = 300
    /// In which time one more is heard, in seconds.
    static let seconds: Int64 = 5
    /// Of how many it is known; all others share what one may have.
    static let namesMax = 512

    private struct Account {
        /// What is left, in refusals; below zero where many were in flight.
        var left: Double
        var at: ContinuousClock.Instant
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let accounts = Mutex<[String: Account]>([:])

    /// Counts by a clock.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Whether somebody is heard now.
    func hears(_ name: String) -> Bool {
        accounts.withLock { accounts in
            guard let account = accounts[Self.key(for: name, in: accounts)] else { return true }
            return Self.left(of: account, at: now()) >= 1
        }
    }

    /// Counts a refusal.
    func count(_ name: String) {
        let now = now()
        accounts.withLock { accounts in
            if accounts[name] == nil, accounts.count >= Self.namesMax {
                // Whoever has all of it back is as good as unknown.
                accounts = accounts.filter { Self.left(of: $0.value, at: now) < Double(Self.burst) }
            }
            let key = Self.key(for: name, in: accounts)
            let left = accounts[key].map { Self.left(of: $0, at: now) } ?? Double(Self.burst)
            accounts[key] = Account(left: left - 1, at: now)
        }
    }

    private static func key(for name: String, in accounts: [String: Account]) -> String {
        accounts[name] == nil && accounts.count >= namesMax ? others : name
    }

    private static func left(of account: Account, at now: ContinuousClock.Instant) -> Double {
        let passed = (now - account.at) / .seconds(seconds)
        return min(Double(burst), account.left + max(0, passed))
    }

    /// No name is empty.
    private static let others = ""
}
