// SPDX-License-Identifier: Apache-2.0

/// One kind of message that a key may sign, distinguished from every other kind by its bytes.
///
/// Chains declare domains and adapters list them; key stores check preimages against their
/// `DomainRegistry`.
public struct SigningDomain: Sendable {
    /// The identity of a domain.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// Protocol and name, such as `near/nep413`.
        public let text: String

        /// Makes an identity from its text.
        public init(_ text: String) { self.text = text }

        /// The text itself.
        public var description: String { text }
    }

    /// The hash of the preimage that the algorithm signs; a chain may bring one of its own.
    public struct Prehash: Equatable, Sendable {
        /// The name, by which two hashes are compared.
        public let name: String
        private let digest: @Sendable (_ preimage: [UInt8]) -> [UInt8]?

        /// Makes a hash; `digest` returns nil for a preimage that does not have the right form.
        public init(_ name: String, _ digest: @escaping @Sendable ([UInt8]) -> [UInt8]?) {
            self.name = name
            self.digest = digest
        }

        /// The preimage itself is signed.
        public static let none = Prehash("none") { $0 }

        /// Returns the bytes that the algorithm signs; nil if the preimage does not have the right
        /// form.
        public func message(of preimage: [UInt8]) -> [UInt8]? { digest(preimage) }

        /// True if both have the same name.
        public static func == (one: Prehash, other: Prehash) -> Bool { one.name == other.name }
    }

    /// The identity, unique among all registered domains.
    public let id: ID
    /// The only protocol whose keys may sign messages of the domain.
    public let protocolID: ProtocolID
    /// The only algorithm that signs messages of the domain.
    public let algorithm: KeyAlgorithm
    /// The hash that the key store applies to the preimage.
    public let prehash: Prehash
    /// The bytes at the start of every preimage.
    public let prefix: [UInt8]
    /// True if the bytes do not identify their kind, as with bytes chosen by others.
    ///
    /// Only domains of the same protocol are checked for a conflict with such bytes.
    public let isBare: Bool
    /// Returns whether bytes that begin with `prefix` belong to this domain, for this public key.
    public let isValid: @Sendable (_ preimage: [UInt8], _ publicKey: [UInt8]) -> Bool

    /// Declares a domain.
    public init(
        id: ID, protocolID: ProtocolID, algorithm: KeyAlgorithm, prehash: Prehash,
        prefix: [UInt8], isBare: Bool = false,
        isValid: @escaping @Sendable (_ preimage: [UInt8], _ publicKey: [UInt8]) -> Bool
    ) {
        self.id = id
        self.protocolID = protocolID
        self.algorithm = algorithm
        self.prehash = prehash
        self.prefix = prefix
        self.isBare = isBare
        self.isValid = isValid
    }

    /// Joins two parts to a preimage: the length of the first in four bytes, big-endian, then both.
    public static func joined(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
        let count = UInt32(first.count)
        return (0..<4).map { UInt8(truncatingIfNeeded: count >> (24 - 8 * $0)) } + first + second
    }

    /// Returns the two parts of a preimage that `joined` made; nil if the preimage is too short.
    public static func parts(
        of preimage: [UInt8]
    ) -> (first: ArraySlice<UInt8>, second: ArraySlice<UInt8>)? {
        guard preimage.count >= 4 else { return nil }
        let count = preimage[..<4].reduce(0) { $0 << 8 | Int($1) }
        let rest = preimage[4...]
        guard rest.count >= count else { return nil }
        return (rest.prefix(count), rest.dropFirst(count))
    }

    /// True if another domain has the same declaration.
    package func isDeclared(as other: SigningDomain) -> Bool {
        protocolID == other.protocolID && algorithm == other.algorithm
            && prehash == other.prehash && prefix == other.prefix && isBare == other.isBare
    }

    /// Returns whether these bytes could be a preimage of this domain.
    func claims(_ bytes: [UInt8], publicKey: [UInt8]) -> Bool {
        bytes.starts(with: prefix) && isValid(bytes, publicKey)
    }
}
