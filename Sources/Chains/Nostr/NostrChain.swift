// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// The parts that all wires of Nostr share: the protocol, the signed data and the fact schema.
public struct NostrChain: Chain {
    /// The protocol id in rules and in accounts.
    package static let protocolID = ProtocolID.nostr
    /// The signature algorithm of its keys.
    package static let algorithm = KeyAlgorithm.bip340
    /// The only domain is `nostr/event`.
    package static let domains = [NostrEvent.domain]
    /// The facts and dangers of requests for its keys.
    package static let schema = vocabulary.with(forms, adding: tagFields)

    /// The protocol id, `nostr`.
    public var protocolID: ProtocolID { Self.protocolID }
    /// The signature algorithm, BIP-340.
    public var algorithm: KeyAlgorithm { Self.algorithm }

    /// Creates the chain; it has no settings.
    public init() {}

    /// Returns the address of an account: its public key in lower-case hex.
    package static func address(publicKey: [UInt8]) -> String { Hex.encode(publicKey.span) }

    /// Returns the public key in lower-case hex.
    public func address(publicKey: [UInt8], given _: String?) -> String {
        Self.address(publicKey: publicKey)
    }

    /// Returns the text form `npub1...`.
    public func publicText(_ publicKey: [UInt8]) -> String? { PublicKeyText.npub(publicKey) }
}

extension Chain where Self == NostrChain {
    /// The Nostr chain.
    public static var nostr: NostrChain { NostrChain() }
}

extension ProtocolID {
    /// Nostr, as rules and keys name it.
    public static let nostr = ProtocolID("nostr")
}
