// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension NEP413Request {
    /// Signing in, and where the client wants it the transaction that adds a key for it.
    init(
        signIn caller: WalletCaller, adding key: FunctionCallKey?, in wire: WireContext
    ) throws(NEARRefusal) {
        let context = wire.hub
        let account = try Self.account(for: caller, in: context)
        let network = try Self.network(of: caller, or: account)
        let changes = try Self.opening(account, on: network, in: context)
        guard let key else {
            self.init(
                Method.signIn, .signIn(account, network: network),
                operations: [
                    RequestedOperation(
                        account: account, operation: .publicKey, facts: [],
                        effects: [.revealsKey], dangers: [])
                ],
                facts: [Fact("network", .text(network)), Fact("signs_in", .bool(true))],
                sessionChanges: changes, sha256: wire.sha256)
            return
        }
        // The account adds a key to itself.
        let adding = TransactionWire(receiver: account.address, actions: [key.action])
        let maker = try TransactionMaker(account, network, in: context)
        try self.init(
            [try maker.transaction(adding, at: 0)], given: [],
            network: (network, maker.isNetworkKnown(givenBlock: false)), by: account,
            for: .signIn(account), maker, changes: changes, wire.sha256)
    }

    /// Signing out: sessions end, and what the client was allowed.
    init(signOut network: String?, in wire: WireContext) throws(NEARRefusal) {
        let context = wire.hub
        let client = try Self.requiredClient(of: context)
        let ending = context.sessions(client).filter {
            network == nil || $0.network == network
        }
        self.init(
            Method.signOut, .signOut(network: network, sessionCount: ending.count),
            facts: network.map { [Fact("network", .text($0))] } ?? [],
            sessionChanges: ending.map { .ends(id: $0.id) }
                + [.forgets(client, NEP413Adapter.protocolID)],
            sha256: wire.sha256)
    }

    /// The accounts that the client is connected to, told again.
    init(accountsOn network: String?, in wire: WireContext) throws(NEARRefusal) {
        let context = wire.hub
        let client = try Self.requiredClient(of: context)
        let keys = context.sessions(client).filter {
            network == nil || $0.network == network
        }.map(\.key)
        let accounts = context.accounts.filter { keys.contains($0.id) }
        guard !accounts.isEmpty else {
            throw NEARRefusal(.notSignedIn, "this client is not signed in; send signIn first")
        }
        self.init(
            Method.getAccounts, .accounts(accounts),
            facts: network.map { [Fact("network", .text($0))] } ?? [], sha256: wire.sha256)
    }

    /// What opening a session changes; those on other networks end.
    static func opening(
        _ account: Account, on network: String, in context: DecodingContext
    ) throws(NEARRefusal) -> [SessionChange] {
        let client = try requiredClient(of: context)
        let session = ClientSession(
            id: context.freshID, protocolID: NEP413Adapter.protocolID, client: client,
            network: network, key: account.id, address: account.address, started: context.now)
        let others = context.sessions(client).filter { $0.network != network }
        return others.map { .ends(id: $0.id) } + [.opens(session)]
    }

    private static func requiredClient(of context: DecodingContext) throws(NEARRefusal) -> Client {
        guard let client = client(of: context) else {
            throw NEARRefusal(
                .clientRequired, "a session is a client's, and nobody said which one asks")
        }
        return client
    }
}
