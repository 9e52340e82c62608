// SPDX-License-Identifier: Apache-2.0

package import SigningCore

extension AlgorandVocabulary {
    /// The fields of every transaction.
    package static let transactionFields = [
        FactField(
            "type", .text, boundsRefusals: true,
            note: "The type: pay, axfer, acfg, afrz, appl or keyreg."),
        FactField(
            "sender", .account, boundsRefusals: true,
            note: "The account the transaction acts for."),
        FactField(
            "receiver", .account, boundsRefusals: true, note: "The account that gets the amount."
        ).ofCounterparties(),
        FactField(
            "amount", .amount(.algo), varies: .upTo, boundsRefusals: true,
            note: "The ALGO that a payment moves."),
        FactField(
            "fee", .amount(.algo), varies: .upTo, boundsRefusals: true,
            note: "The fee of this transaction."),
        FactField(
            "close_to", .account, boundsRefusals: true,
            note: "The account that gets all that is left."
        ).ofCounterparties(),
        FactField(
            "rekey_to", .account, boundsRefusals: true,
            note: "The account whose key signs for the account from then on."),
        FactField("note.bytes", .integer, note: "The length of the note in bytes."),
        FactField(
            "note.hash", .bytes, note: "SHA-512/256 of the note; absent without a note."),
        // The hash already binds the values of these two fields.
        FactField("note.hex", .bytes, varies: .free, isPayload: true, note: "The note."),
        FactField(
            "note.text", .text, varies: .free, isPayload: true,
            note: "The note, if it is UTF-8 without control characters."),
        FactField(
            "lease", .bytes,
            note: "The lease, which blocks other transactions of the sender with the same lease."
        ),
        FactField(
            "first_valid", .integer, varies: .free, note: "The first round it is valid in."),
        FactField("last_valid", .integer, varies: .free, note: "The last round it is valid in."),
        FactField(
            "validity.rounds", .integer, varies: .upTo,
            note: "The number of rounds between first and last valid."),
        FactField(
            "far_ahead", .bool,
            note: "True if the first valid round is a year or more away, by the clock."),
        FactField(
            "group.size", .integer,
            note: "The number of transactions in the group; 1 without a group."),
        FactField("group.index", .integer, note: "The position in the group, from 0."),
        FactField(
            "group.types", .text, varies: .free,
            note: "The types of the transactions of the group in their order, such as pay,axfer."),
        FactField(
            "group.others", .bytes,
            note: "A hash of the other members without fees and rounds; absent without a group."),
        FactField(
            "content.hash", .bytes,
            note: "A hash of everything but fee, rounds and group; absent for pay and axfer."),
        FactField(
            "multisig.threshold", .integer, boundsRefusals: true,
            note:
                "The number of signatures that the sender needs; absent for one key or an authAddr."
        ),
        FactField(
            "multisig.signatures", .integer, boundsRefusals: true,
            note: "The number of signatures that this request gives."),
    ]
}
