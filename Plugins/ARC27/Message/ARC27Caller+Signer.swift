// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

extension ARC27Caller {
    /// The account that is to sign a message: the one named, else the only one.
    ///
    /// An address names it, or as in the text of ARC-60 a public key in Base64.
    func signer(
        _ params: ARC27Params, _ hash: @escaping ARC27Configuration.Hash, isNeeded: Bool
    ) throws(ARC27Failure) -> Account {
        let own = accounts.filter { $0.algorithm == .ed25519 }
        guard let text = try params.text("signer") else {
            guard !isNeeded else {
                throw ARC27Failure(.invalidSigner, "params.signer is missing")
            }
            guard let account = own.first, own.allSatisfy({ $0.publicKey == account.publicKey })
            else { throw .invalid("params.signer is missing, and there is not just one account") }
            return account
        }
        let key = try Self.key(text, hash, isARC60: isNeeded)
        guard let account = own.first(where: { $0.publicKey == key }) else {
            throw KeyRing(accounts: accounts, hash: hash).unauthorized(key)
        }
        return account
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
