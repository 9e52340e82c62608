// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

/// Whom a message is to be signed by.
struct MessageSigner {
    /// Where there is a fault, it stands for none that is here.
    let account: Account
    /// Why nobody here signs it.
    let fault: AlgorandRefusal?
}

extension ARC27Caller {
    /// The account that is to sign a message: the one named, else the only one.
    ///
    /// An address names it, or as in the text of ARC-60 a public key in Base64.
    func signer(
        _ params: ARC27Params, isNeeded: Bool
    ) throws(AlgorandRefusal) -> MessageSigner {
        let own = accounts.filter { $0.algorithm == .ed25519 }
        guard let text = try params.text("signer") else {
            guard !isNeeded else {
                throw AlgorandRefusal(.invalidSigner, "params.signer is missing")
            }
            if let account = own.first, own.allSatisfy({ $0.publicKey == account.publicKey }) {
                return MessageSigner(account: account, fault: nil)
            }
            return MessageSigner(
                account: Self.nobody(Transaction.zeroAddress),
                fault: .invalid("params.signer is missing, and there is not just one account"))
        }
        let key = try Self.key(text, isARC60: isNeeded)
        let named = nameable.first { $0.algorithm == .ed25519 && $0.publicKey == key }
        guard let account = named else {
            return MessageSigner(
                account: Self.nobody(key),
                fault: KeyRing(accounts: nameable, isLimited: isLimited).unauthorized(key))
        }
        return MessageSigner(account: account, fault: nil)
    }

    private static func nobody(
        _ key: [UInt8]
    ) -> Account {
        Account(
            id: KeyID(""), name: "", protocolID: .algorand, algorithm: .ed25519, publicKey: key,
            address: AlgorandAddress.text(publicKey: key.span), network: nil)
    }

    private static func key(
        _ text: String, isARC60: Bool
    ) throws(AlgorandRefusal) -> [UInt8] {
        if isARC60, let key = try? Base64.decode(text, alphabet: .either, padding: .optional),
            key.count == AlgorandAddress.keyCount
        {
            return key
        }
        do throws(CodecError) {
            return try AlgorandAddress.parse(text)
        } catch {
            throw AlgorandRefusal(
                isARC60 ? .invalidSigner : .invalidInput,
                "params.signer is no address: \(error.text)")
        }
    }
}
