// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension AlgorandVocabulary {
    /// The fields of messages.
    package static let messageFields = [
        FactField(
            "message.mode", .text, boundsRefusals: true,
            note: "The form that is signed for a message: mx, raw or arc60."),
        FactField(
            "message.bytes", .integer, varies: .free,
            note: "The length of the message in bytes of UTF-8."),
        FactField(
            "message.hash", .bytes,
            note: "SHA-256 of the text, or of ARC-60 data without nonce and fresh times."),
        // The hash already binds the text.
        FactField(
            "message.text", .text, varies: .free, isPayload: true,
            note: "The text, signed with MX before it or alone."),
        FactField(
            "domain", .text, boundsRefusals: true,
            note: "The domain that ARC-60 data is for; absent for other messages."),
    ]

    /// The fields of ARC-60 logins whose data contain them (CAIP-122).
    package static let loginFields = [
        FactField("login.uri", .text, note: "The URI that the login is for."),
        FactField("login.account", .text, note: "The account that the data names."),
        FactField("login.chain", .text, note: "The chain that the data names."),
        FactField("login.statement", .text, note: "The statement in the data."),
        FactField(
            "login.resources", .text, isList: true, note: "The resources that the login asks for."),
        FactField(
            "login.nonce", .text, varies: .free, note: "The nonce of the login."),
        FactField(
            "login.issued", .time, varies: .free,
            note: "The time at which the data says it was made."),
        FactField(
            "login.expires", .time, varies: .free,
            note: "The time until which the data says it is valid."),
        FactField(
            "login.fresh", .bool,
            note: "True if the login was made within ten minutes of now and is valid for at most "
                + "a day."),
        FactField(
            "auth.flags", .text, isList: true,
            note:
                "The flags of the authenticator data, such as user_present; absent if it is a "
                + "hash only."
        ),
        FactField(
            "auth.counter", .integer, varies: .free,
            note: "The signature counter of the authenticator."),
        FactField(
            "auth.authenticator", .bytes,
            note: "The model of the authenticator, with attested data."),
        FactField("auth.credential", .bytes, note: "The id of the attested credential."),
        FactField(
            "auth.key", .bytes, note: "The public key of the attested credential, a COSE key."),
        FactField(
            "auth.extensions", .bytes, note: "The extensions of the authenticator data, a CBOR map."
        ),
    ]
}
