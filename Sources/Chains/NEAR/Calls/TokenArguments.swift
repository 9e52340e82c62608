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
    private var single: [String] = []
    private var many: [String]?

    init(_ object: JSONObject, _ form: Form) throws(ShapeError) {
        var reader = MemberReader(object)
        for member in form.required {
            guard try read(member, from: &reader) else { throw ShapeError() }
        }
        for member in form.optional { _ = try read(member, from: &reader) }
        try reader.finish()
        if let many {
            guard !many.isEmpty, amounts?.count == many.count else { throw ShapeError() }
        }
    }

    /// The ids that are named; the token and the contract that issued it together form one.
    var tokens: [String] { many.map { single + $0 } ?? single }

    var moves: [TokenCall.Move] {
        if let many, let amounts {
            return zip(many, amounts).map { TokenCall.Move(token: $0, amount: $1) }
        }
        let token = single.isEmpty ? nil : single.joined(separator: " ")
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
        case .tokenID, .contract:
            let text =
                try member == .contract ? reader.accountIfAny(name) : reader.textIfAny(name)
            guard let text else { return false }
            single.insert(text, at: member == .contract ? single.count : 0)
        case .tokenIDs: many = try reader.texts(name)
        case .memo: memo = try reader.textIfAny(name)
        case .order: order = try reader.textIfAny(name)
        case .balance: _ = try reader.amountIfAny(name)
        case .approvalID, .payoutCountMax: _ = try reader.numberIfAny(name)
        case .approval:
            if let json = reader.value(name) { try Self.checkApproval(json) }
        case .approvals:
            guard let json = reader.value(name) else { break }
            guard let list = json.list else { throw ShapeError() }
            for entry in list where !entry.isNull { try Self.checkApproval(entry) }
        }
        return isPresent(member)
    }

    private func isPresent(_ member: Member) -> Bool {
        switch member {
        case .receiver, .approved: receiver != nil
        case .amount, .amounts: amounts != nil
        case .tokenIDs: many != nil
        case .order: order != nil
        default: true
        }
    }

    private static func amounts(_ list: [JSON]) throws(ShapeError) -> [UInt128] {
        var amounts: [UInt128] = []
        for json in list { amounts.append(try MemberReader.amount(json)) }
        return amounts
    }

    /// Checks an approval of NEP-245: the owner and the number of the approval.
    private static func checkApproval(_ json: JSON) throws(ShapeError) {
        guard let parts = json.list, parts.count == 2, let owner = parts[0].text,
            NEARAccountID.isValid(owner)
        else { throw ShapeError() }
        _ = try MemberReader.number(parts[1])
    }
}
