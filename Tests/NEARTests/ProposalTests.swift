// SPDX-License-Identifier: Apache-2.0

import NEARSamples
import SigningCodecs
import SigningCore
import Testing

@testable import NEAR

@Suite("Proposals of a DAO")
struct ProposalTests {
    private typealias Judged = JudgedTransaction

    private func meaning(_ method: String, _ args: JSON) -> CallMeaning? {
        let call = FunctionCall(method: method, args: args.write(), gas: 1, deposit: 0)
        return CallMeaning(of: call, by: "dao.sputnik-dao.near")
    }

    private func proposing(_ kind: JSON) -> CallMeaning? {
        meaning("add_proposal", ["proposal": ["description": "d", "kind": kind]])
    }

    private static func calling(_ method: String, _ args: [UInt8], deposit: String = "0") -> JSON {
        [
            "FunctionCall": [
                "receiver_id": "token.near",
                "actions": [
                    [
                        "method_name": .string(method), "args": .string(Base64.encode(args.span)),
                        "deposit": .string(deposit), "gas": "30000000000000",
                    ]
                ],
            ]
        ]
    }

    private static let kinds: [(JSON, String, Summary.Headline.Gravity)] = [
        (
            [
                "Transfer": [
                    "token_id": "", "receiver_id": "bob.near",
                    "amount": "1500000000000000000000000", "msg": nil,
                ]
            ], "paying 1.5 NEAR from the DAO to bob.near", .value
        ),
        (
            ["Transfer": ["token_id": "usdt.near", "receiver_id": "bob.near", "amount": "5"]],
            "paying 5 of the smallest unit of usdt.near from the DAO to bob.near", .value
        ),
        (
            ["AddMemberToRole": ["member_id": "eve.near", "role": "council"]],
            #"adding eve.near to the role "council" of the DAO"#, .authority
        ),
        (
            ["UpgradeSelf": ["hash": "x"]],
            "new code for the DAO, which controls all it owns", .authority
        ),
        (
            ["ChangePolicy": ["policy": [:]]], "a new policy: who may do what in the DAO",
            .authority
        ),
        (
            ["BountyDone": ["bounty_id": 3, "receiver_id": "bob.near"]],
            "paying bounty 3 to bob.near", .value
        ),
        ("Vote", "a question without a consequence", .plain),
    ]

    @Test("each kind says what the DAO would do", arguments: kinds.indices)
    func kind(_ index: Int) throws {
        let (kind, phrase, gravity) = Self.kinds[index]
        let found = try #require(proposing(kind))
        #expect(found.phrase == "put to the vote \(phrase)" && found.gravity == gravity)
        #expect(found.lines.first == .init("description", "d", by: .client))
        let vote = try #require(
            meaning("act_proposal", ["id": 7, "action": "VoteApprove", "proposal": kind]))
        // Older contracts do not compare what the client says with the proposal.
        let words = "count your vote for proposal 7, which is, as the client says, \(phrase)"
        #expect(vote.phrase == words)
        #expect(vote.gravity == max(gravity, .flagged))
        let claim = vote.lines.first { $0.label == "proposal" }
        #expect(claim?.text.hasPrefix("as the client says") == true)
    }

    @Test("a call by the DAO is read as one of its own")
    func inner() throws {
        let args = Array(#"{"receiver_id":"bob.near","amount":"5"}"#.utf8)
        let found = try #require(proposing(Self.calling("ft_transfer", args, deposit: "1")))
        #expect(found.gravity == .authority)
        let words =
            "asks token.near to transfer 5 of its smallest unit to bob.near (ft_transfer), "
            + "and pays 1 yoctoNEAR for it"
        #expect(found.lines.contains(.init("the DAO", words)))
        #expect(found.lines.contains(.init("tokens go to", "bob.near", by: .client)))
        let other = try #require(proposing(Self.calling("m", [255, 1])))
        #expect(other.phrase == #"put to the vote that the DAO calls "m" of token.near"#)
        #expect(other.lines.contains(.init("arguments", "2 bytes, hex ff01")))
    }

    @Test("no words speak to the signer about what the DAO would do")
    func notTheSigner() throws {
        for (method, args) in [
            ("storage_withdraw", "{}"), ("near_deposit", "{}"),
            ("near_withdraw", #"{"amount":"5"}"#),
        ] {
            let kind = Self.calling(method, Array(args.utf8))
            let found = try #require(proposing(kind))
            #expect(found.gravity == .authority)
            let raw = #"calls "\#(method)" of token.near"#
            #expect(found.phrase == "put to the vote that the DAO \(raw)")
            #expect(found.lines.contains(.init("the DAO", raw)))
            #expect(found.lines.contains(.init("arguments", args, by: .client)))
            let vote: JSON = ["id": 7, "action": "VoteApprove", "proposal": kind]
            #expect(try #require(meaning("act_proposal", vote)).phrase.hasSuffix(raw))
        }
    }

    @Test("a proposal inside of a proposal is left as it is")
    func nested() throws {
        var kind: JSON = "Vote"
        for _ in 0..<12 {
            let args: JSON = ["proposal": ["description": "d", "kind": kind]]
            kind = Self.calling("add_proposal", args.write())
        }
        let found = try #require(proposing(kind))
        #expect(found.phrase == #"put to the vote that the DAO calls "add_proposal" of token.near"#)
    }

    private static let refused: [JSON] = [
        "Other", ["Other": [:]], ["Vote": [:], "Transfer": [:]], 7,
        ["Transfer": ["token_id": "", "receiver_id": "bob.near", "amount": 5]],
        ["Transfer": ["token_id": "Not an id", "receiver_id": "bob.near", "amount": "5"]],
        ["Transfer": ["token_id": "", "receiver_id": "bob.near", "amount": "5", "to": "eve.near"]],
        ["UpgradeSelf": [:]], ["ChangePolicy": ["policy": nil]],
        [
            "FunctionCall": [
                "receiver_id": "a.near",
                "actions": [["method_name": "m", "args": "?", "deposit": "0", "gas": "1"]],
            ]
        ],
    ]

    @Test("other shapes have no meaning", arguments: refused.indices)
    func refusals(_ index: Int) {
        #expect(proposing(Self.refused[index]) == nil)
        let vote: JSON = ["id": 7, "action": "VoteApprove", "proposal": Self.refused[index]]
        #expect(meaning("act_proposal", vote) == nil)
    }

    @Test("a vote without its proposal says so")
    func blind() throws {
        let found = try #require(meaning("act_proposal", ["id": 7, "action": "VoteReject"]))
        #expect(
            found.phrase == "count your vote against proposal 7; the call does not say what it is")
        #expect(found.gravity == .flagged)
        #expect(meaning("act_proposal", ["id": 7, "action": "AddProposal"]) == nil)
        #expect(meaning("act_proposal", ["id": -7, "action": "VoteReject"]) == nil)
    }
}
