// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension NEP413Request {
    /// The account that is to sign: the one named, else the one the client is connected to, else
    /// the only one of the network.
    static func account(
        for caller: WalletCaller, in context: DecodingContext
    ) throws(NEARRefusal) -> Account {
        // Keys of other algorithms cannot sign for this adapter's domains.
        var held = context.accounts.filter { $0.algorithm == .ed25519 }
        if let accountID = caller.accountID {
            held = held.filter { $0.address == accountID }
            guard !held.isEmpty else {
                throw NEARRefusal(.accountNotFound, "no key of this account is held here")
            }
        }
        if let key = caller.key {
            held = held.filter { key == KeyText(curve: .ed25519, bytes: $0.publicKey) }
            guard !held.isEmpty else {
                throw NEARRefusal(
                    .accountNotFound, "this publicKey is not held here for the account")
            }
        }
        let fitting = held.filter { account in
            guard let own = account.network, let wanted = caller.network else { return true }
            return own == wanted
        }
        if fitting.count == 1 { return fitting[0] }
        guard fitting.isEmpty else {
            return try connected(caller, among: fitting, in: context)
        }
        guard caller.accountID == nil, caller.key == nil else {
            throw NEARRefusal(.networkMismatch, "the key of this account is for another network")
        }
        throw NEARRefusal(.accountNotFound, "no NEAR key that could sign this is held here")
    }

    /// Of several accounts the one that the client is connected to.
    private static func connected(
        _ caller: WalletCaller, among fitting: [Account], in context: DecodingContext
    ) throws(NEARRefusal) -> Account {
        let keys = sessions(in: context).filter {
            caller.network == nil || $0.network == caller.network
        }.map(\.key)
        let connected = fitting.filter { keys.contains($0.id) }
        if connected.count == 1 { return connected[0] }
        if caller.accountID == nil {
            throw NEARRefusal(
                .accountRequired,
                "several accounts are held here; name one in accountId or signerId")
        }
        if caller.network == nil {
            throw NEARRefusal(
                .accountRequired,
                "this account has several keys here; name the network as well")
        }
        throw NEARRefusal(
            .accountRequired, "this account has several keys here; name the publicKey as well")
    }

    /// The network of a call, which its bytes do not hold.
    static func network(
        of caller: WalletCaller, or account: Account
    ) throws(NEARRefusal) -> String {
        guard let network = caller.network ?? account.network else {
            throw .invalid("network is missing, and the key is bound to none")
        }
        return network
    }

    /// Who asks, as far as the transport was told.
    static func client(of context: DecodingContext) -> Client? {
        context.origin.claimedClient.map { claim in
            let identity = ClientIdentity(claim: claim)
            return Client(
                id: identity.id, name: nil, proof: .claimed, party: identity.party)
        }
    }

    static func sessions(in context: DecodingContext) -> [ClientSession] {
        client(of: context).map { context.sessions($0) } ?? []
    }
}
