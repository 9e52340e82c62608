// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCore

extension AlgorandAuthority {
    /// Returns the account that signs for a rekeyed account; nil if the account was not rekeyed.
    ///
    /// A server does not say which network it uses, so all networks must name the same key.
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
                "the account was rekeyed, and different keys sign for it: "
                    + "\(list.joined(separator: ", ")); configure only the node of the server's "
                    + "network"
            )
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
    /// Returns the account that signs for this one, according to the owner; nil without such a
    /// setting.
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
