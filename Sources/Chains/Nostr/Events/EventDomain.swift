// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
package import SigningCore
import SigningDigests

extension NostrEvent {
    /// The only data that a Nostr key signs: the serialization of an event with this key as author.
    package static let domain = SigningDomain(
        id: SigningDomain.ID("nostr/event"), protocolID: NostrChain.protocolID,
        algorithm: NostrChain.algorithm,
        prehash: .sha256, prefix: Array("[0,\"".utf8),
        isValid: { isPreimage($0, publicKey: $1) })

    /// True if the bytes are exactly the serialization of an event of this key.
    package static func isPreimage(_ bytes: [UInt8], publicKey: [UInt8]) -> Bool {
        let publicKey = Hex.encode(publicKey.span)
        guard let list = (try? JSON.parse(bytes.span))?.list, list.count == 6,
            list[0].integerValue == 0, list[1].text == publicKey,
            let event = try? NostrEvent(
                createdAt: createdAt(list[2]), kind: kind(list[3]), tags: tags(list[4]),
                content: content(list[5]))
        else { return false }
        return event.preimage(publicKey: publicKey) == bytes
    }
}

extension RequestedOperation {
    /// The id of the event that the operation signs, 64 hex digits (NIP-01); nil for other
    /// operations.
    package var eventID: String? {
        guard case .sign(let input) = operation, input.domain == NostrEvent.domain.id else {
            return nil
        }
        return Hex.encode(Digest.sha256(input.preimage.span).span)
    }
}
