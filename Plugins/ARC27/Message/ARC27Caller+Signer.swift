// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// Whom a message is to be signed by.
struct MessageSigner {
    /// Where there is a fault, it stands for none that is here.
    let account: Account
    /// Why nobody here signs it.
    let fault: ARC27Failure?
}

extension ARC27Caller {
    /// The account that is to sign a message: the one named, else the only one.
    ///
    /// An address names it, or as in the text of ARC-60 a public key in Base64.
    func signer(
        _ params: ARC27Params, _ hash: @escaping ARC27Configuration.Hash, isNeeded: Bool
    ) throws(ARC27Failure) -> MessageSigner {
        let own = accounts.filter { $0.algorithm == .ed25519 }
        guard let text = try params.text("signer") else {
            guard !isNeeded else {
                throw ARC27Failure(.invalidSigner, "params.signer is missing")
            }
            if let account = own.first, own.allSatisfy({ $0.publicKey == account.publicKey }) {
                return MessageSigner(account: account, fault: nil)
            }
            return MessageSigner(
                account: Self.nobody(Transaction.zeroAddress, hash),
                fault: .invalid("params.signer is missing, and there is not just one account"))
        }
        let key = try Self.key(text, hash, isARC60: isNeeded)
        guard let account = own.first(where: { $0.publicKey == key }) else {
            return MessageSigner(
                account: Self.nobody(key, hash),
                fault: KeyRing(accounts: accounts, hash: hash).unauthorized(key))
        }
        return MessageSigner(account: account, fault: nil)
    }

    private static func nobody(
        _ key: [UInt8], _ hash: @escaping ARC27Configuration.Hash
    ) -> Account {
        Account(
            id: KeyID(""), name: "", protocolID: .algorand, algorithm: .ed25519, publicKey: key,
            address: AlgorandAddress.text(publicKey: key.span, sha512_256: hash), network: nil)
    }

    private static func key(
        _ text: String, _ hash: ARC27Configuration.Hash, isARC60: Bool
    ) throws(ARC27Failure) -> [UInt8] {
        if isARC60, let key = try? Base64.decode(text, alphabet: .either, padding: .optional),
            key.count == AlgorandAddress.keyCount
        {
            return key
        }
        do throws(CodecError) {
            return try AlgorandAddress.parse(text, sha512_256: hash)
        } catch {
            throw ARC27Failure(
                isARC60 ? .invalidSigner : .invalidInput,
                "params.signer is no address: \(error.text)")
        }
    }
}
