// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension ARC27Adapter {
    static let schema = FactSchema(
        protocolID: .algorand, operations: ARC27Wire.Method.allCases.map(\.rawValue),
        fields: [
            FactField(
                "network", .text, boundsRefusals: true,
                note: "mainnet, testnet, or a configured genesis id."),
            FactField(
                "type", .text, boundsRefusals: true,
                note: "The type: pay, axfer, acfg, afrz, appl or keyreg."),
            FactField(
                "sender", .account, boundsRefusals: true,
                note: "The account the transaction acts for."),
            FactField("receiver", .account, boundsRefusals: true, note: "Who gets the amount."),
            FactField(
                "amount", .amount(.algo), boundsRefusals: true, note: "ALGO moved by a payment."),
            FactField(
                "fee", .amount(.algo), boundsRefusals: true, note: "The fee of this transaction."),
            FactField(
                "close_to", .account, boundsRefusals: true, note: "Who gets all that is left."),
            FactField(
                "rekey_to", .account, boundsRefusals: true,
                note: "Whose key signs for the account from then on."),
            FactField("note.bytes", .integer, varies: .free, note: "Length of the note in bytes."),
            FactField(
                "group.size", .integer, varies: .free, note: "Transactions in the group; 1 alone."),
            FactField(
                "group.index", .integer, varies: .free, note: "Position in the group, from 0."),
            FactField(
                "transactions.count", .integer, varies: .free,
                note: "How many transactions post_transactions hands to the network."),
            FactField(
                "validity.rounds", .integer, varies: .free,
                note: "Rounds between first and last valid."),
            FactField(
                "multisig.threshold", .integer, boundsRefusals: true,
                note: "How many signatures the sender needs; absent for one key, or an authAddr."),
            FactField(
                "multisig.signatures", .integer, boundsRefusals: true,
                note: "How many of them this request gives."),
        ] + messageFields + assetFields + applicationFields + participationFields,
        dangers: [
            .rekey, .closeOut, .assetClose, .clawback, .appUpdate, .appDelete, .assetDestroy,
            .assetReconfigure, .keyRegistration, .nonParticipation, .highFee,
            .partialMultisig, .foreignSender, .rawMessage, .clientMismatch,
        ] + .otherMethods)

    private static let messageFields = [
        FactField(
            "message.mode", .text, boundsRefusals: true,
            note: "What is signed for a message: mx, raw or arc60."),
        FactField(
            "message.bytes", .integer, varies: .free, note: "The length of the message in UTF-8."),
        FactField(
            "domain", .text, boundsRefusals: true,
            note: "The domain that data of ARC-60 are bound to; absent for other messages."),
    ]

    private static let assetFields = [
        FactField(
            "asset", .integer, boundsRefusals: true,
            note: "The id of the asset moved, frozen or configured; 0 for one that is created."),
        FactField(
            "asset.amount", .integer, boundsRefusals: true,
            note: "Smallest units of the asset moved."),
        FactField(
            "asset.source", .account, boundsRefusals: true,
            note: "Whose units a clawback takes."),
        FactField(
            "asset.action", .text, boundsRefusals: true,
            note: "What acfg does: create, reconfigure or destroy."),
        FactField(
            "asset.total", .integer, boundsRefusals: true,
            note: "Smallest units that exist of an asset that is created."),
        FactField(
            "asset.manager", .account, boundsRefusals: true,
            note: "Who may reconfigure or destroy the asset from then on."),
        FactField(
            "asset.reserve", .account, boundsRefusals: true,
            note: "Who holds what is not in circulation from then on."),
        FactField(
            "asset.freeze", .account, boundsRefusals: true,
            note: "Who may freeze units of the asset from then on."),
        FactField(
            "asset.clawback", .account, boundsRefusals: true,
            note: "Who may take units of the asset from anybody from then on."),
        FactField(
            "frozen", .bool, boundsRefusals: true, note: "Whether afrz freezes; false frees."),
        FactField(
            "freeze.account", .account, boundsRefusals: true,
            note: "Whose units are frozen or freed."),
        FactField(
            "opt_in", .bool, boundsRefusals: true,
            note: "Whether axfer or appl only accepts an asset or application."),
    ]

    private static let applicationFields = [
        FactField(
            "app_id", .integer, boundsRefusals: true,
            note: "The application called; 0 for one that is created."),
        FactField(
            "on_complete", .text, boundsRefusals: true,
            note: "What the call ends in: noop, optin, closeout, clear, update or delete."),
        FactField(
            "app_args.count", .integer, varies: .free, note: "How many arguments the call has."),
        FactField(
            "app_args.bytes", .integer, varies: .free, note: "Bytes of all arguments together."),
        FactField(
            "app_args.selector", .bytes, boundsRefusals: true,
            note: "The first argument where it has 4 bytes: the method by ARC-4."),
        FactField(
            "app.accounts", .account, isList: true, boundsRefusals: true,
            note: "Accounts the call may use besides the sender."),
        FactField(
            "app.assets", .integer, isList: true, boundsRefusals: true,
            note: "Assets the call may use."),
        FactField(
            "app.apps", .integer, isList: true, boundsRefusals: true,
            note: "Applications the call may use besides the one called."),
        FactField("boxes.count", .integer, varies: .free, note: "Boxes the call may use."),
        FactField(
            "programs.bytes", .integer, varies: .free, note: "Bytes of code that the call installs."
        ),
    ]

    private static let participationFields = [
        FactField(
            "participation", .text, boundsRefusals: true,
            note: "What keyreg makes of the account: online, offline or nonparticipating."),
        FactField(
            "vote.rounds", .integer, varies: .free, note: "Rounds between first and last vote."),
    ]
}

extension AmountUnit {
    static let algo = AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo")
}

extension Danger {
    static let rekey = Danger("rekey")
    static let closeOut = Danger("close_out")
    static let assetClose = Danger("asset_close")
    static let clawback = Danger("clawback")
    static let appUpdate = Danger("app_update")
    static let appDelete = Danger("app_delete")
    static let assetDestroy = Danger("asset_destroy")
    static let assetReconfigure = Danger("asset_reconfigure")
    static let keyRegistration = Danger("key_registration")
    static let nonParticipation = Danger("non_participation")
    static let highFee = Danger("high_fee")
    /// A transaction of an account that is not held here, which the client calls rekeyed.
    static let foreignSender = Danger("foreign_sender")
    /// A text is signed without anything before it.
    static let rawMessage = Danger("raw_message")
    /// Nothing says that the client is where the domain is that the data are bound to.
    static let clientMismatch = Danger("client_mismatch")
    /// Others have to sign as well, and nobody here sees when they do.
    static let partialMultisig = Danger("partial_multisig")
}

extension [Danger] {
    /// The flags of methods that are not offered yet; a policy that names them is right today
    /// and stays right.
    fileprivate static let otherMethods = [
        "liquid_challenge"
    ].map { Danger($0) }
}

extension SigningDomain {
    /// "TX" and a canonical transaction.
    ///
    /// Any key may sign for any sender: the network knows which key an account is rekeyed to.
    static let algorandTransaction = SigningDomain(
        id: ID("algorand/transaction"), protocolID: .algorand, algorithm: .ed25519, prehash: .none,
        prefix: Transaction.prefix,
        isValid: { preimage, _ in
            guard preimage.starts(with: Transaction.prefix) else { return false }
            let bytes = preimage.span.extracting(Transaction.prefix.count..<preimage.count)
            return (try? Transaction(canonical: bytes)) != nil
        })
}
