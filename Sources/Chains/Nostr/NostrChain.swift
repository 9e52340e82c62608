// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore

/// What every wire of Nostr shares: the protocol, what its keys sign, and what rules may say.
package enum NostrChain {
    /// The protocol that rules name, and to which its keys belong.
    package static let protocolID = ProtocolID("nostr")
    /// What its keys sign with.
    package static let algorithm = KeyAlgorithm.bip340
    /// `nostr/event` and nothing else.
    package static let domains = [NostrEvent.domain]
    /// The facts and dangers of requests for its keys.
    package static let schema = vocabulary.with(forms, adding: tagFields)

    /// The address of an account: its public key in lower-case hex.
    package static func address(publicKey: [UInt8]) -> String { Hex.encode(publicKey.span) }
}
