// SPDX-License-Identifier: Apache-2.0

import SigningCore

/// What keys held here sign for a multisignature account.
struct MultisigShare: Hashable {
    let multisig: Multisig
    /// The keys that sign, each once, in the order of the members.
    let signers: [Account]

    /// How many members' places get a signature; a member may stand in several.
    var signedCount: Int {
        multisig.keys.count { key in signers.contains { $0.publicKey == key } }
    }

    /// Whether no other key has to sign.
    var isComplete: Bool { signedCount >= Int(multisig.threshold) }
}

extension KeyRing {
    /// The account with this address that the owner keeps with its members' names.
    ///
    /// The store vouches for members only while it is unlocked; the address always does.
    func watched(
        _ key: [UInt8], on network: ARC27Configuration.Network
    ) -> Multisig? {
        multisig(key, among: accounts, on: network)
    }

    /// The same where the client need not see the account.
    func kept(_ key: [UInt8], on network: ARC27Configuration.Network) -> Multisig? {
        multisig(key, among: keptAccounts, on: network)
    }

    private func multisig(
        _ key: [UInt8], among accounts: [Account], on network: ARC27Configuration.Network
    ) -> Multisig? {
        accounts.lazy.filter { network.serves(accountNetwork: $0.network) }
            .filter { $0.publicKey == key }.compactMap { $0.multisig.map(Multisig.init) }
            .first { $0.publicKey(hash) == key }
    }

    /// The share of the keys that the client names, every one of which must be held.
    func share(
        of multisig: Multisig, by signers: [[UInt8]], on network: ARC27Configuration.Network
    ) throws(ARC27Failure) -> MultisigShare {
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
    func share(
        of multisig: Multisig, on network: ARC27Configuration.Network
    ) throws(ARC27Failure) -> MultisigShare {
        var share = MultisigShare(multisig: multisig, signers: [])
        for key in multisig.distinctKeys where !share.isComplete {
            guard let account = usable(key, on: network) else { continue }
            share = MultisigShare(multisig: multisig, signers: share.signers + [account])
        }
        guard share.signers.isEmpty else { return share }
        // Either no key is held, or none for this network: the error says which.
        let held = multisig.keys.first(where: holds)
        if let held { _ = try account(of: held, on: network) }
        throw unauthorized(multisig.publicKey(hash))
    }
}

extension Multisig {
    init(_ members: MultisigMembers) {
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
