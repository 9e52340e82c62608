// SPDX-License-Identifier: Apache-2.0

import NIP46
import SigningCodecs
import SigningCore
import SigningService
import SigningStorage
import SigningTerminal

/// The connected clients of all wires, for the owner.
enum ConnectedClients {
    /// One row for each connection, the newest first; a bunker connection has its name even before
    /// its first use.
    static func rows(_ workspace: Workspace) throws -> [InboxConnection] {
        let names = Dictionary(
            try workspace.accounts().map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
        let (bunker, sessions) = (
            try workspace.open.bunkerConnections(),
            try SQLiteLedger.open(workspace.open.home).allConnections()
        )
        let known = Dictionary(bunker.map { ($0.signer, $0) }, uniquingKeysWith: { $1 })
        let waiting = bunker.filter { $0.state != .connected }.map { connection in
            let row =
                "\(connection.created.utcText)  nostr  "
                + "\(VisibleText.escaped(names[connection.account] ?? "(removed)"))  "
                + "\(VisibleText.escaped(connection.name)): \(connection.state.rawValue)"
            return InboxConnection(id: nil, row)
        }
        let connected = sessions.map { session in
            let connection = known[session.network]
            let claimText =
                connection?.metadata?.name.map {
                    ", calls itself \"\(VisibleText.quotable($0))\""
                } ?? ""
            let place =
                connection.map { "\(VisibleText.escaped($0.name))\(claimText): " }
                ?? "\(VisibleText.escaped(session.network))  "
            let row =
                "\(session.started.utcText)  \(session.protocolID)  "
                + "\(VisibleText.escaped(names[session.key] ?? "(removed)"))  \(place)"
                + "\(VisibleText.listed(session.client.id)) (\(session.client.proof.known))"
            return InboxConnection(id: Hex.encode(session.id.span), row)
        }
        return (connected + waiting).reversed()
    }
}
