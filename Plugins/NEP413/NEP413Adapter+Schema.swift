// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension FactSchema {
    static let nep413 = FactSchema(
        protocolID: NEP413Adapter.protocolID,
        operations: NEP413Request.Method.all,
        fields: [
            FactField(
                "network", .text, boundsRefusals: true,
                note: "The network of the request, else of the key: mainnet or testnet.")
        ] + messageFields + transactionFields + keyAndTokenFields,
        dangers: [
            .intents, .fullAccessKey, .addsKey, .deletesKey, .deletesAccount, .deploysCode,
            .stakes, .tokenTransfer, .delegates, .offlineNonce,
        ])

    private static let messageFields = [
        FactField("recipient", .text, boundsRefusals: true, note: "Whom the message is bound to."),
        FactField(
            "message.bytes", .integer, varies: .free, note: "The length of the message in UTF-8."),
        FactField(
            "callback.origin", .text, boundsRefusals: true,
            note: "Scheme, host and port of callbackUrl, in lower case."),
        FactField(
            "nonce.reused", .bool, boundsRefusals: true,
            note: "Whether this account has signed a message with this nonce before."),
        FactField(
            "intents", .bool, boundsRefusals: true,
            note: "Whether the message is for NEAR Intents and may spend."),
        FactField(
            "intents.kinds", .text, isList: true, boundsRefusals: true,
            note: "The kinds of the intents in the message, such as transfer."),
        FactField(
            "signs_in", .bool, boundsRefusals: true,
            note: "Whether the client is connected by the same request."),
    ]

    private static let transactionFields = [
        FactField(
            "broadcast", .bool, boundsRefusals: true,
            note: "Whether the hub sends the transaction; else the client gets it."),
        FactField(
            "receiver", .account, boundsRefusals: true, note: "The account the actions are about."),
        FactField(
            "actions", .text, isList: true, boundsRefusals: true,
            note: "The types of the actions, such as Transfer or FunctionCall."),
        FactField("actions.count", .integer, varies: .free, note: "How many actions there are."),
        FactField(
            "method", .text, isList: true, boundsRefusals: true, note: "The methods called."),
        FactField(
            "deposit", .amount(.near), boundsRefusals: true,
            note: "The NEAR that all actions attach or transfer, delegated ones included."),
        FactField(
            "gas", .amount(.gas), varies: .free,
            note: "The gas that all calls together attach, delegated ones included."),
        FactField(
            "stake", .amount(.near), boundsRefusals: true, note: "The NEAR that is staked."),
        FactField(
            "validity.blocks", .integer, varies: .free,
            note: "For how many blocks a delegate action is taken; absent where nobody looked."),
        FactField(
            "beneficiary", .account, boundsRefusals: true,
            note: "Who gets what is left of a deleted account."),
    ]

    private static let keyAndTokenFields = [
        FactField(
            "adds_full_access_key", .bool, boundsRefusals: true,
            note: "Whether a key is added that can do everything."),
        FactField(
            "allowance", .amount(.near), boundsRefusals: true,
            note: "What added keys together may spend on gas; beyond any sum without a bound."),
        FactField(
            "key.receiver", .text, isList: true, boundsRefusals: true,
            note: "The contracts that added keys may call."),
        FactField(
            "key.methods", .text, isList: true, boundsRefusals: true,
            note: "The methods that added keys may call; * for any."),
        FactField(
            "token.receiver", .account, isList: true, boundsRefusals: true,
            note: "Who gets tokens by ft_transfer and its like; absent where it is unreadable."),
        FactField(
            "token.amount", .integer, boundsRefusals: true,
            note: "Smallest units of fungible tokens moved, of the contract that is called."),
        FactField(
            "token.ids", .text, isList: true, boundsRefusals: true, note: "The tokens by name."),
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
    static let deletesAccount = Danger("deletes_account")
    static let deploysCode = Danger("deploys_code")
    static let stakes = Danger("stakes")
    /// Real value moves although the deposit may be one yoctoNEAR.
    static let tokenTransfer = Danger("token_transfer")
    /// Signed for a relayer, or carried out as one.
    static let delegates = Danger("delegates")
    /// The nonce came from the client.
    static let offlineNonce = Danger("offline_nonce")
}
