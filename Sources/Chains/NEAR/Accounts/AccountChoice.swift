// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// The account, key and network that a call names.
package struct NEARClientContext: Sendable {
    package let accountID: String?
    package let key: KeyText?
    package let network: String?
    /// The networks that this hub knows.
    package let networks: [String]
    /// True if the call connects the client, so that no connection is needed yet.
    package var connects = false
    /// The purpose of the connection, as the client states it; it grants nothing.
    package var purpose: ConnectionPurpose?

    package init(
        accountID: String?, key: KeyText?, network: String?,
        among networks: [String] = NEARNetwork.names
    ) {
        self.accountID = accountID
        self.key = key
        self.network = network
        self.networks = networks
    }

    /// Returns a copy for a call that connects the client.
    package func connecting(for purpose: ConnectionPurpose?) -> NEARClientContext {
        var copy = self
        copy.connects = true
        copy.purpose = purpose
        return copy
    }

    /// Returns the account that is to sign.
    ///
    /// That is the account that the call names, otherwise the connected account, otherwise the only
    /// account of the network.
    package func account(in context: DecodingContext) throws(NEARRefusal) -> Account {
        // Keys of other algorithms cannot sign for domains of NEAR.
        var held = context.accounts.filter { $0.algorithm == .ed25519 }
        if let nameable = context.nameable(context.client) {
            let known = held.filter { nameable.contains($0) }
            if known.contains(where: isNamed) {
                held = known
            } else if connects {
                return try offered(among: held, in: context)
            } else if accountID != nil || key != nil {
                throw .unconnected
            }
        }
        if let accountID {
            held = held.filter { $0.address == accountID }
            guard !held.isEmpty else {
                throw NEARRefusal(.accountNotFound, "this home has no key of this account")
            }
        }
        if let key {
            held = held.filter { key == KeyText(curve: .ed25519, bytes: $0.publicKey) }
            guard !held.isEmpty else {
                throw NEARRefusal(
                    .accountNotFound, "this home does not have this publicKey of the account")
            }
        }
        let fitting = held.filter(mayServe)
        if fitting.count == 1 { return fitting[0] }
        guard fitting.isEmpty else { return try connected(among: fitting, in: context) }
        guard accountID == nil, key == nil else {
            throw NEARRefusal(
                .networkMismatch,
                held.contains { $0.network != nil }
                    ? "the key of this account is for another network"
                    : "the key of this account is not bound to the network \(network ?? "")")
        }
        throw NEARRefusal(.accountNotFound, "this home has no NEAR key that could sign this")
    }

    /// True if an account may be used on the network of the call.
    ///
    /// Nothing that NEAR keys sign names its network. So on an added network only a key that is
    /// bound to it signs: another key could have an account on mainnet too.
    private func mayServe(_ account: Account) -> Bool {
        guard let network else { return true }
        guard let own = account.network else { return NEARNetwork.isBuiltIn(network) }
        return own == network
    }

    /// True if the call names this account; false if it names no account.
    private func isNamed(_ account: Account) -> Bool {
        guard accountID != nil || key != nil else { return false }
        return (accountID ?? account.address) == account.address
            && (key ?? KeyText(curve: .ed25519, bytes: account.publicKey))
                == KeyText(curve: .ed25519, bytes: account.publicKey)
    }

    /// Returns the account to offer to a client that may not name the account it wants.
    ///
    /// That is the account that the client is connected to on the network, otherwise the first one.
    /// The account in the call is ignored.
    private func offered(
        among held: [Account], in context: DecodingContext
    ) throws(NEARRefusal) -> Account {
        let fitting = held.filter(mayServe)
        guard let first = fitting.first else {
            throw NEARRefusal(.accountNotFound, "this home has no NEAR key that could sign this")
        }
        return (try? connected(among: fitting, in: context)) ?? first
    }

    /// Returns the one of several accounts that the client is connected to.
    private func connected(
        among fitting: [Account], in context: DecodingContext
    ) throws(NEARRefusal) -> Account {
        let connections = context.client.map { context.connections($0) } ?? []
        let keys = connections.filter { network == nil || $0.network == network }.map(\.key)
        let connected = fitting.filter { keys.contains($0.id) }
        if connected.count == 1 { return connected[0] }
        if accountID == nil {
            throw NEARRefusal(
                .accountRequired,
                "this home has several accounts; name one in accountId or signerId")
        }
        if network == nil {
            throw NEARRefusal(
                .accountRequired,
                "this account has several keys here; name the network as well")
        }
        throw NEARRefusal(
            .accountRequired, "this account has several keys here; name the publicKey as well")
    }

    /// Returns the network of a call, which the signed bytes do not contain.
    package func network(or account: Account) throws(NEARRefusal) -> String {
        guard let network = network ?? account.network else {
            throw .invalid("network is missing, and the key is bound to none")
        }
        guard networks.contains(network) else {
            throw NEARRefusal(
                .networkMismatch, "the key is bound to a network that this home does not know")
        }
        return network
    }
}
