// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A call by which tokens change hands, although the deposit says nothing of it.
struct TokenCall: Hashable {
    /// Who gets them, or may take them; nil where it is the caller, and where nobody can tell.
    let receiver: String?
    /// How much of a fungible token, in its smallest unit; of several together.
    let amount: UInt128?
    /// Which tokens, where they have names.
    let tokens: [String]
    /// What leaves, token by token; a token that is one of its kind counts as 1.
    let moves: [Move]
    /// Whether the arguments could be read.
    let isReadable: Bool
    /// Whether the receiver is told what to do with them, which only it understands.
    let hasOrder: Bool

    /// Some of one token.
    struct Move: Hashable {
        /// Its name among those of the contract; nil where the contract has no others.
        let token: String?
        let amount: UInt128
    }

    /// What has to stand in the arguments.
    private enum Form {
        /// A sum for somebody.
        case sum
        /// A sum of the token that is named.
        case sumOf
        /// Tokens by their names, without sums.
        case tokens
        /// Tokens by their names, each with its sum.
        case sums
        /// A sum for the caller itself.
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

    /// Nil where the method moves no tokens, as far as it is known.
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

    /// The one account that is named, where the method expects it.
    private static func receiver(_ args: JSONObject, isApproval: Bool) -> String? {
        guard receiverNames.count(where: { args[$0] != nil }) == 1,
            let text = args[isApproval ? "account_id" : "receiver_id"]?.text,
            NEARAccountID.isValid(text)
        else { return nil }
        return text
    }

    /// The amounts of the tokens; nil where one is not readable or there is not one for each.
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
        // A token and the contract it came from name it together.
        case .sumOf, .tokens:
            return amounts.prefix(1).map {
                Move(token: tokens.joined(separator: " "), amount: $0)
            }
        }
    }

    /// Every token that is named; nil where one of the names is no text.
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
    /// Whether somebody's key may sign for the account from now on, in a contract that keeps keys
    /// of its own, as that of NEAR Intents does.
    var addsContractKey: Bool { method == "add_public_key" }

    /// Whether somebody may take tokens from now on, who does not get them yet.
    var isApproval: Bool { TokenCall.approvals.contains(method) }

    /// Whether tokens are destroyed with the place they are kept in (NEP-145); in doubt they are.
    var burnsTokens: Bool {
        guard method == "storage_unregister", !args.isEmpty else { return false }
        guard let json else { return true }
        return json["force"].map { $0 != .bool(false) && !$0.isNull } ?? false
    }
}
