// SPDX-License-Identifier: Apache-2.0

package import SigningCodecs
package import SigningCore
import SigningDigests

/// A signed event with author, id and signature, which are not verified yet.
package struct SignedEvent: Hashable, Sendable {
    package let event: NostrEvent
    package let author: [UInt8]
    package let id: [UInt8]
    package let signature: [UInt8]

    package init(_ members: JSONObject) throws(NostrRefusal) {
        event = NostrEvent(
            createdAt: try NostrEvent.createdAt(members["created_at"]),
            kind: try NostrEvent.kind(members["kind"]),
            tags: try NostrEvent.tags(members["tags"]),
            content: try NostrEvent.content(members["content"]))
        id = try NostrEvent.bytes(members["id"], count: 32, named: "id")
        author = try NostrEvent.bytes(members["pubkey"], count: 32, named: "pubkey")
        signature = try NostrEvent.bytes(members["sig"], count: 64, named: "sig")
    }

    /// The signature and the content to verify: the id over the content, the signature over the id.
    package var claim: SignatureClaim {
        SignatureClaim(
            signer: PublicKeyText.npub(author), scheme: .bip340, publicKey: author,
            signature: signature,
            readings: [
                SignatureClaim.Reading(
                    name: "NIP-01", preimage: event.preimage(publicKey: Hex.encode(author.span)),
                    prehash: .sha256)
            ], statedMessage: id)
    }
}
