// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Limits the refusals of each client: `burst` refusals at once, then one more each `seconds`
/// seconds.
///
/// Refusals stay in the record for ever, so without a limit a client could fill the disk with them.
/// Requests that are carried out are not counted.
final class RateLimit: Sendable {
    /// The number of refusals that a client may have at once.
    static let burst = 300
    /// The time until one more refusal is allowed, in seconds.
    static let seconds: Int64 = 5
    /// The maximum number of clients of one kind that are counted separately; all others of the
    /// kind are counted as one client.
    static let clientsMax = 512
    /// The maximum for kinds of which the owner admits each client; never reached in practice.
    static let clientsMaxOfFew = 2_048

    private struct Account {
        /// The number of refusals left; negative if many requests were in progress at once.
        var left: Double
        var at: ContinuousClock.Instant
    }

    /// The refusals left of the clients of one kind.
    private struct Accounts {
        var named: [CountedClient: Account] = [:]
        /// The refusals left of all clients without an account of their own.
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

    /// Creates a limit that measures time with `now`.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    /// Returns whether a client has a refusal left, so that its frames are read.
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
                // Makes room: clients that have all their refusals left need no account.
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
