// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// A call by which tokens change hands, although the deposit says nothing of it.
struct TokenCall: Hashable {
    /// Who gets them, or may take them; nil where the arguments do not tell.
    let receiver: String?
    /// How much of a fungible token, in its smallest unit.
    let amount: UInt128?
    /// Which tokens, where they have names.
    let tokens: [String]
    /// Whether the arguments could be read.
    let isReadable: Bool

    /// The methods of NEP-141, NEP-171, NEP-178, NEP-245, of wrapped NEAR and of NEAR Intents,
    /// and whether they move a sum.
    private static let methods: [String: Bool] = [
        "ft_transfer": true, "ft_transfer_call": true, "nft_transfer": false,
        "nft_transfer_call": false, "nft_approve": false, "mt_transfer": true,
        "mt_transfer_call": true, "mt_batch_transfer": false, "mt_batch_transfer_call": false,
        "mt_approve": false, "near_withdraw": true, "ft_withdraw": true, "nft_withdraw": false,
        "mt_withdraw": false, "native_withdraw": true,
    ]
    private static let limits = JSONLimits(
        bytesMax: 256 << 10, depthMax: 32, valuesMax: 4_096)

    /// Nil where the method moves no tokens, as far as it is known.
    init?(_ call: FunctionCall) {
        guard let hasAmount = Self.methods[call.method] else { return nil }
        guard let args = try? JSON.parse(call.args.span, limits: Self.limits).object else {
            receiver = nil
            amount = nil
            tokens = []
            isReadable = false
            return
        }
        let named = [args["receiver_id"], args["account_id"]].compactMap { $0?.text }
        receiver = named.count == 1 ? named[0] : nil
        amount = hasAmount ? args["amount"]?.text.flatMap { UInt128($0) } : nil
        let ids = [args["token_id"], args["token"]].compactMap { $0?.text }
        tokens = ids + (args["token_ids"]?.list?.compactMap(\.text) ?? [])
        isReadable =
            (receiver != nil || call.method == "near_withdraw") && (!hasAmount || amount != nil)
    }
}

extension FunctionCall {
    /// Whether somebody's key may sign for the account from now on, in a contract that keeps keys
    /// of its own, as that of NEAR Intents does.
    var addsContractKey: Bool { method == "add_public_key" }
}
