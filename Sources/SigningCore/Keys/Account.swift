// SPDX-License-Identifier: Apache-2.0

/// The signature algorithm of a key.
public enum KeyAlgorithm: String, Hashable, Sendable {
    /// Ed25519 (RFC 8032).
    case ed25519
    /// Schnorr signatures over secp256k1 with x-only public keys (BIP-340).
    case bip340
    /// ECDSA over P-256 (FIPS 186-5), the public key as 64 bytes, x and y; of passkeys alone.
    case p256
    /// None: the account is its members', and only their keys sign.
    case multisig
    /// None: the account was rekeyed, and another account's key or members sign for it.
    case rekeyed
}

/// What an account that several keys share consists of, of which none need be held.
public struct MultisigMembers: Hashable, Sendable {
    /// The version of the scheme.
    public let version: UInt8
    /// How many signatures make one of the account.
    public let threshold: UInt8
    /// The members' public keys, 32 bytes each, in the order that the address is made from.
    public let keys: [[UInt8]]

    /// Makes a description; that address and members belong together is the caller's to check.
    public init(version: UInt8, threshold: UInt8, keys: [[UInt8]]) {
        self.version = version
        self.threshold = threshold
        self.keys = keys
    }
}

/// The public half of one stored key, or an account without one: all that may leave the vault.
///
/// It goes with every operation of a request, so that a copy of it is one reference.
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

    /// Stable identity.
    public var id: KeyID { record.parts.id }
    /// The owner's name for it, as used in a policy file.
    public var name: String { record.parts.name }
    /// The one protocol this key may sign for.
    public var protocolID: ProtocolID { record.parts.protocolID }
    /// How it signs.
    public var algorithm: KeyAlgorithm { record.parts.algorithm }
    /// 32 bytes; of a multisignature account the hash that stands for its key.
    public var publicKey: [UInt8] { record.parts.publicKey }
    /// The members of a multisignature account; nil for every account with a key.
    public var multisig: MultisigMembers? { record.parts.multisig }
    /// The public key of the account that signs for a rekeyed one, as the owner says.
    public var signedBy: [UInt8]? { record.parts.signedBy }
    /// The account as its protocol writes it: npub hex, NEAR account id, Algorand address.
    public var address: String { record.parts.address }
    /// The only network it may be used on; nil where the owner set none.
    public var network: String? { record.parts.network }
    /// The owner's words for groups of keys, as used in a policy file, sorted.
    public var tags: [String] { record.parts.tags }

    /// Whether all that is said of both is the same.
    public static func == (one: Account, other: Account) -> Bool {
        one.record === other.record || one.record.parts == other.record.parts
    }

    /// Hashes all that is said of it.
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
    /// Whether no key is held for it, so that nothing is ever signed by it.
    public var isWatchOnly: Bool { algorithm == .multisig || algorithm == .rekeyed }
}

extension [Account] {
    /// The addresses that a key held here answers for, which is what `"@own"` names in a policy.
    public var ownAddresses: [String] { filter { !$0.isWatchOnly }.map(\.address) }
}
