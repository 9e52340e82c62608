// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A call that moves tokens, although its deposit does not show it.
struct TokenCall: Hashable {
    /// The account that gets the tokens or may take them; nil if it is the caller or unreadable.
    let receiver: String?
    /// The total amount of fungible tokens, in the smallest unit.
    let amount: UInt128?
    /// The ids of the tokens, if they have ids.
    let tokens: [String]
    /// The outflows, token by token; a unique token counts as 1.
    let moves: [Move]
    /// True if the arguments could be read.
    let isReadable: Bool
    /// True if the receiver gets instructions, which only the receiver understands.
    let hasOrder: Bool

    /// An amount of one token.
    struct Move: Hashable {
        /// The token id; nil if the contract has only one token.
        let token: String?
        let amount: UInt128
    }

    /// The expected form of the arguments.
    private enum Form {
        /// One amount of the contract's only token, and a receiver.
        case sum
        /// One amount of a token that is named by its id, and a receiver.
        case sumOf
        /// The ids of unique tokens, which have no amounts, and a receiver.
        case tokens
        /// The ids of several tokens with an amount for each, and a receiver.
        case sums
        /// One amount that the caller gets; the arguments name no receiver.
        case ownSum
    }

    /// The methods of NEP-141, NEP-171, NEP-178, NEP-199, NEP-245, of wrapped NEAR and of NEAR
    /// Intents.
    private static let methods: [String: Form] = [
        "ft_transfer": .sum, "ft_transfer_call": .sum, "nft_transfer": .tokens,
        "nft_transfer_call": .tokens, "nft_transfer_payout": .tokens, "nft_approve": .tokens,
        "mt_transfer": .sumOf, "mt_transfer_call": .sumOf, "mt_batch_transfer": .sums,
        "mt_batch_transfer_call": .sums, "mt_approve": .sums, "near_withdraw": .ownSum,
        "ft_withdraw": .sumOf, "nft_withdraw": .tokens, "mt_withdraw": .sums,
        "native_withdraw": .sum,
    ]
    fileprivate static let approvals: Set = ["nft_approve", "mt_approve"]
    private static let limits = JSONLimits(
        bytesMax: 256 << 10, depthMax: 32, valuesMax: 4_096)

    /// Reads a call; nil if no known method moves tokens.
    init?(_ call: FunctionCall) {
        guard let form = Self.methods[call.method] else { return nil }
        guard let args = try? JSON.parse(call.args.span, limits: Self.limits).object,
            let tokens = Self.tokens(args)
        else {
            receiver = nil
            amount = nil
            tokens = []
            moves = []
            isReadable = false
            hasOrder = false
            return
        }
        let receiver = Self.receiver(args, isApproval: Self.approvals.contains(call.method))
        let amounts = Self.amounts(args, form, of: tokens.count)
        let amount = form == .tokens ? nil : amounts?.reduce(UInt128(0)) { $0.addingSaturated($1) }
        self.receiver = receiver
        moves = Self.moves(tokens, amounts, form, isList: args["token_ids"] != nil)
        self.amount = amount
        self.tokens = tokens
        isReadable =
            switch form {
            case .sum: receiver != nil && amount != nil
            case .sumOf, .sums: receiver != nil && amount != nil && !tokens.isEmpty
            case .tokens: receiver != nil && !tokens.isEmpty
            case .ownSum: Self.receiverNames.allSatisfy { args[$0] == nil } && amount != nil
            }
        hasOrder =
            switch args["msg"] {
            case nil, .null, .string(""): false
            default: true
            }
    }

    private static let receiverNames = ["receiver_id", "account_id"]

    /// Returns the only account that is named, if it is in the expected argument.
    private static func receiver(_ args: JSONObject, isApproval: Bool) -> String? {
        guard receiverNames.count(where: { args[$0] != nil }) == 1,
            let text = args[isApproval ? "account_id" : "receiver_id"]?.text,
            NEARAccountID.isValid(text)
        else { return nil }
        return text
    }

    /// Returns the amounts of the tokens; nil if one cannot be read or the numbers differ.
    private static func amounts(_ args: JSONObject, _ form: Form, of count: Int) -> [UInt128]? {
        switch form {
        case .tokens: return [UInt128](repeating: 1, count: count)
        case .sum, .sumOf, .ownSum:
            return args["amount"]?.text.flatMap { UInt128($0) }.map { [$0] }
        case .sums:
            let list = args["amounts"]?.list ?? []
            let amounts = list.compactMap { $0.text.flatMap { UInt128($0) } }
            return amounts.count == count && list.count == count ? amounts : nil
        }
    }

    private static func moves(
        _ tokens: [String], _ amounts: [UInt128]?, _ form: Form, isList: Bool
    ) -> [Move] {
        guard let amounts else { return [] }
        switch form {
        case .sum, .ownSum: return amounts.map { Move(token: nil, amount: $0) }
        case .sums: return zip(tokens, amounts).map { Move(token: $0, amount: $1) }
        case .tokens where isList: return tokens.map { Move(token: $0, amount: 1) }
        // The token and its origin contract together form the id.
        case .sumOf, .tokens:
            return amounts.prefix(1).map {
                Move(token: tokens.joined(separator: " "), amount: $0)
            }
        }
    }

    /// Returns every named token; nil if one of the names is not text.
    private static func tokens(_ args: JSONObject) -> [String]? {
        var tokens: [String] = []
        for name in ["token_id", "token"] {
            guard let json = args[name] else { continue }
            guard let text = json.text else { return nil }
            tokens.append(text)
        }
        guard let json = args["token_ids"] else { return tokens }
        guard let list = json.list else { return nil }
        let ids = list.compactMap(\.text)
        return ids.count == list.count ? tokens + ids : nil
    }
}

extension FunctionCall {
    /// True if a key may sign for the account from now on in a contract that keeps keys.
    ///
    /// An example is the contract of NEAR Intents.
    var addsContractKey: Bool { method == "add_public_key" }

    /// True if another account may take tokens later.
    var isApproval: Bool { TokenCall.approvals.contains(method) }

    /// True if tokens may be destroyed together with their storage (NEP-145).
    var burnsTokens: Bool {
        guard method == "storage_unregister", !args.isEmpty else { return false }
        guard let json else { return true }
        return json["force"].map { $0 != .bool(false) && !$0.isNull } ?? false
    }
}
