// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// The treatment of one item, by the table of ARC-1.
package enum SigningDecision: Hashable {
    /// Not signed, as the client asked.
    case leave
    /// Already signed elsewhere; the bytes are returned unchanged.
    case pass([UInt8])
    /// Signed by a key held here.
    case sign(Account)
    /// Signed by keys held here for a multisignature account.
    case share(MultisigShare)

    /// The keys that sign, in the order of the operations.
    package var signers: [Account] {
        switch self {
        case .leave, .pass: []
        case .sign(let account): [account]
        case .share(let share): share.signers
        }
    }
}

/// The keys that may sign, and on which networks.
package struct KeyRing {
    package let accounts: [Account]
    /// Every account that the owner keeps, to find out the effect of a signature.
    package let keptAccounts: [Account]
    /// The connections of the client.
    package let connections: [ClientConnection]
    /// The answers of nodes about these accounts.
    package let nodes: NodeAuthorities
    /// True if the client may name only some accounts and must learn nothing about the others.
    private let isLimited: Bool

    /// Creates a key ring.
    package init(
        accounts: [Account], keptAccounts: [Account] = [], connections: [ClientConnection] = [],
        isLimited: Bool = false, nodes: NodeAuthorities = .none
    ) {
        self.isLimited = isLimited
        self.nodes = nodes
        self.accounts = accounts
        self.keptAccounts = keptAccounts
        self.connections = connections
    }

    /// Returns the connections that show the client a key, or the account that the key signs for.
    ///
    /// Without an account: all connections on the network.
    package func connections(
        of account: Account?, for keys: [[UInt8]], on network: AlgorandNetwork
    ) -> [ClientConnection] {
        let here = connections.filter { $0.network == network.policyName }
        guard let account, !here.isEmpty else { return here }
        let ids = accounts.filter { keys.contains($0.publicKey) }.map(\.id) + [account.id]
        return here.filter { ids.contains($0.key) }
    }

    package func holds(_ key: [UInt8]) -> Bool {
        accounts.contains { $0.publicKey == key && $0.algorithm == .ed25519 }
    }

    /// Returns the account of a key for a network; throws if the key is not held or not for it.
    package func account(
        of key: [UInt8], on network: AlgorandNetwork
    ) throws(AlgorandRefusal) -> Account {
        let isWatchedElsewhere = accounts.contains {
            $0.isWatchOnly && $0.publicKey == key && !network.serves(accountNetwork: $0.network)
        }
        guard holds(key) || isWatchedElsewhere else { throw unauthorized(key) }
        guard let account = usable(key, on: network) else {
            throw .networkNotSupported(
                genesisHash: network.genesisHash, "the key is not for this network")
        }
        return account
    }

    /// Returns the account of a key if it may be used on a network.
    package func usable(_ key: [UInt8], on network: AlgorandNetwork) -> Account? {
        accounts.first {
            $0.publicKey == key && $0.algorithm == .ed25519
                && network.serves(accountNetwork: $0.network)
        }
    }

    /// Returns the error for a multisignature account whose threshold the keys held here do not
    /// reach.
    package func belowThreshold(_ key: [UInt8]) -> AlgorandRefusal {
        var failure = unauthorized(key)
        failure.message =
            "too few of its keys are held here; send msig for a part of the signatures"
        return failure
    }

    package func unauthorized(_ key: [UInt8]) -> AlgorandRefusal {
        var refusal = AlgorandRefusal.unauthorizedSigner(AlgorandAddress.text(publicKey: key.span))
        if isLimited {
            refusal.message = "this client is not connected to this account; send enable first"
        }
        return refusal
    }
}

extension WalletTransaction {
    /// Returns the treatment of the item; throws if the whole request is refused.
    package func decision(
        with ring: KeyRing, by authority: Authority, on network: AlgorandNetwork
    ) throws(AlgorandRefusal) -> SigningDecision {
        let keys = ring.choosing(authority)
        if let multisig, multisig.publicKey() != authority.key {
            throw .invalid("msig is not the account that must sign")
        }
        if let signed {
            try checkPassing(signed)
            return .pass(signed)
        }
        if signers?.isEmpty == true { return .leave }
        if let multisig {
            let share =
                if let signers { try keys.share(of: multisig, by: signers, on: network) } else {
                    try keys.share(of: multisig, on: network)
                }
            return .share(share)
        }
        if let signers {
            try checkOnlySigner(signers, authority)
        } else if let own = keys.watched(authority.key, on: network) {
            let share = try keys.share(of: own, on: network)
            // The client did not say that others sign too.
            guard share.isComplete else { throw keys.belowThreshold(authority.key) }
            return .share(share)
        }
        guard !authority.isFound || keys.holds(authority.key) else {
            throw keys.unauthorized(authority, for: transaction.sender)
        }
        return .sign(try keys.account(of: authority.key, on: network))
    }

    private func checkPassing(_ signed: [UInt8]) throws(AlgorandRefusal) {
        guard signers?.isEmpty == true else {
            throw .invalid("stxn is only for items with an empty list of signers")
        }
        let statement: SignedTransaction
        do throws(AlgorandRefusal) {
            statement = try SignedTransaction(canonical: signed.span)
        } catch {
            throw error.at("stxn")
        }
        guard statement.transaction == bytes else {
            throw .invalid("stxn is another transaction than txn")
        }
    }

    /// Checks the only entry of `signers`.
    ///
    /// A client that does not know the signing key may name the account or that key.
    private func checkOnlySigner(
        _ signers: [[UInt8]], _ authority: Authority
    ) throws(AlgorandRefusal) {
        guard signers.count == 1 else { throw .invalid("several signers need msig") }
        let isSender = authority.isFound && signers[0] == transaction.sender
        guard isSender || signers[0] == authority.key else {
            throw .invalid(
                authAddress == nil
                    ? "the signer is neither the sender nor named in authAddr"
                    : "the signer differs from authAddr")
        }
    }
}
