// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// A change that a DAO carries out when enough members vote for it.
struct ProposalKind: Hashable {
    let phrase: String
    let gravity: Summary.Headline.Gravity
    private(set) var lines: [Summary.Line] = []
    private(set) var calls: [FunctionCall] = []
    private(set) var hasOrder = false

    var proposed: ProposedChange {
        ProposedChange(
            changesControl: gravity >= .authority, calls: calls, hasOrder: hasOrder)
    }

    /// Reads a kind: its name, or an object with its name and its content.
    init(_ json: JSON) throws(ShapeError) {
        if json.text == "Vote" {
            self.init("a question without a consequence", .plain)
            return
        }
        guard let members = json.object?.members, members.count == 1 else { throw ShapeError() }
        var content = try MemberReader(members[0].value)
        self = try Self.read(members[0].name, &content)
        try content.finish()
    }

    private init(
        _ phrase: String, _ gravity: Summary.Headline.Gravity, _ lines: [Summary.Line] = []
    ) {
        self.phrase = phrase
        self.gravity = gravity
        self.lines = lines
    }

    private static func read(
        _ kind: String, _ content: inout MemberReader
    ) throws(ShapeError) -> ProposalKind {
        switch kind {
        case "Transfer": return try transfer(&content)
        case "FunctionCall": return try calls(&content)
        case "AddMemberToRole", "RemoveMemberFromRole":
            let member = try content.account("member_id")
            let role = try content.text("role")
            let verb = kind == "AddMemberToRole" ? "adding \(member) to" : "removing \(member) from"
            return .init("\(verb) the role \(role.shown) of the DAO", .authority)
        case "UpgradeRemote":
            let account = try content.account("receiver_id")
            let method = try content.text("method_name")
            return .init(
                "new code for \(account), by its method \(method.shown)", .authority,
                [.init("code SHA-256", try content.text("hash"), by: .client)])
        case "SetStakingContract":
            let contract = try content.account("staking_id")
            return .init("\(contract) as the contract that weighs votes", .authority)
        case "ChangePolicyRemoveRole":
            return .init(
                "the end of the role \(try content.text("role").shown)", .authority)
        case "AddBounty": return try bounty(&content)
        case "BountyDone":
            let number = try content.number("bounty_id")
            return .init(
                "paying bounty \(number) to \(try content.account("receiver_id"))", .value)
        default:
            guard let (member, phrase, gravity) = wholes[kind] else { throw ShapeError() }
            _ = try content.required(member)
            return .init(phrase, gravity)
        }
    }

    /// The kinds whose content is read from the raw arguments.
    private static let wholes: [String: (String, String, Summary.Headline.Gravity)] = [
        "ChangeConfig": ("config", "a new name and purpose of the DAO", .flagged),
        "ChangePolicy": ("policy", "a new policy: who may do what in the DAO", .authority),
        "UpgradeSelf": ("hash", "new code for the DAO, which controls all it owns", .authority),
        "FactoryInfoUpdate": ("factory_info", "who may update the DAO's code", .authority),
        "ChangePolicyAddOrUpdateRole": ("role", "a role and what it may do", .authority),
        "ChangePolicyUpdateDefaultVotePolicy": (
            "vote_policy", "how many votes are enough", .authority
        ),
        "ChangePolicyUpdateParameters": ("parameters", "bonds and periods of votes", .authority),
    ]

    private static func transfer(_ content: inout MemberReader) throws(ShapeError) -> ProposalKind {
        let token = try content.text("token_id")
        let receiver = try content.account("receiver_id")
        let what = try amount(content.amount("amount"), of: token)
        let order = try content.textIfAny("msg")
        var kind = ProposalKind(
            "paying \(what) from the DAO to \(receiver)"
                + (order == nil ? "" : ", with an order to it"), .value,
            order.map { [.init("order to the receiver", $0, by: .client)] } ?? [])
        kind.hasOrder = order.map { !$0.isEmpty } ?? false
        return kind
    }

    private static func bounty(_ content: inout MemberReader) throws(ShapeError) -> ProposalKind {
        var bounty = try MemberReader(content.required("bounty"))
        let description = try bounty.text("description")
        let token = try bounty.text("token")
        let what = try amount(bounty.amount("amount"), of: token)
        let count = try bounty.number("times")
        _ = try bounty.amount("max_deadline")
        try bounty.finish()
        return .init(
            "a bounty of \(what), which the DAO pays up to \(count) times", .value,
            [.init("bounty", description, by: .client)])
    }

    /// Returns an amount in words; an empty id means NEAR.
    private static func amount(
        _ amount: UInt128, of token: String
    ) throws(ShapeError) -> String {
        guard token.isEmpty || NEARAccountID.isValid(token) else { throw ShapeError() }
        return token.isEmpty ? amount.near : "\(amount) of the smallest unit of \(token)"
    }

    private static func calls(_ content: inout MemberReader) throws(ShapeError) -> ProposalKind {
        let receiver = try content.account("receiver_id")
        var calls: [FunctionCall] = []
        var phrases: [String] = []
        var lines: [Summary.Line] = []
        for json in try content.list("actions") {
            let call = try call(json)
            // Proposals inside of proposals are not read, so that no call takes long to read.
            let meaning = CallMeaning(of: call, by: receiver, isInner: true)
            let note = call.note(meaning).map { " (\($0))" } ?? ""
            let words = call.words(to: receiver, meaning, isOwn: false) + note
            calls.append(call)
            phrases.append(words)
            lines.append(.init("the DAO", words))
            lines += call.contentLines + (meaning?.lines ?? [])
        }
        var kind = ProposalKind(
            "that the DAO "
                + (phrases.count > 8
                    ? "makes \(phrases.count) calls of \(receiver)"
                    : phrases.joined(separator: ", and ")),
            .authority, lines)
        kind.calls = calls
        return kind
    }

    private static func call(_ json: JSON) throws(ShapeError) -> FunctionCall {
        var action = try MemberReader(json)
        let method = try action.text("method_name")
        guard let args = try? Base64.decode(action.text("args")) else { throw ShapeError() }
        let deposit = try action.amount("deposit")
        let gas = try action.amount("gas")
        try action.finish()
        return FunctionCall(
            method: method, args: args, gas: UInt64(clamping: gas), deposit: deposit)
    }
}
