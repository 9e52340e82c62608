// SPDX-License-Identifier: Apache-2.0

public import SigningCore

/// The fields and dangers that rules can name for Algorand.
package enum AlgorandVocabulary {
    /// Returns the schema of a wire with these methods and with these network names.
    package static func schema(methods: [String], networks: [String]) -> FactSchema {
        FactSchema(
            protocolID: .algorand,
            methods: methods + [liquidIntroduce, liquidRegister, liquidLogin, connect],
            fields: fields, dangers: dangers,
            alwaysAsked: [Danger].endings + [.unsettled],
            endings: ["disable"], keyless: ["discover"]
        ).with(forms(networks: networks), adding: [outflow])
    }

    /// The method name in rules for a request to connect, on every wire.
    private static let connect = "connect"

    package static let fields =
        requestFields
        + (transactionFields + assetFields + applicationFields + participationFields)
        .map { $0.of(signing) }
        + (messageFields + loginFields).map { $0.of(["sign_message"]) }
        + liquidFields.map { $0.of([liquidIntroduce, liquidRegister, liquidLogin]) }

    /// The methods that sign transactions.
    static let signing = ["sign_transactions", "sign_and_post_transactions"]

    private static let dangers: [Danger] = [
        .rekey, .closeOut, .assetClose, .clawback, .appUpdate, .appDelete, .assetDestroy,
        .assetReconfigure, .keyRegistration, .nonParticipation, .highFee,
        .partialMultisig, .foreignSender, .rawMessage, .clientMismatch,
        .liquidChallenge, .parentRP, .rekeyedAccount, .authorityUnknown, .unsettled,
    ]

    private static let requestFields = [
        FactField(
            "network", .text, boundsRefusals: true,
            note: "The network: mainnet, testnet, or the name of an added one."),
        FactField(
            "connected", .bool,
            note: "True if the client has a session that shows it the account."),
        FactField(
            "transactions.count", .integer, varies: .free,
            note: "The number of transactions that post_transactions posts."),
    ]
}

extension AmountUnit {
    package static let algo = AmountUnit(symbol: "ALGO", decimals: 6, smallest: "microAlgo")
}

extension Danger {
    package static let rekey = Danger("rekey")
    package static let closeOut = Danger("close_out")
    package static let assetClose = Danger("asset_close")
    package static let clawback = Danger("clawback")
    package static let appUpdate = Danger("app_update")
    package static let appDelete = Danger("app_delete")
    package static let assetDestroy = Danger("asset_destroy")
    package static let assetReconfigure = Danger("asset_reconfigure")
    package static let keyRegistration = Danger("key_registration")
    package static let nonParticipation = Danger("non_participation")
    package static let highFee = Danger("high_fee")
    /// A transaction of an account that is not held here and that the client calls rekeyed.
    package static let foreignSender = Danger("foreign_sender")
    /// A text is signed without a prefix.
    package static let rawMessage = Danger("raw_message")
    /// The client is not proved to be at the domain that the data are bound to.
    package static let clientMismatch = Danger("client_mismatch")
    /// Other members have to sign too, which is not visible here.
    package static let partialMultisig = Danger("partial_multisig")
}

extension [Danger] {
    /// Effects that give away an account or asset, end it, install code, or take assets of others.
    package static let endings: [Danger] = [
        .rekey, .closeOut, .assetClose, .clawback, .appUpdate, .appDelete, .assetDestroy,
        .assetReconfigure, .keyRegistration, .nonParticipation,
    ]
}

extension ProtocolID {
    /// Algorand, as rules and keys name it.
    public static let algorand = ProtocolID("algorand")
}
