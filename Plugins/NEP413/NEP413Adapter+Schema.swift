// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension FactSchema {
    static let nep413 = FactSchema(
        protocolID: NEP413Adapter.protocolID,
        operations: [NEP413Adapter.method],
        fields: [
            FactField(
                "network", .text, boundsGrants: true,
                note: "The network of the request, else of the key: mainnet or testnet."),
            FactField(
                "recipient", .text, boundsGrants: true, note: "Whom the message is bound to."),
            FactField("message.bytes", .integer, note: "The length of the message in UTF-8."),
            FactField(
                "callback.origin", .text, boundsGrants: true,
                note: "Scheme, host and port of callbackUrl, in lower case."),
            FactField(
                "nonce.reused", .bool, boundsGrants: true,
                note: "Whether this account has signed a message with this nonce before."),
            FactField(
                "intents", .bool, boundsGrants: true,
                note: "Whether the message is for NEAR Intents and may spend."),
            FactField(
                "intents.kinds", .text, isList: true, boundsGrants: true,
                note: "The kinds of the intents in the message, such as transfer."),
        ],
        dangers: [.intents] + .transactions)
}

extension Danger {
    /// A message that may move value through NEAR Intents.
    static let intents = Danger("intents")
}

extension [Danger] {
    /// The flags of NEAR transactions, which are not offered yet; a policy that names them is
    /// right today and stays right.
    fileprivate static let transactions = [
        "full_access_key", "adds_key", "deletes_key", "deletes_account", "deploys_code", "stakes",
        "token_transfer", "delegates", "offline_nonce",
    ].map { Danger($0) }
}
