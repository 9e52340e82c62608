// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The orders that move tokens.
extension IntentOrder {
    static func transfer(_ reader: inout MemberReader) throws(ShapeError) -> IntentOrder {
        let receiver = try reader.account("receiver_id")
        var moves: [TokenCall.Move] = []
        for member in try reader.object("tokens").members {
            moves.append(.init(token: member.name, amount: try MemberReader.amount(member.value)))
        }
        let memo = try reader.textIfAny("memo")
        let order = try reader.textIfAny("msg")
        try reader.skipGas("min_gas")
        guard !moves.isEmpty else { throw ShapeError() }
        return .init(
            "transfers \(listed(moves)) to \(receiver)"
                + (order == nil ? "" : ", with an order to it")
                + (memo.map { ", memo \($0.shown)" } ?? ""), to: receiver, moves)
    }

    /// An exchange: what leaves the balance and what enters it.
    static func exchange(_ reader: inout MemberReader) throws(ShapeError) -> IntentOrder {
        var given: [TokenCall.Move] = []
        var taken: [TokenCall.Move] = []
        for member in try reader.object("diff").members {
            guard let text = member.value.text, let amount = Int128(text), String(amount) == text
            else { throw ShapeError() }
            let move = TokenCall.Move(token: member.name, amount: amount.magnitude)
            if amount < 0 { given.append(move) } else { taken.append(move) }
        }
        _ = (try reader.textIfAny("memo"), try reader.accountIfAny("referral"))
        guard !given.isEmpty || !taken.isEmpty else { throw ShapeError() }
        return .init(
            "gives \(given.isEmpty ? "nothing" : listed(given)) for "
                + (taken.isEmpty ? "nothing" : listed(taken)), .value, given)
    }

    static func withdrawal(
        _ kind: String, _ reader: inout MemberReader
    ) throws(ShapeError) -> IntentOrder {
        let contract = try reader.account("token")
        let receiver = try reader.account("receiver_id")
        var moves: [TokenCall.Move]
        switch kind {
        case "ft_withdraw":
            moves = [.init(token: "nep141:\(contract)", amount: try reader.amount("amount"))]
        case "nft_withdraw":
            let id = try reader.text("token_id")
            moves = [.init(token: "nep171:\(contract):\(id)", amount: 1)]
        default:
            let ids = try reader.texts("token_ids")
            let amounts = try reader.list("amounts")
            guard !ids.isEmpty, ids.count == amounts.count else { throw ShapeError() }
            moves = []
            for (id, amount) in zip(ids, amounts) {
                moves.append(
                    .init(
                        token: TokenCall.keptID(of: id, by: contract),
                        amount: try MemberReader.amount(amount)))
            }
        }
        let memo = try reader.textIfAny("memo")
        let order = try reader.textIfAny("msg")
        let storage = try reader.amountIfAny("storage_deposit") ?? 0
        try reader.skipGas("min_gas")
        return .init(
            "sends \(listed(moves)) out of your balance to \(receiver)"
                + (order == nil ? "" : ", with an order to it")
                + (storage > 0 ? ", and pays \(storage.near) for its storage" : "")
                + (memo.map { ", memo \($0.shown)" } ?? ""), to: receiver,
            moves + (storage > 0 ? [wrapped(storage)] : []))
    }
}
