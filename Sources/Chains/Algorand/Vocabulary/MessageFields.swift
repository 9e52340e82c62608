// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension AlgorandVocabulary {
    /// The fields of messages.
    package static let messageFields = [
        FactField(
            "message.mode", .text, boundsRefusals: true,
            note: "What is signed for a message: mx, raw or arc60."),
        FactField(
            "message.bytes", .integer, varies: .free, note: "The length of the message in UTF-8."),
        FactField(
            "message.hash", .bytes,
            note: "SHA-256 of the text; of the data of ARC-60, without nonce and fresh times."),
        // The hash already binds the text.
        FactField(
            "message.text", .text, varies: .free, isPayload: true,
            note: "The text behind MX, or alone."),
        FactField(
            "domain", .text, boundsRefusals: true,
            note: "The domain that data of ARC-60 are bound to; absent for other messages."),
    ]

    /// The fields of ARC-60 logins whose data contain them (CAIP-122).
    package static let loginFields = [
        FactField("login.uri", .text, note: "Where the login is for."),
        FactField("login.account", .text, note: "The account that the data name."),
        FactField("login.chain", .text, note: "The chain that the data name."),
        FactField("login.statement", .text, note: "What the data say in words."),
        FactField("login.resources", .text, isList: true, note: "What the login asks for."),
        FactField(
            "login.nonce", .text, varies: .free, note: "What tells this login from others."),
        FactField("login.issued", .time, varies: .free, note: "When it says it was made."),
        FactField("login.expires", .time, varies: .free, note: "Until when it says it counts."),
        FactField(
            "login.fresh", .bool,
            note: "Whether it was made within ten minutes of now and counts for a day at most."),
        FactField(
            "auth.flags", .text, isList: true,
            note: "What authenticator data claim, as user_present; absent where only the hash is."),
        FactField(
            "auth.counter", .integer, varies: .free, note: "How often the authenticator signed."),
        FactField("auth.authenticator", .bytes, note: "Its model, with attested data."),
        FactField("auth.credential", .bytes, note: "The credential it attests."),
        FactField("auth.key", .bytes, note: "The public key of that, a COSE key."),
        FactField("auth.extensions", .bytes, note: "Its extensions, a map of CBOR."),
    ]
}
