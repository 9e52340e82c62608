// SPDX-License-Identifier: Apache-2.0

import CPKCS11
import SigningCodecs
import SigningCore
import SigningCrypto

extension TokenSession {
    /// Finds the private key of an account; needs a login.
    ///
    /// Public objects can be changed without the PIN. Therefore the private key itself must have
    /// the label, which names the protocol, and it must not be readable.
    func privateKey(of account: Account) throws(TokenError) -> CK_OBJECT_HANDLE {
        guard let name = TokenKeyName(of: account) else {
            throw .other(CK_RV(CKR_ARGUMENTS_BAD), during: "the name of the key")
        }
        let found = try find(
            .keys(UInt(CKO_PRIVATE_KEY)).with(UInt(CKA_ID), account.id.tokenBytes)
                .with(UInt(CKA_LABEL), name.description))
        guard let key = found.first else { throw .noKey(name) }
        guard found.count == 1 else { throw .keyTwice(name) }
        try checkSealed(key, name)
        return key
    }

    /// Throws if the token would give away the secret of a key.
    func checkSealed(_ key: CK_OBJECT_HANDLE, _ name: TokenKeyName) throws(TokenError) {
        guard try bytes(of: key, UInt(CKA_SENSITIVE)) == [UInt8(CK_TRUE)],
            try bytes(of: key, UInt(CKA_EXTRACTABLE)) == [UInt8(CK_FALSE)]
        else { throw .readable(name) }
    }

    /// Signs, and verifies with the public key of the account that was judged.
    func verifiedSignature(
        of message: [UInt8], by key: CK_OBJECT_HANDLE, of account: Account
    ) throws(TokenError) -> [UInt8] {
        let signature = try sign(message, by: key)
        let isValid = Signatures.isValidEd25519(
            signature: signature.span, message: message.span, publicKey: account.publicKey.span)
        guard isValid else {
            guard let name = TokenKeyName(of: account) else { throw .removed }
            throw .wrongSignature(name)
        }
        return signature
    }
}

extension KeyID {
    /// The number of bytes of `CKA_ID`.
    static let tokenBytes = 16

    /// Reads `CKA_ID`; nil if it has another length than those of this store.
    init?(token bytes: [UInt8]) {
        guard bytes.count == Self.tokenBytes else { return nil }
        self.init(Hex.encode(bytes.span))
    }

    /// The value of `CKA_ID`.
    var tokenBytes: [UInt8] { (try? Hex.decode(text)) ?? [] }
}
