// SPDX-License-Identifier: Apache-2.0

/// What a key is asked to do; closed, because a new protocol adds facts, not operations.
public enum KeyOperation: Hashable, Sendable {
    /// Tell the public key.
    case publicKey
    /// Sign a preimage of a registered domain.
    case sign(SigningInput)
    /// Make a passkey of the account for a host, in place of the one with this credential, which
    /// must be the one that is held; nil where none is.
    case makePasskey(host: String, replacing: [UInt8]?)
    /// Sign a preimage of a registered domain with the passkey of the account that has this
    /// credential.
    case signByPasskey(credential: [UInt8], SigningInput)
    /// Encrypt text for a peer's public key.
    case encrypt(CipherScheme, peer: [UInt8], plaintext: [UInt8])
    /// Decrypt a payload that a peer's public key and this key share.
    case decrypt(CipherScheme, peer: [UInt8], payload: [UInt8])
}

/// The encryption schemes a key store may offer.
public enum CipherScheme: Hashable, Sendable {
    /// NIP-04: a payload is the IV of 16 bytes and the ciphertext; nothing authenticates it.
    case nip04
    /// NIP-44 version 2, raw payload bytes without Base64.
    case nip44
    /// The inside of a private zap that was sent to this key; a payload as in `nip04`, the peer
    /// is the one-time key that signed the zap. Decryption only.
    case privateZap
    /// The inside of a private zap that this key sent; the peer is its receiver.
    ///
    /// The one-time secret is SHA-256 of this key's secret in hex and `context`; it must be the
    /// secret of `oneTimeKey`. Decryption only.
    case sentPrivateZap(oneTimeKey: [UInt8], context: [UInt8])

    /// The scheme's name in policies.
    public var name: String {
        switch self {
        case .nip04: "nip04"
        case .nip44: "nip44"
        case .privateZap, .sentPrivateZap: "private_zap"
        }
    }
}

/// Bytes to be signed, together with the domain that gives them meaning.
///
/// The preimage is handed over, never a digest: the key store hashes, so what was shown is
/// what is signed.
public struct SigningInput: Hashable, Sendable {
    /// The registered domain's identity.
    public let domain: SigningDomain.ID
    /// The bytes before any hashing.
    public let preimage: [UInt8]
    /// The bytes that age, such as a nonce: they are filled in anew after a person has answered, so
    /// that what is signed is what was shown in all other bytes.
    public let aging: [Range<Int>]

    /// Makes an input for one signature.
    public init(domain: SigningDomain.ID, preimage: [UInt8], aging: [Range<Int>] = []) {
        precondition(
            aging.allSatisfy { preimage.indices.contains($0) || $0.isEmpty },
            "what ages lies in the preimage")
        self.domain = domain
        self.preimage = preimage
        self.aging = aging
    }

    /// The preimage with zeros for the bytes that age: what a person is shown.
    public var preimageWithoutAging: [UInt8] {
        var bytes = preimage
        for place in aging.joined() { bytes[place] = 0 }
        return bytes
    }
}

/// What came of one key operation.
public enum KeyResult: Hashable, Sendable {
    /// 32 bytes.
    case publicKey([UInt8])
    /// 64 bytes, already verified; `message` is what the algorithm signed (the digest, where
    /// the domain prehashes).
    case signature([UInt8], message: [UInt8])
    /// The public half of a passkey that was made and is on disk, 64 bytes, x and y.
    case passkey([UInt8])
    /// A payload in the scheme's raw form.
    case ciphertext([UInt8])
    /// Decrypted bytes.
    case plaintext([UInt8])
}
