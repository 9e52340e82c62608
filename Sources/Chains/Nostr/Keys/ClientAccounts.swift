// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// The accounts that some clients may use, as the owner set them.
public struct ClientAccounts: Hashable, Sendable {
    /// The names of keys, by the normalized names of clients; the first key is the default.
    public let names: [String: [String]]
    /// Returns the current names after a person was asked; nil if they cannot change.
    private let now: (@Sendable () -> [String: [String]]?)?

    /// Creates the settings; a client without an entry may use every account.
    public init(
        _ names: [String: [String]] = [:], now: (@Sendable () -> [String: [String]]?)? = nil
    ) {
        self.names = names
        self.now = now
    }

    /// Returns the accounts that a client may use; empty if no configured account is held.
    func accounts(of client: Client?, among held: [Account]) -> [Account] {
        guard let names = client.flatMap({ names[$0.id] }) else { return held }
        return names.compactMap { name in held.first { $0.name == name } }
    }

    /// Returns a check that the client still may use the same accounts; nil if they cannot change.
    func isCurrent(for client: Client?) -> (@Sendable () -> Bool)? {
        guard let now, let client else { return nil }
        return { [names] in now().map { $0[client.id] == names[client.id] } ?? false }
    }

    /// Compares only the names.
    public static func == (one: Self, other: Self) -> Bool { one.names == other.names }

    /// Hashes only the names.
    public func hash(into hasher: inout Hasher) { hasher.combine(names) }
}
