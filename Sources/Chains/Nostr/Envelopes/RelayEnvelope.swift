// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

/// The events that the keys of connections sign: envelopes to clients, and logins to relays.
///
/// No key of a user signs them: the domain is not registered with any vault.
package enum RelayEnvelope {
    /// The domain of the only events that the keys of connections sign.
    package static let domain = SigningDomain(
        id: SigningDomain.ID("nostr/envelope"), protocolID: NostrChain.protocolID,
        algorithm: NostrChain.algorithm, prehash: .sha256, prefix: Array("[0,\"".utf8),
        isValid: { preimage, publicKey in
            guard NostrEvent.isPreimage(preimage, publicKey: publicKey),
                let list = (try? JSON.parse(preimage.span))?.list, list.count > 3
            else { return false }
            return [EventKind.remoteSigning, .relayAuthentication].contains {
                list[3].integerValue == Int64($0.number)
            }
        })

    /// Returns an envelope for the owner of a key.
    package static func envelope(
        _ content: String, to peer: String, at now: Timestamp
    ) -> NostrEvent {
        NostrEvent(
            createdAt: now.seconds, kind: .remoteSigning, tags: [["p", peer]], content: content)
    }

    /// Returns a login to a relay (NIP-42).
    package static func login(
        to relay: String, challenge: String, at now: Timestamp
    ) -> NostrEvent {
        NostrEvent(
            createdAt: now.seconds, kind: .relayAuthentication,
            tags: [["relay", relay], ["challenge", challenge]], content: "")
    }
}
