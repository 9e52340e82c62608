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
    /// Of how many callers of a kind it is known; all others of that kind share what one may have.
    static let clientsMax = 512
    /// The same for a kind of which the owner bounds how many there are: more than that.
    static let clientsMaxOfFew = 2_048

    private struct Account {
        /// What is left, in refusals; below zero where many were in flight.
        var left: Double
        var at: ContinuousClock.Instant
    }

    /// The accounts of one kind of callers: callers of another kind use none of them up.
    private struct Accounts {
        var named: [CountedClient: Account] = [:]
        /// What all share for whom there is no other account.
        var ofOthers: Account?

        func account(of client: CountedClient) -> Account? {
            named[client] ?? (hasRoom(for: client) ? nil : ofOthers)
        }

        func hasRoom(for client: CountedClient) -> Bool {
            named.count < (client.isOfMany ? RateLimit.clientsMax : RateLimit.clientsMaxOfFew)
        }
    }

    private let now: @Sendable () -> ContinuousClock.Instant
    private let accounts = Mutex<[CountedClient.Kind: Accounts]>([:])

    /// Counts by a clock.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Whether a caller is heard now.
    func hears(_ client: CountedClient) -> Bool {
        accounts.withLock { accounts in
            guard let account = accounts[client.kind]?.account(of: client) else { return true }
            return Self.left(of: account, at: now()) >= 1
        }
    }

    /// Counts a refusal.
    func count(_ client: CountedClient) {
        let now = now()
        accounts.withLock { all in
            var accounts = all[client.kind] ?? Accounts()
            if accounts.named[client] == nil, !accounts.hasRoom(for: client) {
                // A caller that has all of it back is as good as unknown.
                accounts.named = accounts.named.filter {
                    Self.left(of: $0.value, at: now) < Double(Self.burst)
                }
            }
            let left = accounts.account(of: client).map { Self.left(of: $0, at: now) }
            let account = Account(left: (left ?? Double(Self.burst)) - 1, at: now)
            if accounts.named[client] != nil || accounts.hasRoom(for: client) {
                accounts.named[client] = account
            } else {
                accounts.ofOthers = account
            }
            all[client.kind] = accounts
        }
    }

    private static func left(of account: Account, at now: ContinuousClock.Instant) -> Double {
        let passed = (now - account.at) / .seconds(seconds)
        return min(Double(burst), account.left + max(0, passed))
    }
}
