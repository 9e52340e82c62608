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
            [
                "Transfer": [
                    "token_id": "usdt.near", "receiver_id": "bob.near", "amount": "5",
                    "msg": "swap",
                ]
            ],
            "paying 5 of the smallest unit of usdt.near from the DAO to bob.near, with an order "
                + "to it", .value
        ),
        (
            ["UpgradeRemote": ["receiver_id": "app.near", "method_name": "up", "hash": "x"]],
            #"new code for app.near, by its method "up""#, .authority
        ),
        (
            ["SetStakingContract": ["staking_id": "stake.near"]],
            "stake.near as the contract that weighs votes", .authority
        ),
        (
            ["ChangePolicyRemoveRole": ["role": "council"]], #"the end of the role "council""#,
            .authority
        ),
        (
            [
                "AddBounty": [
                    "bounty": [
                        "description": "d", "token": "usdt.near", "amount": "5", "times": 3,
                        "max_deadline": "9",
                    ]
                ]
            ],
            "a bounty of 5 of the smallest unit of usdt.near, which the DAO pays up to 3 times",
            .value
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
        let unread = #"calls "m" of token.near (what this does cannot be read here)"#
        #expect(other.phrase == "put to the vote that the DAO \(unread)")
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
        let unread = "(what it asks the DAO for is not read here)"
        #expect(
            found.phrase
                == #"put to the vote that the DAO calls "add_proposal" of token.near \#(unread)"#)
        #expect(try judged(kind).dangers.contains("opaque"))
    }

    private func judged(_ kind: JSON) throws -> Judged {
        let args: JSON = ["proposal": ["description": "d", "kind": kind]]
        return try Judged("add_proposal", String(decoding: args.write(), as: UTF8.self))
    }

    private static let innerCalls: [(String, String, note: String?, [String])] = [
        (
            "ft_transfer", #"{"receiver_id":"bob.near","amount":5}"#,
            "tokens move, but how cannot be read here", ["changes_control", "opaque"]
        ),
        (
            "ft_transfer_call", #"{"receiver_id":"dex.near","amount":"5","msg":"swap"}"#, nil,
            ["changes_control", "opaque"]
        ),
        ("ft_transfer", #"{"receiver_id":"bob.near","amount":"5"}"#, nil, ["changes_control"]),
        (
            "add_public_key", #"{"public_key":"ed25519:x"}"#,
            "another key may act for the caller", ["changes_control", "adds_key"]
        ),
        (
            "storage_unregister", #"{"force":true}"#,
            "the caller's tokens there may be destroyed", ["changes_control", "burns_tokens"]
        ),
        (
            "set_owner", #"{"owner_id":"eve.near"}"#,
            "who may act for an account or a contract may change", ["changes_control"]
        ),
        ("vote", "[1]", "what this does cannot be read here", ["changes_control", "opaque"]),
    ]

    @Test(
        "a call by the DAO has its dangers, and says what cannot be read",
        arguments: innerCalls.indices)
    func innerDangers(_ index: Int) throws {
        let (method, args, note, dangers) = Self.innerCalls[index]
        let kind = Self.calling(method, Array(args.utf8))
        let found = try judged(kind)
        #expect(found.dangers.sorted() == dangers.sorted())
        #expect((found.request.decoding == .partial) == dangers.contains("opaque"))
        let words = try #require(found.lines.first { $0.label == "the DAO" }).text
        #expect(words.hasSuffix(")") && words.contains(note ?? method))
        let vote: JSON = ["id": 7, "action": "VoteReject", "proposal": kind]
        let against = try Judged("act_proposal", String(decoding: vote.write(), as: UTF8.self))
        #expect(against.dangers == [])
    }

    @Test("a proposal that cannot be read is opaque, and so is an order to who is paid")
    func opaque() throws {
        let order: JSON = [
            "Transfer": [
                "token_id": "usdt.near", "receiver_id": "bob.near", "amount": "5", "msg": "swap",
            ]
        ]
        for kind in Self.refused + [order] {
            let found = try judged(kind)
            #expect(found.dangers == ["opaque"] && found.request.decoding == .partial)
        }
        let plain: JSON = ["Transfer": ["token_id": "", "receiver_id": "b.near", "amount": "5"]]
        #expect(try judged(plain).dangers == [])
        #expect(try judged(["UpgradeSelf": ["hash": "x"]]).dangers == ["changes_control"])
        for args in ["", "{}", #"{"id":1}"#, #"{"id":1,"action":"VoteApprove","x":1}"#] {
            #expect(try Judged("act_proposal", args).dangers == ["opaque"])
        }
    }

    @Test("a vote for a proposal may change who acts for the DAO, however the call describes it")
    func blindVote() throws {
        for (action, dangers) in [
            ("VoteApprove", ["changes_control"]), ("Finalize", ["changes_control"]),
            ("VoteReject", []), ("RemoveProposal", []),
        ] {
            // The contract may ignore a claim, so a harmless one changes nothing.
            for claim in ["", #","proposal":"Vote""#] {
                let args = #"{"id":7,"action":"\#(action)"\#(claim)}"#
                #expect(try Judged("act_proposal", args).dangers == dangers)
            }
        }
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
