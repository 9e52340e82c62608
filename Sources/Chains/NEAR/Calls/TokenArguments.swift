// SPDX-License-Identifier: Apache-2.0

import SigningCodecs

/// The arguments of a token call.
struct TokenArguments {
    /// The members of the arguments; each has one type in all standards.
    enum Member: String {
        case receiver = "receiver_id"
        case approved = "account_id"
        case amount, amounts, memo, balance, approval, approvals
        case tokenID = "token_id"
        case tokenIDs = "token_ids"
        /// The contract of a token that another contract keeps.
        case contract = "token"
        case order = "msg"
        case approvalID = "approval_id"
        case payoutCountMax = "max_len_payout"
    }

    /// The members that must be there, and those that may be.
    typealias Form = (required: [Member], optional: [Member])

    /// The methods of NEP-141, NEP-171, NEP-178, NEP-199, NEP-245, of wrapped NEAR and of NEAR
    /// Intents.
    static let forms: [String: Form] = [
        // The standard has no order here, but py-near writes the memo of a transfer into it.
        "ft_transfer": ([.receiver, .amount], [.memo, .order]),
        "ft_transfer_call": ([.receiver, .amount, .order], [.memo]),
        "nft_transfer": ([.receiver, .tokenID], [.approvalID, .memo]),
        "nft_transfer_call": ([.receiver, .tokenID, .order], [.approvalID, .memo]),
        "nft_transfer_payout": (
            [.receiver, .tokenID], [.approvalID, .memo, .balance, .payoutCountMax]
        ),
        "nft_approve": ([.approved, .tokenID], [.order]),
        "mt_transfer": ([.receiver, .tokenID, .amount], [.approval, .memo]),
        "mt_transfer_call": ([.receiver, .tokenID, .amount, .order], [.approval, .memo]),
        "mt_batch_transfer": ([.receiver, .tokenIDs, .amounts], [.approvals, .memo]),
        "mt_batch_transfer_call": (
            [.receiver, .tokenIDs, .amounts, .order], [.approvals, .memo]
        ),
        "mt_approve": ([.approved, .tokenIDs, .amounts], [.order]),
        TokenCall.unwrapping: ([.amount], []),
        "ft_withdraw": ([.contract, .receiver, .amount], [.memo, .order]),
        "nft_withdraw": ([.contract, .receiver, .tokenID], [.memo, .order]),
        "mt_withdraw": ([.contract, .receiver, .tokenIDs, .amounts], [.memo, .order]),
        "native_withdraw": ([.receiver, .amount], []),
    ]

    private(set) var receiver: String?
    private(set) var amounts: [UInt128]?
    private(set) var memo: String?
    private(set) var order: String?
    /// The contract of the tokens, if the called contract keeps tokens of others.
    private(set) var contract: String?
    /// The accounts whose tokens move by their approval, instead of the caller's tokens.
    private(set) var owners: [String] = []
    private var id: String?
    private var ids: [String]?

    init(_ object: JSONObject, _ form: Form) throws(ShapeError) {
        var reader = MemberReader(object)
        for member in form.required {
            guard try read(member, from: &reader) else { throw ShapeError() }
        }
        for member in form.optional { _ = try read(member, from: &reader) }
        try reader.finish()
        if let ids {
            guard !ids.isEmpty, amounts?.count == ids.count else { throw ShapeError() }
        }
    }

    /// The ids that are named; the token and the contract that issued it together form one.
    var tokens: [String] {
        let contracts = contract.map { [$0] } ?? []
        return ids.map { contracts + $0 } ?? ((id.map { [$0] } ?? []) + contracts)
    }

    /// The outflows; a token that NEAR Intents keeps has the id that its orders use.
    var moves: [TokenCall.Move] {
        if let ids, let amounts {
            return zip(ids, amounts).map { id, amount in
                let kept = contract.map { TokenCall.keptID(of: id, by: $0) }
                return TokenCall.Move(token: kept ?? id, amount: amount)
            }
        }
        let token =
            switch (contract, id) {
            case (let contract?, let id?): "nep171:\(contract):\(id)"
            case (let contract?, nil): "nep141:\(contract)"
            case (nil, let id): id
            }
        return [TokenCall.Move(token: token, amount: amounts?.first ?? 1)]
    }

    /// Reads one member; false if it is absent.
    private mutating func read(
        _ member: Member, from reader: inout MemberReader
    ) throws(ShapeError) -> Bool {
        let name = member.rawValue
        switch member {
        case .receiver, .approved: receiver = try reader.accountIfAny(name)
        case .amount: amounts = try reader.amountIfAny(name).map { [$0] }
        case .amounts: amounts = try Self.amounts(reader.list(name))
        case .tokenID: id = try reader.textIfAny(name)
        case .contract: contract = try reader.accountIfAny(name)
        case .tokenIDs: ids = try reader.texts(name)
        case .memo: memo = try reader.textIfAny(name)
        case .order: order = try reader.textIfAny(name)
        case .balance: _ = try reader.amountIfAny(name)
        case .approvalID, .payoutCountMax: _ = try reader.numberIfAny(name)
        case .approval:
            if let json = reader.value(name) { try add(approval: json) }
        case .approvals:
            guard let json = reader.value(name) else { break }
            guard let list = json.list else { throw ShapeError() }
            for entry in list where !entry.isNull { try add(approval: entry) }
        }
        return isPresent(member)
    }

    private func isPresent(_ member: Member) -> Bool {
        switch member {
        case .receiver, .approved: receiver != nil
        case .amount, .amounts: amounts != nil
        case .tokenID: id != nil
        case .contract: contract != nil
        case .tokenIDs: ids != nil
        case .order: order != nil
        default: true
        }
    }

    private static func amounts(_ list: [JSON]) throws(ShapeError) -> [UInt128] {
        var amounts: [UInt128] = []
        for json in list { amounts.append(try MemberReader.amount(json)) }
        return amounts
    }

    /// Reads an approval of NEP-245: the owner and the number of the approval.
    private mutating func add(approval json: JSON) throws(ShapeError) {
        guard let parts = json.list, parts.count == 2, let owner = parts[0].text,
            NEARAccountID.isValid(owner)
        else { throw ShapeError() }
        _ = try MemberReader.number(parts[1])
        if !owners.contains(owner) { owners.append(owner) }
    }
}
