// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension NostrChain {
    /// The methods, fields and dangers of requests for Nostr keys in policies.
    static let vocabulary = FactSchema(
        protocolID: protocolID,
        methods: NostrMethod.allCases.map(\.rawValue)
            + NostrSessionMethod.allCases.map(\.rawValue),
        fields: eventFields.map { $0.of([NostrMethod.signEvent.rawValue]) } + textFields,
        dangers: Danger.nostr, alwaysAsked: Danger.nostrAlwaysAsked,
        endings: [NostrSessionMethod.logout.rawValue])

    /// The fields of events to be signed.
    private static let eventFields = [
        FactField("kind", .integer, boundsWishes: true, note: "The kind of the event."),
        FactField(
            "content.bytes", .integer, varies: .free, note: "The size of the content in bytes."),
        FactField(
            "content.contains", .text, varies: .free, isPayload: true,
            note: "The content, for a search; unknown above 16 KiB."),
        FactField(
            "tag.*", .text, isList: true, varies: .free, isPayload: true,
            note: "The first values of all tags of a name, such as tag.p."),
        FactField(
            "bound_tags", .text, isPayload: true,
            note: "All tags except those that describe the content, as JSON."),
        FactField(
            "bound_content", .text, isPayload: true,
            note: "The content, for kinds where it is not just a text for people."),
        FactField("tag_count", .integer, varies: .free, note: "The number of tags."),
        FactField(
            "created_at.skew", .duration, varies: .free,
            note: "The seconds from now to the event's time; unknown if the event had no time."),
        FactField(
            "relay", .text, boundsRefusals: true,
            note: "The host, and the port if it is not the usual one, of a relay login (22242)."),
        FactField(
            "url", .text, boundsRefusals: true,
            note: "The address of an HTTP login (27235), with its origin in the normal form."),
        FactField(
            "method", .text, boundsRefusals: true,
            note: "The HTTP method of an HTTP login (27235)."),
        FactField(
            "zap.amount",
            .amount(AmountUnit(symbol: "sat", decimals: 3, smallest: "millisatoshi")),
            varies: .free,
            note: "The amount of a zap request (9734); unknown without one amount."),
        FactField(
            "pubkey_mismatch", .bool, varies: .free,
            note: "True if the client named another author than the account."),
        FactField(
            "list.count", .integer, varies: .free,
            note: "The public entries of a list (kind 3, 10000-10102, sets of NIP-51)."),
        FactField(
            "list.loses_private", .bool,
            note: "True if the private part of a list is shorter than when last signed here."),
        FactField(
            "list.gone", .integer, varies: .upTo,
            note:
                "The number of entries that the list had when it was last signed here, and loses."),
        FactField(
            "list.new", .integer, varies: .free,
            note: "The number of entries that are new since the list was last signed here."),
        FactField(
            "list.before", .integer, varies: .free,
            note: "The entries of the same list when it was last signed here."),
    ]

    /// The fields of texts to be encrypted or decrypted.
    private static let textFields = [
        FactField(
            "peer", .account, boundsRefusals: true,
            note: "The public key of the other side, in lower-case hex."
        ).of(contactMethods).ofCounterparties(),
        FactField(
            "scheme", .text, boundsRefusals: true,
            note: "The encryption scheme: nip04, nip44 or private_zap."
        ).of(contactMethods + [NostrMethod.decryptZapEvent.rawValue]),
        FactField(
            "plaintext.class", .text,
            note: "The kind of plaintext: event, tags or text; unknown in doubt."
        ).of(encryptMethods),
    ]

    private static let encryptMethods =
        [NostrMethod.nip04Encrypt, .nip44Encrypt].map(\.rawValue)
    private static let contactMethods =
        encryptMethods + [NostrMethod.nip04Decrypt, .nip44Decrypt].map(\.rawValue)
}
