// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
public import SigningCore

/// What every wire of Nostr shares: the protocol, what its keys sign, and what rules may say.
public struct NostrChain: Chain {
    /// The protocol that rules name, and to which its keys belong.
    package static let protocolID = ProtocolID("nostr")
    /// What its keys sign with.
    package static let algorithm = KeyAlgorithm.bip340
    /// `nostr/event` and nothing else.
    package static let domains = [NostrEvent.domain]
    /// The facts and dangers of requests for its keys.
    package static let schema = vocabulary.with(forms, adding: tagFields)

    /// `nostr`.
    public var protocolID: ProtocolID { Self.protocolID }
    /// BIP-340.
    public var algorithm: KeyAlgorithm { Self.algorithm }

    /// Makes it; there is one.
    public init() {}

    /// The address of an account: its public key in lower-case hex.
    package static func address(publicKey: [UInt8]) -> String { Hex.encode(publicKey.span) }

    /// The public key in lower-case hex.
    public func address(publicKey: [UInt8], given _: String?) -> String {
        Self.address(publicKey: publicKey)
    }

    /// `npub1...`.
    public func publicText(_ publicKey: [UInt8]) -> String? { PublicKeyText.npub(publicKey) }
}

extension Chain where Self == NostrChain {
    /// Nostr.
    public static var nostr: NostrChain { NostrChain() }
}
