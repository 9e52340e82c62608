// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore

/// The change that a call asks a DAO for, as far as it says so.
struct ProposedChange: Hashable {
    /// True if who may act for the DAO or in its name may change.
    let changesControl: Bool
    /// The calls that the DAO would make.
    var calls: [FunctionCall] = []
    /// True if a receiver gets an order that only it understands.
    var hasOrder = false
}

extension FunctionCall {
    /// True if the call puts a change of a DAO to the vote, or votes on one.
    var asksDAO: Bool { method == "add_proposal" || method == "act_proposal" }
}

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
            lines: [.init("description", description, by: .client)] + kind.lines,
            proposed: kind.proposed)
    }

    private static let votes = [
        "VoteApprove": "count your vote for", "VoteReject": "count your vote against",
        "VoteRemove": "count your vote to remove as spam", "RemoveProposal": "remove",
        "Finalize": "finish", "MoveToHub": "move to the hub",
    ]

    /// The votes after which a DAO may carry out a proposal.
    private static let consents: Set = ["VoteApprove", "Finalize"]

    static func vote(_ args: MemberReader) throws(ShapeError) -> CallMeaning {
        var args = args
        let number = try args.number("id")
        let action = try args.text("action")
        guard let vote = votes[action] else { throw ShapeError() }
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
                + (kind.map { [claim] + $0.lines } ?? []),
            // The claim may be another proposal's.
            proposed: consents.contains(action)
                ? ProposedChange(
                    changesControl: true, calls: kind?.calls ?? [],
                    hasOrder: kind?.hasOrder ?? false)
                : ProposedChange(changesControl: false))
    }
}
