// SPDX-License-Identifier: Apache-2.0

/// Something already signed, taken apart so that its signatures can be checked.
public struct SignedStatement: Hashable, Sendable {
    /// What it says, for a person.
    public let summary: Summary
    /// The signatures it carries; all of them must hold.
    public let signatures: [SignatureClaim]
    /// The accounts it speaks for; of several transactions one for each, in their order.
    public let authors: [StatementAuthor]

    /// Makes a statement.
    public init(summary: Summary, signatures: [SignatureClaim], authors: [StatementAuthor]) {
        self.summary = summary
        self.signatures = signatures
        self.authors = authors
    }
}

/// An account that a statement speaks for, and how far its signatures prove that, if they hold.
public struct StatementAuthor: Hashable, Sendable {
    /// The key that signed, as seen from the account.
    public enum Key: String, Hashable, Sendable {
        /// The one that the account's own name or address stands for.
        case own
        /// Another one; only the network knows whether it may sign for the account.
        case other
        /// Unknown, as the account's name tells no key; only the network knows its keys.
        case unknown
    }

    /// The account: its address, name or public key.
    public let account: String
    /// The network; nil where nothing that is signed names one.
    public let network: String?
    /// The key that signed.
    public let key: Key
    /// How many signatures there are.
    public let signatureCount: Int
    /// How many the account needs.
    public let neededCount: Int

    /// Names an account; one signature is enough for most.
    public init(
        _ account: String, on network: String? = nil, key: Key, signatureCount: Int = 1,
        neededCount: Int = 1
    ) {
        self.account = account
        self.network = network
        self.key = key
        self.signatureCount = signatureCount
        self.neededCount = neededCount
    }

    /// Whether the account has as many signatures as it needs.
    public var isComplete: Bool { signatureCount >= neededCount }
}

/// One signature with the readings under which it may hold.
public struct SignatureClaim: Hashable, Sendable {
    /// How a signature is checked.
    public enum Scheme: String, Hashable, Sendable {
        /// Ed25519, 32-byte key, 64-byte signature.
        case ed25519
        /// BIP-340, 32-byte x-only key, 64-byte signature.
        case bip340
        /// ECDSA over secp256k1, 64-byte key, 65-byte signature (r, s, recovery id).
        case ecdsaSecp256k1 = "ecdsa_secp256k1"
    }

    /// One way to read what was signed.
    public struct Reading: Hashable, Sendable {
        /// What is special about it, such as `callbackUrl left out`.
        public let name: String
        /// The bytes before hashing.
        public let preimage: [UInt8]
        /// The hash in between.
        public let prehash: SigningDomain.Prehash
        /// The signature where its text has a second meaning; nil for the claim's.
        public let signature: [UInt8]?

        /// Makes a reading.
        public init(
            name: String, preimage: [UInt8], prehash: SigningDomain.Prehash,
            signature: [UInt8]? = nil
        ) {
            self.name = name
            self.preimage = preimage
            self.prehash = prehash
            self.signature = signature
        }
    }

    /// Whose signature it is, for people.
    public let signer: String
    /// How to check it.
    public let scheme: Scheme
    /// The public key.
    public let publicKey: [UInt8]
    /// The signature.
    public let signature: [UInt8]
    /// The readings, the strict one first; one must hold.
    public let readings: [Reading]
    /// The digest the statement names for itself, such as a Nostr event id; it must be right.
    public let statedMessage: [UInt8]?

    /// Makes a claim.
    public init(
        signer: String, scheme: Scheme, publicKey: [UInt8], signature: [UInt8],
        readings: [Reading], statedMessage: [UInt8]?
    ) {
        self.signer = signer
        self.scheme = scheme
        self.publicKey = publicKey
        self.signature = signature
        self.readings = readings
        self.statedMessage = statedMessage
    }
}

/// A signed statement that cannot be read.
public struct StatementError: Error, Hashable, Sendable {
    /// What is wrong with it.
    public let reason: String

    /// Makes an error.
    public init(_ reason: String) { self.reason = reason }
}

/// The second, optional face of an adapter: reads what was signed, so that it can be verified.
public protocol SignedStatementReader: Sendable {
    /// Takes a signed statement apart, liberally where the field's own encodings differ.
    func readSigned(_ bytes: Span<UInt8>) throws(StatementError) -> SignedStatement
}
