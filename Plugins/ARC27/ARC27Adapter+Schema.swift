// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension ARC27Adapter {
    static let schema = FactSchema(
        protocolID: .algorand, operations: ARC27Wire.Method.allCases.map(\.rawValue),
        fields: requestFields + transactionFields + assetFields + applicationFields
            + participationFields + messageFields + loginFields,
        dangers: [
            .rekey, .closeOut, .assetClose, .clawback, .appUpdate, .appDelete, .assetDestroy,
            .assetReconfigure, .keyRegistration, .nonParticipation, .highFee,
            .partialMultisig, .foreignSender, .rawMessage, .clientMismatch,
        ] + .otherMethods, alwaysAsked: .endings)

    private static let requestFields = [
        FactField(
            "network", .text, boundsRefusals: true,
            note: "mainnet, testnet, or a configured genesis id."),
        FactField(
            "connected", .bool,
            note: "Whether the client has a session that shows it the account."),
        FactField(
            "transactions.count", .integer, varies: .free,
            note: "How many transactions post_transactions hands to the network."),
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
    /// What gives the account or an asset away, ends it, installs code, or takes what is others'.
    static let endings: [Danger] = [
        .rekey, .closeOut, .assetClose, .clawback, .appUpdate, .appDelete, .assetDestroy,
        .assetReconfigure, .keyRegistration, .nonParticipation,
    ]

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
