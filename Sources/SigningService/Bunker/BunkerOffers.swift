// SPDX-License-Identifier: Apache-2.0

package import NIP46
internal import Nostr
internal import SigningCodecs
package import SigningCore
package import SigningCrypto
internal import SigningFiles
internal import SigningPolicy
internal import SigningStorage
internal import SigningVault

/// Changes of relay connections by the owner; each needs the passphrase.
extension OpenHome {
    /// Returns the connections, oldest first; they are not verified while the vault is locked.
    package func bunkerConnections() throws -> [BunkerConnection] {
        try vault.transportRecords(of: BunkerConnection.transport).compactMap {
            BunkerConnection($0)
        }
    }

    /// Returns the connection with a name.
    package func bunkerConnection(named name: String) throws -> BunkerConnection {
        let all = try bunkerConnections()
        guard let connection = all.first(where: { $0.name == name }) else {
            let near = Suggestion.closest(to: name, among: all.map(\.name))
            throw ServiceError(
                "unknown connection \"\(VisibleText.quotable(name))\"",
                hint: near.map { "did you mean \"\($0)\"?" }
                    ?? "see \"countersign bunker list\"")
        }
        return connection
    }

    /// Makes a connection that a client may use by its URI, once and within a day.
    package func offerConnection(
        _ name: String?, to account: Account, over relays: [RelayAddress], perms: String,
        passphrase: borrowing SecretBytes
    ) throws -> (BunkerConnection, BunkerURI) {
        try checkReachable(relays)
        let secret = Hex.encode(Randomness.bytes(secretBytes).span)
        let connection = try addConnection(
            named: name, to: account, over: relays, perms, passphrase
        ) { signer, name, now in
            BunkerConnection(
                signer: signer, name: name, account: account.id, relays: relays, perms: perms,
                created: now, state: .offered, secretDigest: Digest.sha256(secret.utf8.span))
        }
        return (
            connection, BunkerURI(signer: connection.signer, relays: relays, secret: secret)
        )
    }

    /// Refuses relays that only Tor reaches, if there is no proxy.
    private func checkReachable(_ relays: [RelayAddress]) throws {
        let left = try reachable(relays)
        if let lost = relays.first(where: { !left.contains($0) }) { throw Self.unreachable(lost) }
    }

    /// Makes the connection that a client requests by its own URI; the agent answers it over those
    /// of the URI's relays that it can reach.
    package func acceptConnection(
        _ name: String?, of uri: NostrConnectURI, to account: Account,
        passphrase: borrowing SecretBytes
    ) throws -> BunkerConnection {
        let relays = try reachable(uri.relays)
        return try addConnection(
            named: name, to: account, over: relays, uri.perms, passphrase,
            enclosing: Array(uri.secret.utf8)
        ) { signer, name, now in
            BunkerConnection(
                signer: signer, name: name, account: account.id, relays: relays,
                perms: uri.perms, created: now, state: .invited, secretDigest: nil,
                client: uri.client, metadata: uri.metadata)
        }
    }

    private var secretBytes: Int { 16 }

    private func addConnection(
        named name: String?, to account: Account, over relays: [RelayAddress], _ perms: String,
        _ passphrase: borrowing SecretBytes, enclosing text: [UInt8] = [],
        _ make: (_ signer: String, _ name: String, _ now: Timestamp) -> BunkerConnection
    ) throws -> BunkerConnection {
        guard account.protocolID == NostrChain.protocolID, !account.isWatchOnly else {
            throw ServiceError(
                "\"\(account.name)\" is not a Nostr key", hint: "give a Nostr key with --key")
        }
        let taken = Set(try bunkerConnections().map(\.name))
        if let name, taken.contains(name) {
            throw ServiceError(
                "a connection with the name \"\(VisibleText.quotable(name))\" already exists",
                hint: "choose another name")
        }
        let free = (1...taken.count + 1).lazy.map { "client\($0)" }.first { !taken.contains($0) }
        let chosen = name ?? free ?? "client"
        let now = SystemEnvironment().now()
        let record = try change(with: passphrase) { vault in
            try Vault.checkName(chosen)
            return try vault.addTransportKey(
                of: BunkerConnection.transport, signing: NostrChain.algorithm, enclosing: text
            ) { key in make(Hex.encode(key.span), chosen, now).body }
        }
        guard let connection = BunkerConnection(record) else {
            throw ServiceError("the connection cannot be saved", hint: nil)
        }
        return connection
    }

    /// Moves a connection to other relays; for a day both sets are used.
    package func setRelays(
        _ relays: [RelayAddress], of name: String, passphrase: borrowing SecretBytes
    ) throws {
        try checkReachable(relays)
        let isKept = try change(with: passphrase) { vault in
            let records = try vault.transportRecords(of: BunkerConnection.transport)
            for record in records {
                guard let connection = BunkerConnection(record), connection.name == name else {
                    continue
                }
                let moved = connection.moved(to: relays, at: SystemEnvironment().now())
                let open = try vault.open(record, signing: RelayEnvelope.domain)
                return try vault.change(record, to: moved.body, enclosing: open.enclosed)
            }
            return false
        }
        guard isKept else {
            throw ServiceError("the connection has ended", hint: "see \"countersign bunker list\"")
        }
    }

    /// Ends a connection on record.
    ///
    /// It revokes the grants of its client unless the same client has another connection.
    package func revokeConnection(named name: String, passphrase: borrowing SecretBytes) throws {
        let connection = try bunkerConnection(named: name)
        guard let key = try? Hex.decode(connection.signer) else { return }
        // Without the key, the rest of the connection could not be found and ended.
        try change(with: passphrase, onceOnRecord: { try endOnRecord(connection) }) { vault in
            try vault.removeTransportKey(key)
        }
    }

    private func endOnRecord(_ connection: BunkerConnection) throws {
        guard let client = connection.client else { return }
        let hasOtherConnection = try bunkerConnections().contains {
            $0.client == client && $0.signer != connection.signer
        }
        let now = SystemEnvironment().now()
        let ledger = try SQLiteLedger.open(home)
        let proved = Client(id: client, name: nil, proof: .key)
        let sessions = try ledger.connections(of: proved, in: NostrChain.protocolID)
        try ledger.end(
            connections: sessions.filter { $0.network == connection.signer }.map(\.id),
            at: now)
        guard !hasOtherConnection else { return }
        let granted = try ledger.allGrants().filter { known in
            let scope = known.sealed.grant.scope
            return scope.client == client && scope.proof == .key
                && known.sealed.grant.answer == .yes
        }
        try ledger.revoke(granted.map(\.sealed.grant.id), at: now)
    }
}
