// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension ARC27Adapter {
    static let schema = FactSchema(
        protocolID: .algorand, operations: ARC27Wire.Method.allCases.map(\.rawValue),
        fields: [
            FactField(
                "network", .text, boundsGrants: true,
                note: "mainnet, testnet, or a configured genesis id."),
            FactField(
                "type", .text, boundsGrants: true,
                note: "The type: pay, axfer, acfg, afrz, appl or keyreg."),
            FactField(
                "sender", .account, boundsGrants: true,
                note: "The account the transaction acts for."),
            FactField("receiver", .account, boundsGrants: true, note: "Who gets the amount."),
            FactField(
                "amount", .amount(.algo), boundsGrants: true, note: "ALGO moved by a payment."),
            FactField(
                "fee", .amount(.algo), boundsGrants: true, note: "The fee of this transaction."),
            FactField("close_to", .account, boundsGrants: true, note: "Who gets all that is left."),
            FactField(
                "rekey_to", .account, boundsGrants: true,
                note: "Whose key signs for the account from then on."),
            FactField("note.bytes", .integer, note: "Length of the note in bytes."),
            FactField("group.size", .integer, note: "Transactions in the group; 1 alone."),
            FactField("group.index", .integer, note: "Position in the group, from 0."),
            FactField(
                "transactions.count", .integer,
                note: "How many transactions post_transactions hands to the network."),
            FactField("validity.rounds", .integer, note: "Rounds between first and last valid."),
            FactField(
                "multisig.threshold", .integer, boundsGrants: true,
                note: "How many signatures the sender needs; absent for one key, or an authAddr."),
            FactField(
                "multisig.signatures", .integer, boundsGrants: true,
                note: "How many of them this request gives."),
        ] + messageFields + assetFields + applicationFields + participationFields,
        dangers: [
            .rekey, .closeOut, .assetClose, .clawback, .appUpdate, .appDelete, .assetDestroy,
            .assetReconfigure, .keyRegistration, .nonParticipation, .highFee,
            .partialMultisig, .foreignSender, .rawMessage, .clientMismatch,
        ] + .otherMethods)

    private static let messageFields = [
        FactField(
            "message.mode", .text, boundsGrants: true,
            note: "What is signed for a message: mx, raw or arc60."),
        FactField("message.bytes", .integer, note: "The length of the message in UTF-8."),
        FactField(
            "domain", .text, boundsGrants: true,
            note: "The domain that data of ARC-60 are bound to; absent for other messages."),
    ]

    private static let assetFields = [
        FactField(
            "asset", .integer, boundsGrants: true,
            note: "The id of the asset moved, frozen or configured; 0 for one that is created."),
        FactField(
            "asset.amount", .integer, boundsGrants: true,
            note: "Smallest units of the asset moved."),
        FactField(
            "asset.source", .account, boundsGrants: true,
            note: "Whose units a clawback takes."),
        FactField(
            "asset.action", .text, boundsGrants: true,
            note: "What acfg does: create, reconfigure or destroy."),
        FactField(
            "asset.total", .integer, boundsGrants: true,
            note: "Smallest units that exist of an asset that is created."),
        FactField(
            "asset.manager", .account, boundsGrants: true,
            note: "Who may reconfigure or destroy the asset from then on."),
        FactField(
            "asset.reserve", .account, boundsGrants: true,
            note: "Who holds what is not in circulation from then on."),
        FactField(
            "asset.freeze", .account, boundsGrants: true,
            note: "Who may freeze units of the asset from then on."),
        FactField(
            "asset.clawback", .account, boundsGrants: true,
            note: "Who may take units of the asset from anybody from then on."),
        FactField(
            "frozen", .bool, boundsGrants: true, note: "Whether afrz freezes; false frees."),
        FactField(
            "freeze.account", .account, boundsGrants: true,
            note: "Whose units are frozen or freed."),
        FactField(
            "opt_in", .bool, boundsGrants: true,
            note: "Whether axfer or appl only accepts an asset or application."),
    ]

    private static let applicationFields = [
        FactField(
            "app_id", .integer, boundsGrants: true,
            note: "The application called; 0 for one that is created."),
        FactField(
            "on_complete", .text, boundsGrants: true,
            note: "What the call ends in: noop, optin, closeout, clear, update or delete."),
        FactField("app_args.count", .integer, note: "How many arguments the call has."),
        FactField("app_args.bytes", .integer, note: "Bytes of all arguments together."),
        FactField(
            "app_args.selector", .bytes, boundsGrants: true,
            note: "The first argument where it has 4 bytes: the method by ARC-4."),
        FactField(
            "app.accounts", .account, isList: true, boundsGrants: true,
            note: "Accounts the call may use besides the sender."),
        FactField(
            "app.assets", .integer, isList: true, boundsGrants: true,
            note: "Assets the call may use."),
        FactField(
            "app.apps", .integer, isList: true, boundsGrants: true,
            note: "Applications the call may use besides the one called."),
        FactField("boxes.count", .integer, note: "Boxes the call may use."),
        FactField(
            "programs.bytes", .integer, note: "Bytes of code that the call installs."),
    ]

    private static let participationFields = [
        FactField(
            "participation", .text, boundsGrants: true,
            note: "What keyreg makes of the account: online, offline or nonparticipating."),
        FactField("vote.rounds", .integer, note: "Rounds between first and last vote."),
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
