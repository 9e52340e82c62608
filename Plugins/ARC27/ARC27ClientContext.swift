// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

/// The client of a request, with the accounts, settings and sessions that apply to it.
struct ARC27ClientContext {
    let client: Client?
    let settings: ARC27ClientSettings
    /// The accounts that the client sees after it connects.
    let accounts: [Account]
    /// The accounts that the client may name.
    let nameable: [Account]
    /// True if the client may name only some accounts.
    let isLimited: Bool
    /// All accounts that the owner keeps; those that the client cannot see are only used for
    /// warnings.
    let keptAccounts: [Account]
    let channel: ChannelName
    /// The sessions of the client, one for each network and account.
    let sessions: [ClientConnection]
    /// True if the client was connected before and is not connected now.
    let isDisconnected: Bool
    /// The answers of nodes about the accounts.
    let nodes: NodeAuthorities
    private let freshID: () -> [UInt8]
    /// Items that may have been posted and have no known outcome.
    let unsettled: () -> [UnsentItem]
    let now: Timestamp

    init(
        _ context: DecodingContext, _ configuration: ARC27Configuration,
        _ nodes: NodeAuthorities = .none
    ) {
        self.nodes = nodes
        let client = context.client
        self.client = client
        let settings = client.flatMap { configuration.clients[$0.id] } ?? ARC27ClientSettings()
        self.settings = settings
        let named = context.nameable(client)
        isLimited = named != nil
        // A client that may name no account must not learn about one through a warning either.
        keptAccounts = named?.isEmpty == true ? [] : context.accounts
        let shown = context.accounts.filter { account in
            settings.accounts?.contains { UTF8Text.isSame($0, account.name) } ?? true
        }
        accounts = shown
        nameable = named.map { named in shown.filter { named.contains($0) } } ?? shown
        channel = context.peer.channel
        sessions = client.map { context.connections($0) } ?? []
        let wasConnected = client.map { context.noted(Self.connectedNote, $0.subject) != nil }
        isDisconnected = sessions.isEmpty && wasConnected ?? false
        freshID = { context.freshID }
        unsettled = context.unsettled
        now = context.now
    }

    /// The keys that may sign for this client.
    var ring: KeyRing {
        KeyRing(
            accounts: nameable, keptAccounts: keptAccounts, connections: sessions,
            isLimited: isLimited, nodes: nodes)
    }

    /// The name of the note about a connected client, which must connect again after a
    /// disconnection.
    static let connectedNote = "arc27.connected"

    /// The error for a client that was disconnected; otherwise nil.
    var disconnection: AlgorandRefusal? {
        guard isDisconnected else { return nil }
        return AlgorandRefusal(
            .unauthorizedSigner, "this client is disconnected; send enable first")
    }

    /// Returns the form of `stxns` for this client.
    func dialect(for answer: ARC27Answer) -> ARC27ClientSettings.Dialect {
        let isLiquid =
            channel == ARC27Wire.liquidChannel
            && UUIDText.isSame(answer.providerID, ARC27Wire.liquidProviderID)
        return settings.stxns ?? (isLiquid ? .signature : .arc27)
    }

    /// Throws if the client has sessions, but not on this network.
    func checkConnected(
        to network: AlgorandNetwork
    ) throws(AlgorandRefusal) {
        guard sessions.isEmpty || sessions.contains(where: { $0.network == network.policyName })
        else {
            throw .networkNotSupported(
                genesisHash: network.genesisHash,
                "this client is connected to another network; send enable for this one")
        }
    }
}

extension ARC27ClientContext {
    /// The changes by a new session, which ends the previous one on the same network.
    struct Opening {
        /// The id of the session; nil without a client or without accounts.
        let sessionID: String?
        let changes: [ConnectionChange]
        var notes: [Note] = []
    }

    /// Connects the client to accounts on a network.
    ///
    /// The ledger keeps one connection for each account. Here the connections of a network are one
    /// session, named by the smallest of their ids.
    func opening(
        _ accounts: [Account], on network: AlgorandNetwork
    ) -> Opening {
        guard let client else { return Opening(sessionID: nil, changes: []) }
        let opened = accounts.map { account in
            ClientConnection(
                id: freshID(), protocolID: .algorand, client: client,
                network: network.policyName, key: account.id, address: account.address,
                started: now)
        }
        return Opening(
            sessionID: Self.name(of: opened),
            changes: sessions(on: network).map { .ends(id: $0.id) } + opened.map { .opens($0) },
            notes: opened.isEmpty ? [] : [Note(client.subject, Self.connectedNote, 1)])
    }

    /// Returns the changes by a disconnection; unknown ids change nothing.
    ///
    /// Without ids, the session on the network ends. The end of the last session also deletes the
    /// grants of the client.
    func closing(
        _ ids: [String], on network: AlgorandNetwork
    ) -> (removed: [String], changes: [ConnectionChange]) {
        guard let client else { return ([], []) }
        let here = sessions(on: network)
        let name = Self.name(of: here)
        let isMeant =
            ids.isEmpty || ids.contains { id in name.map { UUIDText.isSame(id, $0) } ?? false }
        let isLast = sessions.count == here.count && isMeant
        return (
            isMeant ? name.map { [$0] } ?? [] : [],
            (isMeant ? here.map { .ends(id: $0.id) } : [])
                + (isLast ? [.forgets(client, .algorand)] : [])
        )
    }

    private func sessions(on network: AlgorandNetwork) -> [ClientConnection] {
        sessions.filter { $0.network == network.policyName }
    }

    private static func name(of sessions: [ClientConnection]) -> String? {
        let ids = sessions.map(\.id)
        return ids.min { $0.lexicographicallyPrecedes($1) }.map(UUIDText.version4)
    }
}
