// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// What keys held here sign for a multisignature account.
package struct MultisigShare: Hashable {
    package let multisig: Multisig
    /// The keys that sign, each once, in the order of the members.
    package let signers: [Account]

    /// How many members' places get a signature; a member may stand in several.
    package var signedCount: Int {
        multisig.keys.count { key in signers.contains { $0.publicKey == key } }
    }

    /// Whether no other key has to sign.
    package var isComplete: Bool { signedCount >= Int(multisig.threshold) }
}

extension KeyRing {
    /// The account with this address that the owner keeps with its members' names.
    ///
    /// The store vouches for members only while it is unlocked; the address always does.
    package func watched(
        _ key: [UInt8], on network: AlgorandNetwork
    ) -> Multisig? {
        multisig(key, among: accounts, on: network)
    }

    /// The same where the client need not see the account.
    package func kept(_ key: [UInt8], on network: AlgorandNetwork) -> Multisig? {
        multisig(key, among: keptAccounts, on: network)
    }

    /// The public key of the account that signs for a rekeyed one, as the owner says.
    package func watchedSigner(of key: [UInt8], on network: AlgorandNetwork) -> [UInt8]? {
        (accounts + keptAccounts).first {
            $0.publicKey == key && $0.signedBy != nil
                && network.serves(accountNetwork: $0.network)
        }?.signedBy
    }

    /// True if the owner keeps the account as one that was rekeyed.
    func isWatchedAsRekeyed(_ key: [UInt8], on network: AlgorandNetwork) -> Bool {
        watchedSigner(of: key, on: network) != nil
    }

    private func multisig(
        _ key: [UInt8], among accounts: [Account], on network: AlgorandNetwork
    ) -> Multisig? {
        accounts.lazy.filter { network.serves(accountNetwork: $0.network) }
            .filter { $0.publicKey == key }.compactMap { $0.multisig.map(Multisig.init) }
            .first { $0.publicKey() == key }
    }

    /// The share of the keys that the client names, every one of which must be held.
    package func share(
        of multisig: Multisig, by signers: [[UInt8]], on network: AlgorandNetwork
    ) throws(AlgorandRefusal) -> MultisigShare {
        guard signers.allSatisfy(multisig.keys.contains) else {
            throw .invalid("signers holds an address that is not in msig.addrs")
        }
        var named: [Account] = []
        for key in multisig.distinctKeys where signers.contains(key) {
            named.append(try account(of: key, on: network))
        }
        return MultisigShare(multisig: multisig, signers: named)
    }

    /// The share of the keys held: no more of them than the account needs.
    package func share(
        of multisig: Multisig, on network: AlgorandNetwork
    ) throws(AlgorandRefusal) -> MultisigShare {
        var share = MultisigShare(multisig: multisig, signers: [])
        for key in multisig.distinctKeys where !share.isComplete {
            guard let account = usable(key, on: network) else { continue }
            share = MultisigShare(multisig: multisig, signers: share.signers + [account])
        }
        guard share.signers.isEmpty else { return share }
        // Either no key is held, or none for this network: the error says which.
        let held = multisig.keys.first(where: holds)
        if let held { _ = try account(of: held, on: network) }
        throw unauthorized(multisig.publicKey())
    }
}

extension Multisig {
    package init(_ members: MultisigMembers) {
        version = members.version
        threshold = members.threshold
        keys = members.keys
    }

    /// The members, each once, in their order.
    fileprivate var distinctKeys: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return keys.filter { seen.insert($0).inserted }
    }
}
