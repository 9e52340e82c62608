// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore

extension AlgorandAuthority {
    /// The account whose key signs for another that was rekeyed; nil where that is its own.
    ///
    /// A server does not say which network it goes by: what several say has to be the same.
    func signer(
        of account: Account, among accounts: [Account]
    ) throws(LiquidRefusal) -> Account? {
        guard problems.isEmpty, let first = signers.first else {
            throw LiquidRefusal(.node, "no node says which key signs for the account")
        }
        guard signers.allSatisfy({ $0.address == first.address }) else {
            let list = signers.map { "\($0.address) on \($0.network.policyName)" }
            throw LiquidRefusal(
                .rekeyed,
                "the account was rekeyed: there signs for it \(list.joined(separator: ", "));"
                    + " which counts for the server is not known, name a node of its network alone")
        }
        guard first.address != account.address else { return nil }
        let named = accounts.filter {
            $0.protocolID == .algorand && $0.address == first.address
                && first.network.serves(accountNetwork: $0.network)
        }
        if let key = named.first(where: { $0.algorithm == .ed25519 }) { return key }
        let who = "\(first.address) signs for it on \(first.network.policyName)"
        throw LiquidRefusal(
            .rekeyed,
            named.isEmpty
                ? "the account was rekeyed: \(who), whose key is not held here"
                : "the account was rekeyed: \(who), a multisignature account without a key")
    }
}
