// SPDX-License-Identifier: Apache-2.0

internal import SigningCore
internal import SigningPolicy
internal import SigningStorage

extension LocalSigner {
    /// The accounts that a client may name; nil where its caller could list them all anyway.
    ///
    /// A client may name the accounts that it is connected to, for which something was done for it,
    /// or of which a rule speaks that names the client. All accounts are gone through whichever the
    /// request names, so that the work is the same whatever is held.
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

    /// Whether a caller is a program of the owner's that may ask for `GET /v1/keys`: one without an
    /// access token, or with one whose scope holds `keys`.
    ///
    /// Pages, keys of a bunker, servers of Liquid Auth, links and apps around a web view are none.
    private static func canListAccounts(
        _ peer: Peer, in home: OpenHome, _ ledger: SQLiteLedger
    ) -> Bool {
        guard programDoors.contains(peer.channel), peer.visit == nil, peer.provedKey == nil else {
            return false
        }
        guard let credential = peer.credential else { return true }
        return credential.page == nil
            && standing(credential, in: home, ledger)?.scope.holds("keys") ?? false
    }

    /// The doors of the owner's own programs.
    private static let programDoors: Set<ChannelName> = [.commandLine, .library, "socket"]

    private static func isConnected(
        _ client: Client, to account: Account, in ledger: SQLiteLedger
    ) -> Bool {
        let connections = (try? ledger.connections(of: client, in: account.protocolID)) ?? []
        let known = try? ledger.noted(Note.knows(account.id), about: client.subject)
        return connections.contains { $0.key == account.id } || (known ?? nil) != nil
    }
}
