// SPDX-License-Identifier: Apache-2.0

import CPKCS11
public import SigningCore
public import SigningCrypto

extension TokenKeys {
    /// Makes a key on the token; its secret was never outside of it.
    public func makeKey(_ name: TokenKeyName) throws(TokenError) -> Account {
        let session = try sessionForNewKey(name)
        let id = Randomness.bytes(KeyID.tokenBytes)
        let made = try session.makePair(
            .newPublicKey(name, id: id), .newPrivateKey(name, id: id))
        do throws(TokenError) {
            try session.checkSealed(made.privateKey, name)
            let point = try session.bytes(of: made.publicKey, UInt(CKA_EC_POINT))
            guard let publicKey = ECPoint.publicKey(in: point), let id = KeyID(token: id) else {
                throw .noMechanism
            }
            return try account(name, id, publicKey)
        } catch {
            try? session.delete(made.privateKey)
            try? session.delete(made.publicKey)
            throw error
        }
    }

    /// Puts the key of an existing seed on the token; the seed is lent to the module.
    ///
    /// The owner erases every other copy of the seed.
    public func importKey(
        _ name: TokenKeyName, seed: borrowing SecretBytes
    ) throws(TokenError) -> Account {
        guard let publicKey = try? Ed25519Key(seed: seed).publicKey else { throw .wrongSeed }
        let session = try sessionForNewKey(name)
        let id = Randomness.bytes(KeyID.tokenBytes)
        let made = try seed.withSpan { (seed) throws(TokenError) in
            try unsafe seed.withUnsafeBytes { (seed) throws(TokenError) in
                try unsafe session.make(.importedKey(name, id: id), secret: seed)
            }
        }
        do throws(TokenError) {
            try session.checkSealed(made, name)
            guard let keyID = KeyID(token: id) else { throw .wrongSeed }
            let account = try account(name, keyID, publicKey)
            let point = ECPoint.attribute(of: publicKey)
            _ = try unsafe session.make(
                .newPublicKey(name, id: id).with(UInt(CKA_EC_POINT), point))
            return account
        } catch {
            try? session.delete(made)
            throw error
        }
    }

    /// Logs in and opens a session that may write; throws if the name cannot be used.
    private func sessionForNewKey(_ name: TokenKeyName) throws(TokenError) -> TokenSession {
        _ = try account(name, KeyID(""), [UInt8](repeating: 0, count: Ed25519Key.publicKeyCount))
        _ = try logIn()
        let session = try token.session(writes: true)
        for kind in [CKO_PUBLIC_KEY, CKO_PRIVATE_KEY] {
            let same = Attributes.keys(UInt(kind)).with(UInt(CKA_LABEL), name.description)
            guard try session.find(same).isEmpty else { throw .nameTaken(name) }
        }
        return session
    }
}
