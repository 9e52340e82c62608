// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension FactField {
    /// The fields of every transaction and delegate action.
    static let ofTransactions = [
        FactField(
            "broadcast", .bool,
            note: "Whether the hub sends the transaction; else the client gets it."),
        FactField(
            "receiver", .account, boundsRefusals: true, note: "The account the actions are about."),
        FactField(
            "actions", .text, isList: true, boundsRefusals: true,
            note: "The types of the actions, such as Transfer or FunctionCall."),
        FactField("actions.count", .integer, note: "How many actions there are."),
        FactField(
            "actions.sha256", .bytes,
            note: "SHA-256 of all actions in Borsh, a lone one's deposit and gas taken for 0."),
        FactField(
            "deposit", .amount(.near), varies: .upTo,
            note: "The NEAR that all actions attach or transfer, delegated ones included."),
        FactField(
            "gas", .amount(.gas), varies: .upTo,
            note: "The gas that all calls together attach, delegated ones included."),
        // The nonce is new each time: rules made from the record would never match again.
        FactField(
            "nonce", .integer, varies: .free, isPayload: true,
            note: "The nonce of the access key."),
        FactField(
            "max_block_height", .integer, varies: .free, isPayload: true,
            note: "From which height on a delegate action is not taken any more."),
        FactField(
            "validity.blocks", .integer, varies: .upTo,
            note: "For how many blocks a delegate action is taken; absent where nobody looked."),
        FactField(
            "delegate.sender", .account, isList: true,
            note: "Whose delegate actions the transaction carries out."),
        FactField(
            "delegate.receiver", .account, isList: true,
            note: "The accounts that those delegate actions are about."),
    ]

    /// The fields of calls, whose arguments are bound by their hashes.
    static let ofCalls = [
        FactField(
            "method", .text, isList: true, boundsRefusals: true, note: "The methods called."),
        FactField(
            "args.sha256", .bytes, isList: true, note: "SHA-256 of the arguments of each call."),
        FactField(
            "args.names", .text, isList: true, varies: .free, isPayload: true,
            note: "Every path in the JSON arguments with a value, such as memo; {} and [] are."),
        FactField(
            "args.text.*", .text, isList: true, varies: .free, isPayload: true,
            note: "The texts at one path of the JSON arguments; empty where one is missing."),
        FactField(
            "args.number.*", .integer, isList: true, varies: .free, isPayload: true,
            note: "The whole numbers at one path, also those in quotes; empty as for texts."),
        FactField(
            "args.flag.*", .bool, isList: true, varies: .free, isPayload: true,
            note: "The truth values at one path; empty as for texts."),
        FactField(
            "token.receiver", .account, isList: true,
            note: "Who gets tokens by ft_transfer and its like; absent where it is unreadable."),
        FactField(
            "token.amount", .integer,
            note: "Smallest units of fungible tokens moved, of the contract that is called."),
        FactField(
            "token.ids", .text, isList: true, note: "The tokens by name."),
    ]

    /// The fields of actions that change the owner or the control of the account.
    static let ofAuthority = [
        FactField(
            "key.added", .text, isList: true, note: "The public keys that are added."),
        FactField(
            "key.deleted", .text, isList: true, note: "The public keys that are deleted."),
        FactField(
            "adds_full_access_key", .bool,
            note: "Whether a key is added that can do everything."),
        FactField(
            "allowance", .amount(.near),
            note: "What added keys together may spend on gas; beyond any sum without a bound."),
        FactField(
            "key.receiver", .text, isList: true,
            note: "The contracts that added keys may call."),
        FactField(
            "key.methods", .text, isList: true,
            note: "The methods that added keys may call; * for any."),
        FactField(
            "gas_key", .text, isList: true,
            note: "The gas keys that get NEAR, or that it is taken from."),
        FactField(
            "gas_key.withdrawn", .amount(.near), note: "The NEAR taken from gas keys."),
        FactField(
            "code.sha256", .bytes, isList: true,
            note: "SHA-256 of code that is deployed, or that the account runs from now on."),
        FactField(
            "code.account", .account, isList: true,
            note: "Whose global contracts the account runs from now on, whatever they become."),
        FactField(
            "state.sha256", .bytes, isList: true,
            note: "SHA-256 of the Borsh of each state that an account is made with."),
        FactField(
            "stake", .amount(.near), note: "The NEAR that is staked."),
        FactField(
            "validator.key", .text, isList: true, note: "The keys of the validators staked with."),
        FactField(
            "beneficiary", .account, isList: true,
            note: "Who gets what is left of a deleted account."),
    ]
}
