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
    /// The contract of the tokens, if the called contract keeps tokens of others.
    let contract: String?
    /// The accounts whose tokens move by their approval, instead of the caller's tokens.
    let owners: [String]
    /// The outflows, token by token; a unique token counts as 1.
    let moves: [Move]
    /// The text for the sender's and receiver's records.
    let memo: String?
    /// The instructions for the receiver, which only the receiver understands.
    let order: String?
    /// True if the arguments have exactly the members and types of the standard.
    let isReadable: Bool

    /// True if the receiver gets instructions.
    var hasOrder: Bool { order.map { !$0.isEmpty } ?? false }

    /// An amount of one token.
    struct Move: Hashable {
        /// The token id; nil if the contract has only one token.
        let token: String?
        let amount: UInt128
    }

    /// The most characters of a token id in words: an id can contain the account of a contract.
    static let idMax = 200

    /// The id that NEAR Intents gives a token of a contract with several tokens (NEP-245).
    static func keptID(of id: String, by contract: String) -> String {
        "nep245:\(contract):\(id)"
    }

    static let approvals: Set = ["nft_approve", "mt_approve"]
    static let withdrawals: Set = [
        "ft_withdraw", "nft_withdraw", "mt_withdraw", "native_withdraw",
    ]
    /// The unwrapping of NEAR, whose receiver is the caller.
    static let unwrapping = "near_withdraw"

    /// Reads a call; nil if no known method moves tokens.
    init?(_ call: FunctionCall) {
        guard let form = TokenArguments.forms[call.method] else { return nil }
        let args = call.exactArguments.flatMap { try? TokenArguments($0, form) }
        receiver = args?.receiver
        tokens = args?.tokens ?? []
        contract = args?.contract
        owners = args?.owners ?? []
        moves = args?.moves ?? []
        amount = args?.amounts?.reduce(UInt128(0)) { $0.addingSaturated($1) }
        memo = args?.memo
        order = args?.order
        isReadable = args != nil
    }
}

extension FunctionCall {
    /// True if a key may sign for the account from now on in a contract that keeps keys.
    ///
    /// An example is the contract of NEAR Intents.
    var addsContractKey: Bool { method == "add_public_key" }

    /// True if a key no longer signs for the account in such a contract.
    var deletesContractKey: Bool { method == "remove_public_key" }

    /// True if tokens may be destroyed together with their storage (NEP-145).
    var burnsTokens: Bool {
        guard method == "storage_unregister", !args.isEmpty else { return false }
        guard let json else { return true }
        return json["force"].map { $0 != .bool(false) && !$0.isNull } ?? false
    }
}
