// SPDX-License-Identifier: Apache-2.0

extension OwnerActs {
    /// Lists the connections of clients over relays.
    package static let bunkerList = OwnerAct<Void, [BunkerConnection]>(
        ActDescription(name: "bunker list", summary: "list the connections")
    ) { _, place in try place.home.bunkerConnections() }

    /// Ends the connection with a name, on record, and revokes the grants of its client.
    package static let bunkerRevoke = PassphraseAct<String, Void>(
        ActDescription(
            name: "bunker revoke", summary: "end a connection and revoke its permissions",
            subject: .bunker, event: .disconnected)
    ) { name, place, passphrase in
        try place.home.revokeConnection(named: name, passphrase: passphrase)
    }
}
