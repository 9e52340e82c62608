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
        let isMultisig = named.contains { $0.multisig != nil }
        let who = "\(first.address) signs for it on \(first.network.policyName)"
        throw LiquidRefusal(
            .rekeyed,
            isMultisig
                ? "the account was rekeyed: \(who), a multisignature account without a key"
                : "the account was rekeyed: \(who), whose key is not held here")
    }
}

extension Account {
    /// The key that signs for this account as the owner says; nil where the owner says nothing.
    func watchedSigner(among accounts: [Account]) throws(LiquidRefusal) -> Account? {
        let watched = accounts.first {
            $0.protocolID == protocolID && $0.address == address && $0.signedBy != nil
        }
        guard let key = watched?.signedBy else { return nil }
        let signer = accounts.first { $0.algorithm == .ed25519 && $0.publicKey == key }
        guard let signer else {
            throw LiquidRefusal(
                .rekeyed, "the account was rekeyed, and the key that signs for it is not held here")
        }
        return signer
    }
}
