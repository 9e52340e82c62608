// SPDX-License-Identifier: Apache-2.0

import Algorand
import SigningCodecs
import SigningCore

/// The signer of a message.
struct MessageSigner {
    /// The signing account; a placeholder if there is a `problem`.
    let account: Account
    /// The reason that no key here can sign the message; nil if one can.
    let problem: AlgorandRefusal?
    /// The account in whose name the message is signed; nil if there is a `problem`.
    var subject: Account?
    /// The key that signs for `subject`, and the source of this information.
    var authority: Authority?
}

extension ARC27ClientContext {
    /// Returns the signer of a message: the named account, otherwise the only account.
    ///
    /// `signer` is an address or, as in the text of ARC-60, a public key in Base64.
    func signer(
        _ params: ARC27Params, isNeeded: Bool
    ) throws(AlgorandRefusal) -> MessageSigner {
        guard try params.text("signer") != nil || !isNeeded else {
            throw AlgorandRefusal(.invalidSigner, "params.signer is missing")
        }
        guard let subject = try subject(params, isARC60: isNeeded) else {
            guard let text = try params.text("signer") else {
                return MessageSigner(
                    account: Self.unheldAccount(Transaction.zeroAddress),
                    problem: .invalid(
                        "params.signer is missing, and there is not exactly one account"))
            }
            let key = try Self.key(text, isARC60: isNeeded)
            return MessageSigner(account: Self.unheldAccount(key), problem: ring.unauthorized(key))
        }
        do throws(AlgorandRefusal) {
            let (account, authority) = try ring.signer(of: subject)
            return MessageSigner(
                account: account, problem: nil, subject: subject, authority: authority)
        } catch {
            return MessageSigner(account: Self.unheldAccount(subject.publicKey), problem: error)
        }
    }

    /// Returns the account that a message is signed for; nil if it is missing or ambiguous.
    ///
    /// A rekeyed account without a key here must be named.
    func subject(
        _ params: ARC27Params, isARC60: Bool
    ) throws(AlgorandRefusal) -> Account? {
        guard let text = try params.text("signer") else {
            let own = accounts.filter { $0.algorithm == .ed25519 }
            return own.allSatisfy({ $0.publicKey == own.first?.publicKey }) ? own.first : nil
        }
        let key = try Self.key(text, isARC60: isARC60)
        let named = nameable.filter { $0.publicKey == key }
        return named.first { $0.algorithm == .ed25519 } ?? named.first { $0.signedBy != nil }
    }

    private static func unheldAccount(
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
                "params.signer is not an address: \(error.text)")
        }
    }
}
