// SPDX-License-Identifier: Apache-2.0

/// The signature algorithm of a key.
public enum KeyAlgorithm: String, Hashable, Sendable {
    /// Ed25519 (RFC 8032).
    case ed25519
    /// Schnorr signatures over secp256k1 with x-only public keys (BIP-340).
    case bip340
    /// None: the account is its members', and only their keys sign.
    case multisig
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
public struct Account: Hashable, Sendable {
    /// Stable identity.
    public let id: KeyID
    /// The owner's name for it, as used in a policy file.
    public let name: String
    /// The one protocol this key may sign for.
    public let protocolID: ProtocolID
    /// How it signs.
    public let algorithm: KeyAlgorithm
    /// 32 bytes; of a multisignature account the hash that stands for its key.
    public let publicKey: [UInt8]
    /// The members of a multisignature account; nil for every account with a key.
    public let multisig: MultisigMembers?
    /// The account as its protocol writes it: npub hex, NEAR account id, Algorand address.
    public let address: String
    /// The only network it may be used on; nil where the owner set none.
    public let network: String?
    /// The owner's words for groups of keys, as used in a policy file, sorted.
    public let tags: [String]

    /// Makes the public description of a key.
    public init(
        id: KeyID, name: String, protocolID: ProtocolID, algorithm: KeyAlgorithm,
        publicKey: [UInt8], address: String, network: String?, tags: [String] = [],
        multisig: MultisigMembers? = nil
    ) {
        self.id = id
        self.name = name
        self.protocolID = protocolID
        self.algorithm = algorithm
        self.publicKey = publicKey
        self.address = address
        self.network = network
        self.tags = tags
        self.multisig = multisig
    }
}

extension Account {
    /// Whether no key is held for it, so that nothing is ever signed by it.
    public var isWatchOnly: Bool { algorithm == .multisig }
}

extension [Account] {
    /// The addresses that a key held here answers for, which is what `"@own"` names in a policy.
    public var ownAddresses: [String] { filter { !$0.isWatchOnly }.map(\.address) }
}
