// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// What becomes of one item, by the table of ARC-1.
enum SigningDecision: Hashable {
    /// The client said not to sign it.
    case leave
    /// Somebody else signed it; the bytes go back unchanged.
    case pass([UInt8])
    /// A key held here signs it.
    case sign(Account)
}

/// The keys that may sign and where.
struct KeyRing {
    let accounts: [Account]
    let hash: ARC27Configuration.Hash

    func holds(_ key: [UInt8]) -> Bool {
        accounts.contains { $0.publicKey == key && $0.algorithm == .ed25519 }
    }

    /// The account of a key that may be used on a network.
    func account(
        of key: [UInt8], on network: ARC27Configuration.Network
    ) throws(ARC27Failure) -> Account {
        guard holds(key) else { throw unauthorized(key) }
        let account = accounts.first {
            $0.publicKey == key && $0.algorithm == .ed25519
                && network.serves(accountNetwork: $0.network)
        }
        guard let account else {
            throw .networkNotSupported(
                genesisHash: network.genesisHash, "the key is not for this network")
        }
        return account
    }

    func unauthorized(_ key: [UInt8]) -> ARC27Failure {
        .unauthorizedSigner(AlgorandAddress.text(publicKey: key.span, sha512_256: hash))
    }
}

extension WalletTransaction {
    /// The address whose key or keys must sign.
    var authority: [UInt8] { authAddress ?? transaction.sender }

    /// Finds out what to do, or why the whole request is refused.
    func decision(
        with keys: KeyRing, on network: ARC27Configuration.Network
    ) throws(ARC27Failure) -> SigningDecision {
        if let multisig, multisig.publicKey(keys.hash) != authority {
            throw .invalid("msig is not the account that must sign")
        }
        if let signed {
            try checkPassing(signed)
            return .pass(signed)
        }
        if signers?.isEmpty == true { return .leave }
        if let multisig {
            try checkSigners(of: multisig, with: keys)
            throw .invalid("multisig signing is not offered yet")
        }
        if let signers { try checkOnlySigner(signers) }
        return .sign(try keys.account(of: authority, on: network))
    }

    private func checkPassing(_ signed: [UInt8]) throws(ARC27Failure) {
        guard signers?.isEmpty == true else {
            throw .invalid("stxn is only for items with an empty list of signers")
        }
        let statement: SignedTransaction
        do throws(ARC27Failure) {
            statement = try SignedTransaction(canonical: signed.span)
        } catch {
            throw error.at("stxn")
        }
        guard statement.transaction == bytes else {
            throw .invalid("stxn holds another transaction than txn")
        }
    }

    private func checkSigners(
        of multisig: Multisig, with keys: KeyRing
    ) throws(ARC27Failure) {
        guard let signers else {
            guard multisig.keys.contains(where: keys.holds) else {
                throw keys.unauthorized(authority)
            }
            return
        }
        guard signers.allSatisfy(multisig.keys.contains) else {
            throw .invalid("signers holds an address that is not in msig.addrs")
        }
        for signer in signers where !keys.holds(signer) { throw keys.unauthorized(signer) }
    }

    private func checkOnlySigner(_ signers: [[UInt8]]) throws(ARC27Failure) {
        guard signers.count == 1 else { throw .invalid("several signers need msig") }
        guard signers[0] == authority else {
            throw .invalid(
                authAddress == nil
                    ? "the signer is neither the sender nor named in authAddr"
                    : "the signer differs from authAddr")
        }
    }
}
