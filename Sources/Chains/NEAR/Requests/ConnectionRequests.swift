// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension NEARRequest {
    /// Creates a request to sign in; a transaction can add a key for the client.
    package init(
        signIn clientContext: NEARClientContext, adding key: NEARAction?, in context: NEARContext
    ) throws(NEARRefusal) {
        let account = try clientContext.account(in: context.hub)
        let network = try clientContext.network(or: account)
        let changes = try Self.opening(account, on: network, in: context.hub)
        guard let key else {
            self.init(
                Method.signIn, .signIn(account, network: network),
                operations: [
                    RequestedOperation(
                        account: account, operation: .publicKey, facts: [],
                        effects: [.revealsKey], dangers: [])
                ],
                facts: [Fact("network", .text(network)), Fact("signs_in", .bool(true))],
                connectionChanges: changes)
            purpose = clientContext.purpose
            return
        }
        // The account adds a key to itself.
        let adding = TransactionDraft(receiver: account.address, actions: [key])
        let maker = try TransactionMaker(account, network, in: context)
        try self.init(
            [try maker.transaction(adding, at: 0)], given: [adding.given],
            network: (network, maker.isNetworkKnown(givenBlock: false)), by: account,
            for: .signIn(account), maker, changes: changes, in: context)
        purpose = clientContext.purpose
    }

    /// Creates a request to sign out, which ends connections and deletes the client's grants.
    package init(signOut network: String?, in context: NEARContext) throws(NEARRefusal) {
        let client = try Self.requiredClient(of: context.hub)
        let ending = context.hub.connections(client).filter {
            network == nil || $0.network == network
        }
        self.init(
            Method.signOut, .signOut(network: network, sessionCount: ending.count),
            facts: network.map { [Fact("network", .text($0))] } ?? [],
            connectionChanges: ending.map { .ends(id: $0.id) }
                + [.forgets(client, .near)])
    }

    /// Creates a request to list the accounts that the client is connected to.
    package init(
        accountsOn network: String?, in context: NEARContext
    ) throws(NEARRefusal) {
        let client = try Self.requiredClient(of: context.hub)
        let keys = context.hub.connections(client).filter {
            network == nil || $0.network == network
        }.map(\.key)
        let accounts = context.hub.accounts.filter { keys.contains($0.id) }
        guard !accounts.isEmpty else {
            throw NEARRefusal(.notSignedIn, "this client is not signed in; send signIn first")
        }
        self.init(
            Method.getAccounts, .accounts(accounts),
            facts: network.map { [Fact("network", .text($0))] } ?? [])
    }

    /// Returns the changes that open a connection; connections on other networks end.
    package static func opening(
        _ account: Account, on network: String, in context: DecodingContext
    ) throws(NEARRefusal) -> [ConnectionChange] {
        let client = try requiredClient(of: context)
        let connection = ClientConnection(
            id: context.freshID, protocolID: .near, client: client,
            network: network, key: account.id, address: account.address, started: context.now)
        let others = context.connections(client).filter { $0.network != network }
        return others.map { .ends(id: $0.id) } + [.opens(connection)]
    }

    private static func requiredClient(of context: DecodingContext) throws(NEARRefusal) -> Client {
        guard let client = context.client else {
            throw NEARRefusal(
                .clientRequired, "a session needs a client, and the request names none")
        }
        return client
    }
}
