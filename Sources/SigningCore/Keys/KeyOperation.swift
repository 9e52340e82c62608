// SPDX-License-Identifier: Apache-2.0

/// An operation with a key; a closed list, because a new protocol adds facts, not operations.
public enum KeyOperation: Hashable, Sendable {
    /// Return the public key.
    case publicKey
    /// Sign a preimage of a registered domain.
    case sign(SigningInput)
    /// Make a passkey of the account for a host, and delete the present one.
    ///
    /// `replacing` is the credential of the present passkey; nil if the host has no passkey yet.
    case makePasskey(host: String, replacing: [UInt8]?)
    /// Sign a preimage of a registered domain with the passkey of the account that has this
    /// credential.
    case signByPasskey(credential: [UInt8], SigningInput)
    /// Encrypt text for a peer's public key.
    case encrypt(CipherScheme, peer: [UInt8], plaintext: [UInt8])
    /// Decrypt a payload that was encrypted between a peer's public key and this key.
    case decrypt(CipherScheme, peer: [UInt8], payload: [UInt8])
}

/// The encryption schemes a key store may offer.
public enum CipherScheme: Hashable, Sendable {
    /// NIP-04: a payload is the IV of 16 bytes and the ciphertext; nothing authenticates it.
    case nip04
    /// NIP-44 version 2, raw payload bytes without Base64.
    case nip44
    /// The content of a private zap to this key; a payload as in `nip04`. Decryption only.
    ///
    /// The peer is the one-time key that signed the zap.
    case privateZap
    /// The content of a private zap that this key sent; the peer is its receiver.
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

/// The bytes to sign and the domain that gives them meaning.
///
/// They are the preimage, never a digest: the key store hashes them, so that the signed bytes are
/// the shown ones.
public struct SigningInput: Hashable, Sendable {
    /// The registered domain's identity.
    public let domain: SigningDomain.ID
    /// The bytes before any hashing.
    public let preimage: [UInt8]
    /// The byte ranges that age, such as a nonce.
    ///
    /// They are filled in anew after a person has answered; all other signed bytes are those that
    /// were shown.
    public let aging: [Range<Int>]

    /// Makes an input for one signature.
    public init(domain: SigningDomain.ID, preimage: [UInt8], aging: [Range<Int>] = []) {
        precondition(
            aging.allSatisfy { preimage.indices.contains($0) || $0.isEmpty },
            "the bytes that age are not in the preimage")
        self.domain = domain
        self.preimage = preimage
        self.aging = aging
    }

    /// The preimage with zeros in place of the bytes that age; a person sees this form.
    public var preimageWithoutAging: [UInt8] {
        var bytes = preimage
        for place in aging.joined() { bytes[place] = 0 }
        return bytes
    }
}

/// The result of one key operation.
public enum KeyResult: Hashable, Sendable {
    /// The public key.
    case publicKey([UInt8])
    /// A verified signature.
    ///
    /// `message` is the input of the algorithm: the digest if the domain prehashes.
    case signature([UInt8], message: [UInt8])
    /// The public half of a new passkey that is on disk: 64 bytes, x and y.
    case passkey([UInt8])
    /// A payload in the scheme's raw form.
    case ciphertext([UInt8])
    /// Decrypted bytes.
    case plaintext([UInt8])
}
