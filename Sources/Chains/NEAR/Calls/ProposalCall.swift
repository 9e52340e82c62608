// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// Proposals of a DAO (SputnikDAO, version 2) and votes on them.
extension CallMeaning {
    static func proposal(_ args: MemberReader) throws(ShapeError) -> CallMeaning {
        var args = args
        var input = try MemberReader(args.required("proposal"))
        try args.finish()
        let description = try input.text("description")
        let kind = try ProposalKind(input.required("kind"))
        try input.finish()
        return CallMeaning(
            "put to the vote \(kind.phrase)", kind.gravity,
            lines: [.init("description", description, by: .client)] + kind.lines)
    }

    private static let votes = [
        "VoteApprove": "count your vote for", "VoteReject": "count your vote against",
        "VoteRemove": "count your vote to remove as spam", "RemoveProposal": "remove",
        "Finalize": "finish", "MoveToHub": "move to the hub",
    ]

    static func vote(_ args: MemberReader) throws(ShapeError) -> CallMeaning {
        var args = args
        let number = try args.number("id")
        guard let vote = votes[try args.text("action")] else { throw ShapeError() }
        var kind: ProposalKind?
        if let json = args.value("proposal") { kind = try ProposalKind(json) }
        let memo = try args.textIfAny("memo")
        try args.finish()
        // Older contracts ignore the client's claim.
        let what =
            kind.map { ", which is, as the client says, \($0.phrase)" }
            ?? "; the call does not say what it is"
        let claim = Summary.Line(
            "proposal", "as the client says; the DAO may have another under this number")
        return CallMeaning(
            "\(vote) proposal \(number)\(what)", max(kind?.gravity ?? .flagged, .flagged),
            lines: (memo.map { [Summary.Line("memo", $0, by: .client)] } ?? [])
                + (kind.map { [claim] + $0.lines } ?? []))
    }
}

/// A change that a DAO carries out when enough members vote for it.
struct ProposalKind: Hashable {
    let phrase: String
    let gravity: Summary.Headline.Gravity
    private(set) var lines: [Summary.Line] = []

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
            _ = (try content.text("method_name"), try content.text("hash"))
            return .init("new code for \(account)", .authority)
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
        "SetStakingContract": ("staking_id", "a contract that weighs votes", .authority),
        "AddBounty": ("bounty", "a bounty that the DAO pays", .value),
        "FactoryInfoUpdate": ("factory_info", "who may update the DAO's code", .authority),
        "ChangePolicyAddOrUpdateRole": ("role", "a role and what it may do", .authority),
        "ChangePolicyRemoveRole": ("role", "the end of a role", .authority),
        "ChangePolicyUpdateDefaultVotePolicy": (
            "vote_policy", "how many votes are enough", .authority
        ),
        "ChangePolicyUpdateParameters": ("parameters", "bonds and periods of votes", .authority),
    ]

    private static func transfer(_ content: inout MemberReader) throws(ShapeError) -> ProposalKind {
        // An empty id means NEAR.
        let token = try content.text("token_id")
        guard token.isEmpty || NEARAccountID.isValid(token) else { throw ShapeError() }
        let receiver = try content.account("receiver_id")
        let amount = try content.amount("amount")
        let order = try content.textIfAny("msg")
        let what = token.isEmpty ? amount.near : "\(amount) of the smallest unit of \(token)"
        return .init(
            "paying \(what) from the DAO to \(receiver)", .value,
            order.map { [.init("order to the receiver", $0, by: .client)] } ?? [])
    }

    private static func calls(_ content: inout MemberReader) throws(ShapeError) -> ProposalKind {
        let receiver = try content.account("receiver_id")
        var phrases: [String] = []
        var lines: [Summary.Line] = []
        for json in try content.list("actions") {
            let call = try call(json)
            // Proposals inside of proposals are not read, so that no call takes long to read.
            let meaning = CallMeaning(of: call, by: receiver, isInner: true)
            let words = call.words(to: receiver, meaning, isOwn: false)
            phrases.append(words)
            lines.append(.init("the DAO", words))
            lines += call.contentLines + (meaning?.lines ?? [])
        }
        return .init(
            "that the DAO "
                + (phrases.count > 8
                    ? "makes \(phrases.count) calls of \(receiver)"
                    : phrases.joined(separator: ", and ")),
            .authority, lines)
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
