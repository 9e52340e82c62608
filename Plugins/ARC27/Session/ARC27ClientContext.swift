// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

/// Who asks, and what is there for this client.
struct ARC27ClientContext {
    let client: Client?
    let settings: ARC27ClientSettings
    /// The accounts that the client is shown once it is connected.
    let accounts: [Account]
    /// Those of them that it may name.
    let nameable: [Account]
    /// Whether it may name some only.
    let isLimited: Bool
    /// Those that the client does not see as well: what they say may warn, and never serves it.
    let keptAccounts: [Account]
    let channel: ChannelName
    /// The sessions of the client, one for each network and account.
    let sessions: [ClientConnection]
    /// Whether the client was connected and is not any more.
    let isDisconnected: Bool
    /// What nodes say of the accounts.
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
        // A client that may name none must not find out by a warning either.
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

    /// What is noted of a client that connects; from its last disconnection on it has to again.
    static let connectedNote = "arc27.connected"

    /// Why nothing is signed for a client that was disconnected.
    var disconnection: AlgorandRefusal? {
        guard isDisconnected else { return nil }
        return AlgorandRefusal(
            .unauthorizedSigner, "this client is disconnected; send enable first")
    }

    /// What stands in `stxns` for this client.
    func dialect(for answer: ARC27Answer) -> ARC27ClientSettings.Dialect {
        let isLiquid =
            channel == ARC27Wire.liquidDoor
            && UUIDText.isSame(answer.providerID, ARC27Wire.liquidProviderID)
        return settings.stxns ?? (isLiquid ? .signature : .arc27)
    }

    /// Refuses a network that the client is not connected to, where it is connected to any.
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
    /// What changes with a new session, which ends the one before on the same network.
    struct Opening {
        /// Nil where there is nobody to have a session, or nothing to have it about.
        let sessionID: String?
        let changes: [ConnectionChange]
        var notes: [Note] = []
    }

    /// Connects the client to accounts on a network.
    ///
    /// The ledger keeps a session for each account; those of a network are one here, and the
    /// smallest of their ids is its name.
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

    /// What changes where a client is disconnected; an id that is not its own ends nothing.
    ///
    /// No ids mean whatever it has on the network. With its last session goes what people allowed
    /// it.
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
