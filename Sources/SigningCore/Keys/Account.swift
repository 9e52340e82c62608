// SPDX-License-Identifier: Apache-2.0

/// The name of a key's signature algorithm, as it is stored; a chain may bring one of its own.
public struct KeyAlgorithm: Hashable, Sendable {
    /// The stored text.
    public let id: String

    /// Makes a name from its text.
    public init(_ id: String) { self.id = id }

    /// Ed25519 (RFC 8032).
    public static let ed25519 = KeyAlgorithm("ed25519")
    /// Schnorr signatures over secp256k1 with x-only public keys (BIP-340).
    public static let bip340 = KeyAlgorithm("bip340")
    /// ECDSA over P-256 (FIPS 186-5), for passkeys only; the public key is 64 bytes, x and y.
    public static let p256 = KeyAlgorithm("p256")
    /// The account has no key: only the keys of its members sign.
    public static let multisig = KeyAlgorithm("multisig")
    /// The account was rekeyed: the key or members of another account sign for it.
    public static let rekeyed = KeyAlgorithm("rekeyed")
}

/// The members of an account that several keys share; their keys need not be held here.
public struct MultisigMembers: Hashable, Sendable {
    /// The version of the scheme.
    public let version: UInt8
    /// The number of members who must sign.
    public let threshold: UInt8
    /// The members' public keys, 32 bytes each, in the order of the address derivation.
    public let keys: [[UInt8]]

    /// Makes a description; the caller checks that the members match the address.
    public init(version: UInt8, threshold: UInt8, keys: [[UInt8]]) {
        self.version = version
        self.threshold = threshold
        self.keys = keys
    }
}

/// The public half of a stored key, or a watch-only account; secrets never leave the vault.
///
/// An account is stored as one reference, because every operation of a request has a copy.
public struct Account: Hashable, Sendable {
    private let record: Record

    /// Makes the public description of a key.
    public init(
        id: KeyID, name: String, protocolID: ProtocolID, algorithm: KeyAlgorithm,
        publicKey: [UInt8], address: String, network: String?, tags: [String] = [],
        multisig: MultisigMembers? = nil, signedBy: [UInt8]? = nil
    ) {
        record = Record(
            Parts(
                id: id, name: name, protocolID: protocolID, algorithm: algorithm,
                publicKey: publicKey, multisig: multisig, signedBy: signedBy, address: address,
                network: network, tags: tags))
    }

    /// The stable identity.
    public var id: KeyID { record.parts.id }
    /// The owner's name for the key, as used in a policy file.
    public var name: String { record.parts.name }
    /// The one protocol this key may sign for.
    public var protocolID: ProtocolID { record.parts.protocolID }
    /// The signature algorithm.
    public var algorithm: KeyAlgorithm { record.parts.algorithm }
    /// The public key; for a multisignature account, the hash in place of a key.
    public var publicKey: [UInt8] { record.parts.publicKey }
    /// The members of a multisignature account; nil for every account with a key.
    public var multisig: MultisigMembers? { record.parts.multisig }
    /// The public key of the account that signs for a rekeyed one, as the owner states it.
    public var signedBy: [UInt8]? { record.parts.signedBy }
    /// The account as its protocol writes it: npub hex, NEAR account id, Algorand address.
    public var address: String { record.parts.address }
    /// The only network on which the key may be used; nil if the owner set none.
    public var network: String? { record.parts.network }
    /// The owner's tags for groups of keys, as used in a policy file, sorted.
    public var tags: [String] { record.parts.tags }

    /// True if all properties are equal.
    public static func == (one: Account, other: Account) -> Bool {
        one.record === other.record || one.record.parts == other.record.parts
    }

    /// Hashes all properties.
    public func hash(into hasher: inout Hasher) { record.parts.hash(into: &hasher) }

    private struct Parts: Hashable, Sendable {
        let id: KeyID
        let name: String
        let protocolID: ProtocolID
        let algorithm: KeyAlgorithm
        let publicKey: [UInt8]
        let multisig: MultisigMembers?
        let signedBy: [UInt8]?
        let address: String
        let network: String?
        let tags: [String]
    }

    private final class Record: Sendable {
        let parts: Parts

        init(_ parts: Parts) { self.parts = parts }
    }
}

extension Account {
    /// True if the store holds no key for the account, so that the account never signs.
    public var isWatchOnly: Bool { algorithm == .multisig || algorithm == .rekeyed }
}

extension [Account] {
    /// The addresses with a key held here; `"@own"` in a policy means these.
    public var ownAddresses: [String] { filter { !$0.isWatchOnly }.map(\.address) }
}
