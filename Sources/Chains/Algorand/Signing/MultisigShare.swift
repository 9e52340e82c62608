// SPDX-License-Identifier: Apache-2.0

package import SigningCore

/// The part of a multisignature that keys held here sign.
package struct MultisigShare: Hashable {
    package let multisig: Multisig
    /// The keys that sign, without repetition, in the order of the members.
    package let signers: [Account]

    /// The number of member positions that get a signature; one key may hold several positions.
    package var signedCount: Int {
        multisig.keys.count { key in signers.contains { $0.publicKey == key } }
    }

    /// True if no other key has to sign.
    package var isComplete: Bool { signedCount >= Int(multisig.threshold) }
}

extension KeyRing {
    /// Returns the multisignature account with this address that the client may see.
    ///
    /// The vault authenticates the members only while it is unlocked; the address always does.
    package func watched(
        _ key: [UInt8], on network: AlgorandNetwork
    ) -> Multisig? {
        multisig(key, among: accounts, on: network)
    }

    /// Returns the multisignature account with this address, also if the client may not see it.
    package func kept(_ key: [UInt8], on network: AlgorandNetwork) -> Multisig? {
        multisig(key, among: keptAccounts, on: network)
    }

    /// Returns the public key that signs for a rekeyed account, according to the owner.
    package func watchedSigner(of key: [UInt8], on network: AlgorandNetwork) -> [UInt8]? {
        (accounts + keptAccounts).first {
            $0.publicKey == key && $0.signedBy != nil
                && network.serves(accountNetwork: $0.network)
        }?.signedBy
    }

    /// True if the owner marked the account as rekeyed.
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

    /// Returns the share of the keys that the client names, all of which must be held.
    package func share(
        of multisig: Multisig, by signers: [[UInt8]], on network: AlgorandNetwork
    ) throws(AlgorandRefusal) -> MultisigShare {
        guard signers.allSatisfy(multisig.keys.contains) else {
            throw .invalid("signers has an address that is not in msig.addrs")
        }
        var named: [Account] = []
        for key in multisig.distinctKeys where signers.contains(key) {
            named.append(try account(of: key, on: network))
        }
        return MultisigShare(multisig: multisig, signers: named)
    }

    /// Returns the share of the keys held, with no more keys than the threshold needs.
    package func share(
        of multisig: Multisig, on network: AlgorandNetwork
    ) throws(AlgorandRefusal) -> MultisigShare {
        var share = MultisigShare(multisig: multisig, signers: [])
        for key in multisig.distinctKeys where !share.isComplete {
            guard let account = usable(key, on: network) else { continue }
            share = MultisigShare(multisig: multisig, signers: share.signers + [account])
        }
        guard share.signers.isEmpty else { return share }
        // No key is held, or no key is for this network: the error says which.
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

    /// The members without repetition, in their order.
    fileprivate var distinctKeys: [[UInt8]] {
        var seen: Set<[UInt8]> = []
        return keys.filter { seen.insert($0).inserted }
    }
}
