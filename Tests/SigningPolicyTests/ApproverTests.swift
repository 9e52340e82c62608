// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Approvers in a policy")
struct ApproverTests {
    static func key(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 32) }

    static let people = """
        version = 1
        default = "ask"
        [approvers]
        alice = "\(key(1).approverText)"
        bob = "\(key(2).approverText)"
        also-bob = "\(key(2).approverText)"
        carol = "\(key(3).approverText)"
        [set.finance]
        people = ["alice", "bob", "also-bob", "@board"]
        [set.board]
        people = ["carol"]

        """

    static func text(
        _ demand: String, effect: String = "ask", people: String = people
    ) -> String {
        people + "[[rule]]\nid = \"pay\"\neffect = \"\(effect)\"\napprovers = \(demand)\n"
    }

    private func judgement(_ text: String) throws -> Judgement {
        try loaded(text).judge(FakeRequest().judged(), usage: FakeUsage())
    }

    @Test("are asked by a rule, each key once under any names")
    func demand() throws {
        let found = try judgement(Self.text("{ min = 2, of = \"@finance\", within = \"1h\" }"))
        #expect(found.verdict.name == "ask" && found.undecided.isEmpty)
        let demand = try #require(found.demands.first)
        #expect(found.demands.count == 1)
        #expect(demand.members.map(\.name) == ["alice", "also-bob", "carol"])
        #expect(demand.members.map(\.key) == [1, 2, 3].map(Self.key))
        #expect(demand.minimum == 2 && demand.seconds == 3_600 && !demand.submitterMayApprove)
        #expect(demand.text == "2 of alice, also-bob, carol")
    }

    @Test("are asked by every rule that asks, and not where another denies")
    func several() throws {
        let two =
            Self.text("{ min = 2, of = \"@finance\" }")
            + "[[rule]]\nid = \"more\"\neffect = \"ask\"\n"
            + "approvers = { min = 1, of = \"carol\", submitter_may_approve = true }\n"
        #expect(try judgement(two).demands.map(\.rule) == ["more", "pay"])
        let denied = try judgement(two + "[[rule]]\nid = \"no\"\neffect = \"deny\"\n")
        #expect(denied.verdict.name == "deny" && denied.demands.isEmpty)
    }

    private static let refused: [(demand: String, said: String)] = [
        ("{ min = 4, of = \"@finance\" }", "can never be met: \"of\" names 3 keys"),
        ("{ min = 2, of = [\"bob\", \"also-bob\"] }", "can never be met: \"of\" names 1 key"),
        ("{ min = 0, of = \"bob\" }", "min takes a number from 1 to 64"),
        ("{ min = \"1\", of = \"bob\" }", "min takes a number from 1 to 64"),
        ("{ of = \"bob\" }", "approvers has no \"min\""),
        ("{ min = 1 }", "approvers has no \"of\""),
        ("{ min = 1, of = [] }", "the list is empty: name at least one approver"),
        ("{ min = 1, of = \"bobb\" }", "unknown approver \"bobb\"; did you mean \"bob\"?"),
        ("{ min = 1, of = \"@finanse\" }", "did you mean \"@finance\"?"),
        ("{ min = 1, of = \"bob\", withn = \"1h\" }", "unknown key \"withn\" in approvers"),
        ("{ min = 1, of = \"bob\", within = \"59s\" }", "from \"1m\" to \"1d\""),
        ("{ min = 1, of = \"bob\", within = \"25h\" }", "from \"1m\" to \"1d\""),
        ("{ min = 1, of = \"bob\", submitter_may_approve = 1 }", "takes true or false"),
        ("2", "approvers takes a table"),
    ]

    @Test("that make no sense are refused", arguments: refused)
    func refusals(_ row: (demand: String, said: String)) {
        let found = headlines(Self.text(row.demand))
        #expect(found.count == 1 && found.allSatisfy { $0.contains(row.said) }, "\(found)")
    }

    @Test("are in ask rules only, under valid names, with whole keys")
    func places() {
        let demand = "{ min = 1, of = \"bob\" }"
        for effect in ["allow", "deny"] {
            let found = headlines(Self.text(demand, effect: effect))
            #expect(found.contains { $0.contains("is for ask rules only") }, "\(found)")
        }
        for (line, said) in [
            ("Dave = \"\(Self.key(4).approverText)\"", "an approver's name is"),
            ("dave = \"\(Self.key(4).approverText.dropLast())\"", "an approver's key is"),
            ("dave = \"ed25519:\(String(repeating: "AB", count: 32))\"", "an approver's key is"),
            ("dave = 4", "an approver's key is"),
        ] {
            let people = Self.people.replacing("[approvers]\n", with: "[approvers]\n\(line)\n")
            let found = headlines(Self.text(demand, people: people))
            #expect(found.count == 1 && found.allSatisfy { $0.contains(said) }, "\(found)")
        }
    }

    @Test("that no rule asks are reported")
    func unused() throws {
        let findings = try loaded(Self.text("{ min = 1, of = \"@finance\" }")).findings
        #expect(!findings.contains { $0.code == "P0213" })
        let one = try loaded(Self.text("{ min = 1, of = \"carol\" }")).findings
        #expect(one.filter { $0.code == "P0213" }.count == 3)
    }

    @Test("are covered by the policy's hash, by key and not only by name")
    func hash() throws {
        let demand = "{ min = 1, of = \"carol\" }"
        let before = try loaded(Self.text(demand))
        let people = Self.people.replacing(
            Self.key(3).approverText, with: Self.key(9).approverText)
        let after = try loaded(Self.text(demand, people: people))
        #expect(before.document.canonicalJSON != after.document.canonicalJSON)
        #expect(before.document.rules[0].canonicalText != after.document.rules[0].canonicalText)
        #expect(before.document.canonicalJSON.contains("\"min\":\"1\""))
    }

    @Test("are listed when a policy is explained")
    func explained() throws {
        let policy = try loaded(Self.text("{ min = 2, of = \"@finance\" }"))
        let found = try policy.explain(FakeRequest().judged(), usage: FakeUsage())
        #expect(found.text.contains("approvers of pay: 2 of alice, also-bob, carol, within 15m"))
        #expect(found.json.contains("\"approvers\":[{\"min\":2"))
    }
}
