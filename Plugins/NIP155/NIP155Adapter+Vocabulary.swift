// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension NIP155Adapter {
    /// What policy files may say about requests of this adapter.
    static let vocabulary = FactSchema(
        protocolID: ProtocolID("nostr"),
        operations: ["get_public_key", "sign_event", "nip44_encrypt", "nip44_decrypt"],
        fields: [
            FactField("kind", .integer, boundsGrants: true, note: "The kind of the event."),
            FactField("content.bytes", .integer, note: "The size of the content."),
            FactField(
                "content.contains", .text, isPayload: true,
                note: "The content itself, for a search; unknown above 16 KiB."),
            FactField(
                "tag.*", .text, isList: true, isPayload: true,
                note: "The first values of all tags of that name, such as tag.p."),
            FactField("tag_count", .integer, note: "The number of tags."),
            FactField(
                "created_at.skew", .duration,
                note: "Seconds from now to the time of the event; unknown if it had none."),
            FactField(
                "relay", .text, boundsGrants: true,
                note: "Host, and port if it is not the usual one, of a relay login (22242)."),
            FactField(
                "url", .text, boundsGrants: true, note: "The address of an HTTP login (27235)."),
            FactField(
                "method", .text, boundsGrants: true,
                note: "The HTTP method of an HTTP login (27235)."),
            FactField(
                "peer", .account, boundsGrants: true,
                note: "The other side of a conversation, lower-case hex."),
            FactField(
                "pubkey_mismatch", .bool,
                note: "Whether the client wrote another author than the account."),
            FactField("scheme", .text, boundsGrants: true, note: "The encryption scheme: nip44."),
        ],
        dangers: Danger.nostr)
}
