// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits the rate of clients that are refused often: `burst` refusals at once, then one per
/// `seconds`.
///
/// Each refusal stays on record for ever. Without a limit a client could grow the record at the
/// speed of the disk. Granted requests are not counted.
final class RateLimit: Sendable {
    /// The number of refusals that a client may have at once.
    static let burst = 300
    /// The time until one more refusal is allowed, in seconds.
    static let seconds: Int64 = 5
    /// The number of clients of one kind that are counted separately; all others of the kind share
    /// one allowance.
    static let clientsMax = 512
    /// The number for kinds that the owner bounds, which is above any real one.
    static let clientsMaxOfFew = 2_048

    private struct Account {
        /// The refusals left; below zero if many requests were in flight.
        var left: Double
        var at: ContinuousClock.Instant
    }

    /// The allowances of clients of one kind, independent of other kinds.
    private struct Accounts {
        var named: [CountedClient: Account] = [:]
        /// The allowance that clients without an account share.
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

    /// Returns whether a client is accepted now.
    func admits(_ client: CountedClient) -> Bool {
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
                // A client with its full allowance need not be kept.
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
