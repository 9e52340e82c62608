// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// Which accounts some clients get, as the owner set it.
public struct ClientAccounts: Hashable, Sendable {
    /// The names of keys, by the names of clients in their normal form; the first is what a client
    /// gets that was told of none of them.
    public let names: [String: [String]]
    /// The names as they stand after a person was asked; nil where they cannot change.
    private let now: (@Sendable () -> [String: [String]]?)?

    /// Makes settings; without any, a client may have every account.
    public init(
        _ names: [String: [String]] = [:], now: (@Sendable () -> [String: [String]]?)? = nil
    ) {
        self.names = names
        self.now = now
    }

    /// The accounts that a client may have; empty where none of those that were set is held.
    func accounts(of client: Client?, among held: [Account]) -> [Account] {
        guard let names = client.flatMap({ names[$0.id] }) else { return held }
        return names.compactMap { name in held.first { $0.name == name } }
    }

    /// Whether a client would still get the same accounts; nil where that cannot change.
    func isCurrent(for client: Client?) -> (@Sendable () -> Bool)? {
        guard let now, let client else { return nil }
        return { [names] in now().map { $0[client.id] == names[client.id] } ?? false }
    }

    /// By the names alone.
    public static func == (one: Self, other: Self) -> Bool { one.names == other.names }

    /// By the names alone.
    public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
