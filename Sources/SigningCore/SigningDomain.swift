// SPDX-License-Identifier: Apache-2.0

/// One kind of thing a key may sign, told apart from every other kind by its bytes.
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

    /// What is done to the preimage before the algorithm sees it.
    public enum Prehash: String, Hashable, Sendable {
        /// Nothing.
        case none
        /// SHA-256.
        case sha256
    }

    /// Identity, unique among all registered domains.
    public let id: ID
    /// The only protocol whose keys may sign it.
    public let protocolID: ProtocolID
    /// The only algorithm it is signed with.
    public let algorithm: KeyAlgorithm
    /// The hash the key store applies.
    public let prehash: Prehash
    /// The bytes every preimage begins with.
    public let prefix: [UInt8]
    /// Whether bytes that begin with `prefix` are this kind of thing, for this public key.
    public let isValid: @Sendable (_ preimage: [UInt8], _ publicKey: [UInt8]) -> Bool

    /// Declares a domain.
    public init(
        id: ID, protocolID: ProtocolID, algorithm: KeyAlgorithm, prehash: Prehash,
        prefix: [UInt8],
        isValid: @escaping @Sendable (_ preimage: [UInt8], _ publicKey: [UInt8]) -> Bool
    ) {
        self.id = id
        self.protocolID = protocolID
        self.algorithm = algorithm
        self.prehash = prehash
        self.prefix = prefix
        self.isValid = isValid
    }

    /// Whether these bytes could be one of this domain's preimages.
    func claims(_ bytes: [UInt8], publicKey: [UInt8]) -> Bool {
        bytes.starts(with: prefix) && isValid(bytes, publicKey)
    }
}
