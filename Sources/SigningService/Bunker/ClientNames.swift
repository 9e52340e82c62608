// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The names that the owner gave to clients which rules and the record know by a key.
///
/// The names of access tokens and browser profiles stand in what rules know them by. What a client
/// calls itself is no name here.
package struct ClientNames: Sendable {
    private let names: [String: String]

    /// The names of connections, by the keys of their clients.
    package init(_ connections: [BunkerConnection]) {
        let pairs = connections.compactMap { one in one.client.map { ($0, one.name) } }
        // A client may have several connections: each has an account of its own.
        names = Dictionary(grouping: pairs, by: \.0).mapValues { found in
            found.map(\.1).sorted().joined(separator: ", ")
        }
    }

    /// The owner's name for a client; nil where there is none, or where no key proved the client.
    package func name(of id: String, by proof: Client.Proof) -> String? {
        proof == .key ? names[id] : nil
    }

    /// The owner's name for a client.
    package func name(of client: Client) -> String? { name(of: client.id, by: client.proof) }

    /// The keys of clients that the owner calls so, sorted; empty where there are none.
    package func keys(named name: String) -> [String] {
        names.filter { $0.value == name || $0.value.split(separator: ", ").contains { $0 == name } }
            .map(\.key).sorted()
    }
}

extension OpenHome {
    /// The owner's names for clients, as the vault has them now; none where it cannot be read.
    package var clientNames: ClientNames { ClientNames((try? bunkerConnections()) ?? []) }
}
