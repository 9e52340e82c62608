// SPDX-License-Identifier: Apache-2.0

/// A signed message, decoded so that its signatures can be checked.
public struct SignedStatement: Equatable, Sendable {
    /// The content, for a person.
    public let summary: Summary
    /// The signatures of the statement; the statement is valid only if all of them are.
    public let signatures: [SignatureClaim]
    /// The accounts in whose name the statement is made: one for each transaction, in order.
    public let authors: [StatementAuthor]

    /// Makes a statement.
    public init(summary: Summary, signatures: [SignatureClaim], authors: [StatementAuthor]) {
        self.summary = summary
        self.signatures = signatures
        self.authors = authors
    }
}

/// An account in whose name a statement is made, and the strength of the proof if the signatures
/// are valid.
public struct StatementAuthor: Hashable, Sendable {
    /// The relation of the signing key to the account.
    public enum Key: String, Hashable, Sendable {
        /// The key that the account's name or address contains.
        case ownKey = "own"
        /// Another key; only the network can tell whether it may sign for the account.
        case other
        /// Unknown: the account's name contains no key; only the network can tell its keys.
        case unknown
    }

    /// The account: its address, name or public key.
    public let account: String
    /// The network; nil if the signed bytes name none.
    public let network: String?
    /// The relation of the signing key to the account.
    public let key: Key
    /// The number of signatures in the statement for the account.
    public let signatureCount: Int
    /// The number of signatures that the account needs.
    public let neededCount: Int

    /// Makes an author; by default one signature is enough.
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

    /// True if the account has enough signatures.
    public var isComplete: Bool { signatureCount >= neededCount }
}

/// One signature, with the possible readings of the message that it signs.
public struct SignatureClaim: Equatable, Sendable {
    /// One interpretation of the signed message.
    public struct Reading: Equatable, Sendable {
        /// The difference from the strict reading, such as `callbackUrl left out`.
        public let name: String
        /// The bytes before hashing.
        public let preimage: [UInt8]
        /// The hash of the preimage.
        public let prehash: SigningDomain.Prehash
        /// The signature, if its text can be decoded in a second way; nil for the claim's own.
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

    /// The signer, for people.
    public let signer: String
    /// The scheme.
    public let scheme: SignatureScheme
    /// The public key.
    public let publicKey: [UInt8]
    /// The signature.
    public let signature: [UInt8]
    /// The readings, the strict one first; the signature must be valid for one of them.
    public let readings: [Reading]
    /// The digest that the statement itself names, such as a Nostr event id; it must be correct.
    public let statedMessage: [UInt8]?

    /// Makes a claim.
    public init(
        signer: String, scheme: SignatureScheme, publicKey: [UInt8], signature: [UInt8],
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

/// An error in a signed statement.
public struct StatementError: Error, Hashable, Sendable {
    /// The problem.
    public let reason: String

    /// Makes an error.
    public init(_ reason: String) { self.reason = reason }
}

/// An optional protocol of adapters: reads signed messages so that they can be verified.
public protocol SignedStatementReader: Sendable {
    /// Decodes a signed statement in any of the encodings in use.
    func readSigned(_ bytes: Span<UInt8>) throws(StatementError) -> SignedStatement
}
