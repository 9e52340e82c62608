// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension NEP413Request {
    /// The account that is to sign: the one named, else the only one of the network.
    static func account(
        for wire: NEP413Wire, among accounts: [Account]
    ) throws(Refusal) -> Account {
        // Keys of other algorithms cannot sign for this adapter's domain.
        var held = accounts.filter { $0.algorithm == .ed25519 }
        if let accountID = wire.accountID {
            held = held.filter { $0.address == accountID }
            guard !held.isEmpty else {
                throw Refusal(.accountNotFound, "no key of this accountId is held here")
            }
        }
        let fitting = held.filter { account in
            guard let own = account.network, let wanted = wire.network else { return true }
            return own == wanted
        }
        if fitting.count == 1 { return fitting[0] }
        guard fitting.isEmpty else { throw ambiguous(wire) }
        guard wire.accountID == nil else {
            throw Refusal(.networkMismatch, "the key of this accountId is for another network")
        }
        throw Refusal(.accountNotFound, "no NEAR key that could sign this is held here")
    }

    private static func ambiguous(_ wire: NEP413Wire) -> Refusal {
        if wire.accountID == nil {
            return Refusal(
                .accountRequired, "several accounts are held here; name one in accountId")
        }
        if wire.network == nil {
            return Refusal(
                .accountRequired, "this accountId has several keys here; name the network as well")
        }
        return Refusal(
            .accountRequired, "this accountId has several keys here; the owner must keep one")
    }
}
