// SPDX-License-Identifier: Apache-2.0

package import NIP46
internal import Nostr
internal import SigningCodecs
package import SigningCore
internal import SigningCrypto
internal import SigningFiles
package import SigningStorage
package import SigningVault
internal import Synchronization

/// A connection with its opened key.
package struct OpenConnection: Sendable {
    package let connection: BunkerConnection
    package let key: TransportKey
    /// The secret of an invited client, by which it recognises its signer.
    package let invitation: String?
    let record: TransportRecord

    /// The part that the transport needs.
    package var served: ServedConnection {
        ServedConnection(
            signer: connection.signer, client: connection.client,
            isInvited: connection.state == .invited, meetings: connection.meetings, key: key)
    }
}

extension TransportKey: EnvelopeKey {}

/// The relay connections of a home, their clients, and the keys of their envelopes.
///
/// The keys stay open while the vault is locked, so that clients can receive a reply that it is.
/// They sign envelopes only.
package final class BunkerRegistry: Sendable {
    private struct Entries {
        /// The connections by signer key.
        var open: [String: OpenConnection] = [:]
        /// The clients that have shown the secret of a connection and are not connected yet, by
        /// signer key.
        var claims: [String: String] = [:]
        /// The signer keys of refused clients, kept while the vault is locked.
        var refused: Set<String> = []
        /// The records as last read from the vault.
        var records: [TransportRecord]?
        /// The proxy for relays as last read from the unlocked vault.
        var proxy: RelayProxy?
    }

    private let home: OpenHome
    private let ledger: SQLiteLedger
    private let environment: any HubEnvironment
    private let entries = Mutex(Entries())

    package init(
        of home: OpenHome, _ ledger: SQLiteLedger,
        environment: any HubEnvironment = SystemEnvironment()
    ) {
        self.home = home
        self.ledger = ledger
        self.environment = environment
    }

    /// The connections as last read, by signer key.
    package var known: [String: OpenConnection] { entries.withLock { $0.open } }

    /// The proxy for relays as last read; nil if there is none.
    package var proxy: RelayProxy? { entries.withLock { $0.proxy } }

    /// Reads the vault again; a locked vault, whose settings are not authenticated, changes
    /// nothing.
    ///
    /// It removes connections that expired unused and connections that ended on record.
    package func refresh() throws -> [String: OpenConnection] {
        guard home.vault.isUnlocked else { return known }
        // Read together with the connections, so that none is served over another route.
        let proxy = try RelayProxy(in: home.vault)
        entries.withLock { $0.proxy = proxy }
        let records = try home.vault.transportRecords(of: BunkerConnection.transport)
        let (before, isSame) = entries.withLock { ($0.open, $0.records == records) }
        let now = environment.now()
        // A thousand unchanged connections need not be opened twice a second.
        if isSame, !before.values.contains(where: { $0.connection.hasExpired(at: now) }) {
            return before
        }
        var open: [String: OpenConnection] = [:]
        for record in records {
            guard let connection = BunkerConnection(record) else { continue }
            if let same = before[connection.signer], same.record == record {
                open[connection.signer] = same
            } else if isRefused(connection.signer) {
                try remove(connection.signer)
            } else if try hasEnded(connection) {
                try remove(connection.signer)
            } else {
                open[connection.signer] = try opened(record, connection)
            }
            if connection.hasExpired(at: now) {
                open[connection.signer] = nil
                try remove(connection.signer)
            }
        }
        entries.withLock { entries in
            entries.open = open
            entries.records = records
            entries.claims = entries.claims.filter { open[$0.key] != nil }
        }
        return open
    }

    /// Reserves the secret of a `bunker://` URI for a client until it is released; throws if it may
    /// not connect.
    package func claim(
        _ signer: String, by client: String, showing secret: String
    ) throws(NIP46Refusal) {
        let now = environment.now()
        let refusal: NIP46Refusal? = entries.withLock { entries in
            guard let connection = entries.open[signer]?.connection,
                let digest = connection.secretDigest,
                ConstantTime.isEqual(digest.span, Digest.sha256(secret.utf8.span).span)
            else { return .invalidSecret }
            guard connection.state == .offered, entries.claims[signer] ?? client == client else {
                return .secretUsed
            }
            guard !connection.hasExpired(at: now) else { return .invalidSecret }
            guard home.vault.isUnlocked else { return .signerLocked }
            entries.claims[signer] = client
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Releases the secret after a failed attempt.
    package func release(_ signer: String) {
        entries.withLock { _ = $0.claims.removeValue(forKey: signer) }
    }

    /// Stores the connected client.
    package func connect(
        _ signer: String, to client: String, _ metadata: ClientMetadata?
    ) throws -> OpenConnection {
        guard let open = known[signer] else { throw Self.connectionEnded }
        let connection = open.connection.connected(to: client, metadata)
        let isKept = try change { vault in
            try vault.change(open.record, to: connection.body, enclosing: [])
        }
        guard isKept, let kept = try refresh()[signer] else { throw Self.connectionEnded }
        release(signer)
        return kept
    }

    /// Stores that the client was notified of the move.
    ///
    /// While the vault is locked this is only kept in memory.
    package func noteMoveNotified(_ signer: String) throws -> OpenConnection {
        guard let open = known[signer] else { throw Self.connectionEnded }
        let notified = open.connection.notifiedOfMove
        guard home.vault.isUnlocked else {
            let noted = OpenConnection(
                connection: notified, key: open.key, invitation: open.invitation,
                record: open.record)
            entries.withLock { $0.open[signer] = noted }
            return noted
        }
        let isKept = try change { vault in
            try vault.change(open.record, to: notified.body, enclosing: [])
        }
        guard isKept, let kept = try refresh()[signer] else { throw Self.connectionEnded }
        return kept
    }

    /// The number of connections that cannot be answered until the vault is unlocked, because they
    /// are not verified yet.
    package var waitingCount: Int {
        guard !home.vault.isUnlocked, known.isEmpty else { return 0 }
        return (try? home.vault.transportRecords(of: BunkerConnection.transport))?.count ?? 0
    }

    /// Removes a connection; if the vault is locked, once it is unlocked.
    package func end(_ signer: String) throws {
        entries.withLock { entries in
            entries.open[signer] = nil
            // The records must be read again once the vault is unlocked.
            entries.records = nil
        }
        if home.vault.isUnlocked { try remove(signer) }
    }

    /// Removes the connection of a client that the owner refused, so that no question is asked
    /// again.
    ///
    /// If the vault is locked it is removed once the vault is unlocked.
    package func refuse(_ signer: String) {
        entries.withLock { _ = $0.refused.insert(signer) }
        // If this fails, `refresh` removes it later, because it is among the refused.
        try? end(signer)
    }

    /// Returns true if another process ended a connection on record.
    package func isDisconnected(_ signer: String) throws -> Bool {
        guard let connection = known[signer]?.connection else { return false }
        return try hasEnded(connection)
    }

    private static let connectionEnded = ServiceError("the connection has ended", hint: nil)

    private func opened(
        _ record: TransportRecord, _ connection: BunkerConnection
    ) throws -> OpenConnection {
        let open = try home.vault.open(record, signing: RelayEnvelope.domain)
        return OpenConnection(
            connection: connection, key: open.key,
            invitation: connection.state == .invited
                ? String(decoding: open.enclosed, as: UTF8.self) : nil, record: record)
    }

    /// Returns whether the client logged out or was disconnected although the vault still has the
    /// connection.
    private func hasEnded(_ connection: BunkerConnection) throws -> Bool {
        guard connection.state == .connected, let key = connection.provedKey,
            let client = Peer(channel: .relay, provedKey: key).client(by: environment)
        else { return false }
        try ledger.flush()
        let sessions = try ledger.connections(of: client, in: NostrChain.protocolID)
        return !sessions.contains { $0.network == connection.signer }
    }

    private func isRefused(_ signer: String) -> Bool {
        entries.withLock { $0.refused.contains(signer) }
    }

    private func remove(_ signer: String) throws {
        guard let key = try? Hex.decode(signer) else { return }
        try change { vault in try vault.removeTransportKey(key) }
        entries.withLock { _ = $0.refused.remove(signer) }
    }

    private func change<R>(_ body: (Vault) throws -> R) throws -> R {
        let result = try body(home.vault)
        let checkpointer = Checkpointer(
            vault: home.vault, ledger: ledger, environment: environment)
        try checkpointer.noteVault()
        return result
    }
}
