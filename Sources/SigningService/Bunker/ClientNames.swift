// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The owner's names for clients that rules and the record identify by a key.
///
/// Access tokens and browser profiles have their names in the identity itself. Names that clients
/// claim are not used.
package struct ClientNames: Sendable {
    private let names: [String: String]

    /// Collects the names of connections by client key.
    package init(_ connections: [BunkerConnection]) {
        let pairs = connections.compactMap { one in one.client.map { ($0, one.name) } }
        // A client may have several connections, one for each account.
        names = Dictionary(grouping: pairs, by: \.0).mapValues { found in
            found.map(\.1).sorted().joined(separator: ", ")
        }
    }

    /// Returns the owner's name for a client; nil if absent or the client was not proved by a key.
    package func name(of id: String, by proof: Client.Proof) -> String? {
        proof == .key ? names[id] : nil
    }

    /// Returns the owner's name for a client.
    package func name(of client: Client) -> String? { name(of: client.id, by: client.proof) }

    /// Returns the keys of clients with this name, sorted; may be empty.
    package func keys(named name: String) -> [String] {
        names.filter { $0.value == name || $0.value.split(separator: ", ").contains { $0 == name } }
            .map(\.key).sorted()
    }
}

extension OpenHome {
    /// The owner's names for clients as stored now; empty if the vault cannot be read.
    package var clientNames: ClientNames { ClientNames((try? bunkerConnections()) ?? []) }
}
