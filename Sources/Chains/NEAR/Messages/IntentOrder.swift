// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// One order of a message for NEAR Intents, read strictly.
///
/// Orders move the balances that the contract keeps for the account that signs.
struct IntentOrder: Hashable {
    /// A phrase for what the order does; texts of the client are quoted and may be cut.
    let phrase: String
    let gravity: Summary.Headline.Gravity
    /// The account that gets something.
    private(set) var receiver: String?
    /// The amounts that leave the balance, each with the contract's id of the token.
    private(set) var moves: [TokenCall.Move] = []

    /// True if someone gets something, and the order does not say who.
    var hasOpenReceiver: Bool { receiver == nil && (!moves.isEmpty || gravity >= .authority) }

    /// Reads an intent; nil if its kind is unknown, or its members are not exactly those of it.
    init?(_ json: JSON) {
        guard let object = json.object, let order = try? Self.read(object) else { return nil }
        self = order
    }

    init(
        _ phrase: String, _ gravity: Summary.Headline.Gravity = .value, to receiver: String? = nil,
        _ moves: [TokenCall.Move] = []
    ) {
        self.phrase = phrase
        self.gravity = gravity
        self.receiver = receiver
        self.moves = moves
    }

    private static func read(_ object: JSONObject) throws(ShapeError) -> IntentOrder {
        var reader = MemberReader(object)
        let kind = try reader.text("intent")
        let order = try read(kind, &reader)
        try reader.finish()
        return order
    }

    private static func read(
        _ kind: String, _ reader: inout MemberReader
    ) throws(ShapeError) -> IntentOrder {
        switch kind {
        case "transfer": return try transfer(&reader)
        case "token_diff": return try exchange(&reader)
        case "ft_withdraw", "nft_withdraw", "mt_withdraw": return try withdrawal(kind, &reader)
        case "native_withdraw":
            let receiver = try reader.account("receiver_id")
            let amount = try reader.amount("amount")
            return .init(
                "sends \(amount.near) out of your balance to \(receiver)", to: receiver,
                [wrapped(amount)])
        case "storage_deposit": return try storage(&reader)
        case "auth_call":
            let contract = try reader.account("contract_id")
            _ = try reader.text("msg")
            try reader.skipGas("min_gas")
            let deposit = try reader.amountIfAny("attached_deposit") ?? 0
            return .init(
                "lets \(contract) act on a message with your authority, and pays it "
                    + deposit.near, .authority, to: contract, deposit > 0 ? [wrapped(deposit)] : [])
        default: return try authority(kind, &reader)
        }
    }

    private static func authority(
        _ kind: String, _ reader: inout MemberReader
    ) throws(ShapeError) -> IntentOrder {
        switch kind {
        case "add_public_key":
            let key = try reader.text("public_key")
            return .init(
                "lets the key \(key.shown) sign any order in your name, for ever", .authority)
        case "remove_public_key":
            let key = try reader.text("public_key")
            return .init("no longer lets the key \(key.shown) sign in your name", .authority)
        case "set_auth_by_predecessor_id":
            guard let isOn = try reader.flagIfAny("enabled") else { throw ShapeError() }
            return isOn
                ? .init("lets your account act there by transactions", .authority)
                : .init(
                    "accepts no transactions of your account there any more, only orders that "
                        + "its keys there sign", .loss)
        default: throw ShapeError()
        }
    }

    private static func storage(_ reader: inout MemberReader) throws(ShapeError) -> IntentOrder {
        let contract = try reader.account("contract_id")
        var account = try reader.accountIfAny("deposit_for_account_id")
        if account == nil { account = try reader.accountIfAny("account_id") }
        guard let account else { throw ShapeError() }
        let amount = try reader.amount("amount")
        return .init(
            "pays \(amount.near) out of your balance to \(contract) for the storage of \(account)",
            to: account, [wrapped(amount)])
    }

    /// NEAR leaves the balance of wrapped NEAR.
    static func wrapped(_ amount: UInt128) -> TokenCall.Move {
        .init(token: "nep141:wrap.near", amount: amount)
    }

    static func listed(_ moves: [TokenCall.Move]) -> String {
        moves.map { "\($0.amount) of \(($0.token ?? "").shown(countMax: TokenCall.idMax))" }
            .listed("tokens")
    }
}
