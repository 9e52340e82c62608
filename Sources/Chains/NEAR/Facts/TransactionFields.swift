// SPDX-License-Identifier: Apache-2.0

import SigningCore

extension FactField {
    /// The fields of every transaction and delegate action.
    static let ofTransactions = [
        FactField(
            "broadcast", .bool,
            note: "True if the hub sends the transaction; if not, the client gets it."),
        FactField(
            "receiver", .account, boundsRefusals: true, note: "The account that the actions act on."
        ).ofCounterparties(),
        FactField(
            "actions", .text, isList: true, boundsRefusals: true,
            note: "The types of the actions, such as Transfer or FunctionCall."),
        FactField("actions.count", .integer, note: "The number of actions."),
        FactField(
            "actions.sha256", .bytes,
            note: "SHA-256 of all actions in Borsh; of one action with deposit and gas set to 0."),
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
            note: "The block height from which on a delegate action is refused."),
        FactField(
            "validity.blocks", .integer, varies: .upTo,
            note:
                "The number of blocks for which a delegate action is valid; absent without a "
                + "node."),
        FactField(
            "delegate.sender", .account, isList: true,
            note: "The accounts whose delegate actions the transaction carries out."),
        FactField(
            "delegate.receiver", .account, isList: true,
            note: "The accounts that those delegate actions act on."
        ).ofCounterparties(),
    ]

    /// The fields of calls, whose arguments are bound by their hashes.
    static let ofCalls = [
        FactField(
            "method", .text, isList: true, boundsRefusals: true,
            note: "The methods that are called."),
        FactField(
            "args.sha256", .bytes, isList: true, note: "SHA-256 of the arguments of each call."),
        FactField(
            "args.names", .text, isList: true, varies: .free, isPayload: true,
            note: "Every path with a value in the JSON arguments, such as memo; {} and [] count."),
        FactField(
            "args.text.*", .text, isList: true, varies: .free, isPayload: true,
            note: "The texts at one path of the JSON arguments; empty if one is missing."),
        FactField(
            "args.number.*", .integer, isList: true, varies: .free, isPayload: true,
            note: "The whole numbers at one path, also those in quotes; empty if one is missing."),
        FactField(
            "args.flag.*", .bool, isList: true, varies: .free, isPayload: true,
            note: "The truth values at one path; empty if one is missing."),
        FactField(
            "token.receiver", .account, isList: true,
            note:
                "The receivers of tokens by ft_transfer and similar methods; absent if "
                + "unreadable."
        ).ofCounterparties(),
        FactField(
            "token.amount", .integer,
            note: "The smallest units of the called contract's tokens that are moved."
        ).inUnits(
            of: AssetFields(
                kind: "token", identity: "receiver", parts: "token.ids",
                fungible: ["method": ["ft_transfer", "ft_transfer_call", TokenCall.unwrapping]])),
        FactField(
            "token.ids", .text, isList: true, note: "The ids of the tokens that are moved."),
    ]

    /// The fields of actions that change the owner or the control of the account.
    static let ofAuthority = [
        FactField(
            "key.added", .text, isList: true, note: "The public keys that are added."),
        FactField(
            "key.deleted", .text, isList: true, note: "The public keys that are deleted."),
        FactField(
            "adds_full_access_key", .bool,
            note: "True if a key with full access is added."),
        FactField(
            "allowance", .amount(.near),
            note:
                "The NEAR that added keys together may spend on gas; larger than any sum if "
                + "unbounded."
        ),
        FactField(
            "key.receiver", .text, isList: true,
            note: "The contracts that added keys may call."),
        FactField(
            "key.methods", .text, isList: true,
            note: "The methods that added keys may call; * for any."),
        FactField(
            "gas_key", .text, isList: true,
            note: "The gas keys that get NEAR or lose it."),
        FactField(
            "gas_key.withdrawn", .amount(.near), note: "The NEAR taken from gas keys."),
        FactField(
            "code.sha256", .bytes, isList: true,
            note: "SHA-256 of code that is deployed, or that the account runs from then on."),
        FactField(
            "code.account", .account, isList: true,
            note:
                "The accounts whose global contracts the account runs from then on, with later "
                + "changes."
        ),
        FactField(
            "state.sha256", .bytes, isList: true,
            note: "SHA-256 of the Borsh of each state that an account is created with."),
        FactField(
            "stake", .amount(.near), note: "The NEAR that is staked."),
        FactField(
            "validator.key", .text, isList: true, note: "The keys of the validators staked with."),
        FactField(
            "beneficiary", .account, isList: true,
            note: "The account that gets the NEAR of a deleted account."
        ).ofCounterparties(),
    ]
}
