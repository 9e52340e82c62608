// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension FactSchema {
    static let nearUntyped = FactSchema(
        protocolID: .near,
        methods: NEARRequest.Method.all,
        fields: [
            FactField(
                "network", .text, boundsWishes: true,
                note: "The network of the request, or else of the key, such as mainnet."),
            FactField(
                "signs_in", .bool, boundsWishes: true,
                note: "True if the client is connected by the same request."),
        ] + messageFields.map { $0.of([NEARRequest.Method.signMessage]) }
            + (FactField.ofTransactions + FactField.ofCalls + FactField.ofAuthority)
            .map { $0.of([NEARRequest.Method.signTransaction, NEARRequest.Method.signDelegate]) },
        dangers: [
            .intents, .fullAccessKey, .addsKey, .deletesKey, .changesControl, .deletesAccount,
            .deploysCode, .stakes, .tokenTransfer, .burnsTokens, .delegates, .offlineNonce,
            .nonceJump, .unsettled,
        ],
        alwaysAsked: [
            .intents, .fullAccessKey, .addsKey, .deletesKey, .changesControl, .deletesAccount,
            .deploysCode, .burnsTokens, .unsettled,
        ], endings: [NEARRequest.Method.signOut])

    private static let messageFields = [
        FactField(
            "recipient", .text, boundsWishes: true, note: "The recipient that the message is for."
        ).ofCounterparties(),
        FactField("message.bytes", .integer, note: "The length of the message in bytes of UTF-8."),
        FactField("message.sha256", .bytes, note: "SHA-256 of the message in UTF-8."),
        FactField("callback", .text, isPayload: true, note: "The callbackUrl that is signed."),
        FactField(
            "callback.origin", .text,
            note: "The scheme, host and port of callbackUrl, in lower case."),
        FactField(
            "nonce.reused", .bool,
            note: "True if this account has signed a message with this nonce before."),
        FactField(
            "intents", .bool, boundsRefusals: true,
            note: "True if the message is for NEAR Intents and may spend."),
        FactField(
            "intents.kinds", .text, isList: true,
            note: "The kinds of the intents in the message, such as transfer."),
        FactField(
            "intents.receiver", .account, isList: true,
            note: "The accounts that get something by the intents; absent if unreadable."
        ).ofCounterparties(),
        FactField(
            "intents.tokens", .text, isList: true,
            note: "The ids of the tokens that leave the balance at NEAR Intents."),
    ]
}

extension AmountUnit {
    static let near = AmountUnit(symbol: "NEAR", decimals: 24, smallest: "yoctoNEAR")
    static let gas = AmountUnit(symbol: "Tgas", decimals: 12, smallest: "gas")
}

extension Danger {
    /// A message that may move value through NEAR Intents.
    static let intents = Danger("intents")
    static let fullAccessKey = Danger("full_access_key")
    static let addsKey = Danger("adds_key")
    static let deletesKey = Danger("deletes_key")
    /// A call that may change who acts for the account, a contract, an agent or a DAO.
    static let changesControl = Danger("changes_control")
    static let deletesAccount = Danger("deletes_account")
    static let deploysCode = Danger("deploys_code")
    static let stakes = Danger("stakes")
    /// Value moves although the deposit may be only one yoctoNEAR.
    static let tokenTransfer = Danger("token_transfer")
    /// Tokens are destroyed together with their storage in the contract.
    static let burnsTokens = Danger("burns_tokens")
    /// Signed for a relayer, or contains such a delegate action.
    static let delegates = Danger("delegates")
    /// The client chose the nonce.
    static let offlineNonce = Danger("offline_nonce")
    /// The nonce from the node is far above the last one used here.
    static let nonceJump = Danger("nonce_jump")
}
