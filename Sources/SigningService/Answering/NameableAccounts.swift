// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningFiles
internal import SigningPolicy
internal import SigningStorage

extension LocalSigner {
    /// Returns the accounts that a client may name; nil if the peer could list all accounts anyway.
    ///
    /// A client may name an account if it is connected to it, or if the account's key was used for
    /// it before. It may also name an account that a rule lists for it. All accounts are checked in
    /// every case, so that the time does not depend on the held accounts.
    static func nameable(
        by client: Client?, from peer: Peer, among accounts: [Account], in home: OpenHome,
        _ ledger: SQLiteLedger
    ) -> [Account]? {
        if client?.callback == nil, canListAccounts(peer, in: home, ledger) { return nil }
        let policy = (try? home.inForce())?.policy
        let now = SystemEnvironment().now()
        return accounts.filter { account in
            if peer.provedKey?.account == account.id { return true }
            guard let client else { return false }
            return isConnected(client, to: account, in: ledger)
                || policy?.introduces(client, from: peer, to: account, at: now) ?? false
        }
    }

    /// Returns whether a peer is a program of the owner that may request `GET /v1/keys`.
    ///
    /// It has no access token, or one whose scope holds `keys`. Pages, bunker keys, servers of
    /// Liquid Auth, links and apps around a web view may not.
    private static func canListAccounts(
        _ peer: Peer, in home: OpenHome, _ ledger: SQLiteLedger
    ) -> Bool {
        guard ownChannels.contains(peer.channel), peer.visit == nil, peer.provedKey == nil else {
            return false
        }
        guard let credential = peer.credential else { return true }
        return credential.page == nil
            && validToken(credential, in: home, ledger)?.scope.holds("keys") ?? false
    }

    /// The channels of the owner's own programs.
    private static let ownChannels: Set<ChannelName> = [.commandLine, .library, "socket"]

    private static func isConnected(
        _ client: Client, to account: Account, in ledger: SQLiteLedger
    ) -> Bool {
        let connections = (try? ledger.connections(of: client, in: account.protocolID)) ?? []
        let known = try? ledger.noted(Note.knows(account.id), about: client.subject)
        return connections.contains { $0.key == account.id } || (known ?? nil) != nil
    }
}
