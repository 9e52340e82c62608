// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Verdicts")
struct VerdictTests {
    static func rule(_ id: String, _ effect: String, _ conditions: String = "") -> String {
        "[[rule]]\nid = \"\(id)\"\neffect = \"\(effect)\"\nprotocol = \"nostr\"\n\(conditions)\n"
    }

    @Test(
        "come from the strongest matching rule, else from the default",
        arguments: [
            ("", "ask", "ask"), ("", "deny", "deny"), ("allow", "deny", "allow"),
            ("ask", "deny", "ask"), ("deny", "ask", "deny"), ("allow ask", "deny", "ask"),
            ("allow deny", "ask", "deny"), ("ask deny", "ask", "deny"),
            ("allow ask deny", "ask", "deny"), ("allow allow", "deny", "allow"),
        ])
    func strongest(_ effects: String, _ fallback: String, _ verdict: String) throws {
        let rules = effects.split(separator: " ").enumerated().map {
            Self.rule("r\($0.offset)", String($0.element))
        }
        let policy = try policy(rules.joined(), fallback: fallback)
        #expect(try policy.verdict(FakeRequest()) == verdict)
    }

    @Test("carry the ids of the rules that decided, in order of id")
    func reasons() throws {
        let policy = try policy(
            Self.rule("c", "deny", "kind = 1") + Self.rule("a", "deny") + Self.rule("b", "ask"))
        let request = FakeRequest(facts: [Fact("kind", .integer(1))]).judged()
        let verdict = try policy.judge(request, usage: FakeUsage()).verdict
        #expect(
            verdict
                == .deny([
                    Reason(.policyDenied, "the rule \"a\" denies this", rule: "a"),
                    Reason(.policyDenied, "the rule \"c\" denies this", rule: "c"),
                ]))
        let unsure = try policy.judge(FakeRequest().judged(), usage: FakeUsage()).verdict
        #expect(
            unsure.reasons.last?.text == "the rule \"c\" denies this, because a match cannot "
                + "be ruled out")
    }

    @Test("of a batch are the strongest over its operations, each under its own rule")
    func batches() throws {
        let policy = try policy(
            Self.rule("one", "allow", "kind = 1") + Self.rule("two", "allow", "kind = 2")
                + Self.rule("three", "deny", "kind = 3") + Self.rule("four", "ask", "kind = 4"),
            fallback: "deny")
        let table: [([Int128], String)] = [
            ([1], "allow"), ([1, 2], "allow"), ([1, 2, 3], "deny"), ([1, 4], "ask"),
            ([4, 3], "deny"), ([1, 5], "deny"),
        ]
        for (kinds, verdict) in table {
            let operations = kinds.map { RequestedOperation.fake([Fact("kind", .integer($0))]) }
            #expect(try policy.verdict(FakeRequest(operations: operations)) == verdict, "\(kinds)")
        }
    }

    @Test("take an operation's fact before the request's, and request facts for every operation")
    func shadowing() throws {
        let policy = try policy(Self.rule("r", "allow", "kind = 1\nurl = \"u\""))
        let common = [Fact("kind", .integer(1)), Fact("url", .text("u"))]
        var request = FakeRequest(operations: [.fake(), .fake()], facts: common)
        #expect(try policy.verdict(request) == "allow")
        request.operations[1] = .fake([Fact("kind", .integer(2))])
        #expect(try policy.verdict(request) == "ask")
        request.operations = []
        #expect(try policy.verdict(request) == "allow")
    }

    @Test("never come from an expired rule")
    func expiry() throws {
        let rules = Self.rule("r", "deny", "expires = 1970-01-01T00:20:00Z")
        let policy = try policy(rules)
        let table: [(Int64, String)] = [(1_199, "deny"), (1_200, "ask"), (1_201, "ask")]
        for (seconds, verdict) in table {
            let request = FakeRequest().judged(at: seconds)
            #expect(try policy.judge(request, usage: FakeUsage()).verdict.name == verdict)
        }
    }

    @Test("know methods that no adapter declares, and other protocols")
    func strangers() throws {
        let policy = try policy(
            Self.rule("a", "allow", "operation = \"sign_event\"")
                + "[[rule]]\nid = \"b\"\neffect = \"deny\"\nkey = \"bob\"\n")
        let alice = [RequestedOperation.fake()]
        #expect(try policy.verdict(FakeRequest(operations: alice)) == "allow")
        #expect(try policy.verdict(FakeRequest(method: "other", operations: alice)) == "ask")
        let foreign = FakeRequest(
            protocolID: ProtocolID("foreign"), method: "x", operations: [.fake(key: "bob")])
        #expect(try policy.verdict(foreign) == "deny")
    }

    @Test("never allow where a fact is missing", arguments: ["ask", "deny"])
    func missingFacts(_ fallback: String) throws {
        let conditions = [
            "kind = { not_in = 5 }", "kind = { max = 5 }", "tag.p = { not_in = \"x\" }",
            "peer = \"@own\"", "content.bytes = { min = 0 }", "pubkey_mismatch = false",
        ]
        for condition in conditions {
            let policy = try policy(Self.rule("r", "allow", condition), fallback: fallback)
            #expect(try policy.verdict(FakeRequest()) == fallback, "\(condition)")
        }
    }

    @Test("need every danger acknowledged by one rule")
    func dangers() throws {
        let decrypt = "acknowledge = [\"decrypt\"]"
        let both = "acknowledge = [\"decrypt\", \"opaque\"]"
        let table: [(rules: [String], request: [String], operation: [String], verdict: String)] = [
            ([""], [], [], "allow"), ([""], ["decrypt"], [], "ask"), ([""], [], ["decrypt"], "ask"),
            ([decrypt], ["decrypt"], [], "allow"), ([decrypt], [], ["decrypt"], "allow"),
            ([decrypt], [], [], "allow"), ([decrypt], ["opaque"], ["decrypt"], "ask"),
            ([both], ["opaque"], ["decrypt"], "allow"),
            ([decrypt, "acknowledge = [\"opaque\"]"], ["opaque"], ["decrypt"], "ask"),
            (["", both], ["opaque"], ["decrypt"], "allow"),
            ([both], ["unheard_of"], [], "ask"),
        ]
        for row in table {
            let policy = try policy(
                row.rules.enumerated().map { Self.rule("r\($0.offset)", "allow", $0.element) }
                    .joined())
            var request = FakeRequest(operations: [.fake(dangers: row.operation)])
            request.dangers = row.request.map { Danger($0) }
            #expect(try policy.verdict(request) == row.verdict, "\(row)")
        }
    }

    @Test("report the unacknowledged danger")
    func unacknowledgedReason() throws {
        let policy = try policy(
            Self.rule("a", "allow", "acknowledge = [\"decrypt\"]") + Self.rule("b", "allow"))
        var request = FakeRequest(operations: [.fake(dangers: ["decrypt", "deletes"])])
        let verdict = try policy.judge(request.judged(), usage: FakeUsage()).verdict
        #expect(
            verdict
                == .ask([
                    Reason(
                        .policyDenied,
                        "no rule that allows this acknowledges \"deletes\"; the default is to ask")
                ]))
        request.operations = [.fake(dangers: ["decrypt"])]
        #expect(try policy.verdict(request) == "allow")
    }

    @Test("understand facts that the schemas declare")
    func understanding() throws {
        let policy = try policy("")
        let nostr = ProtocolID("nostr")
        #expect(policy.understands(Fact("kind", .integer(1)), of: nostr))
        #expect(policy.understands(Fact("tag.x", .integer(1)), of: nostr))
        #expect(!policy.understands(Fact("tag.", .integer(1)), of: nostr))
        #expect(!policy.understands(Fact("kind", .integer(1)), of: ProtocolID("near")))
        #expect(!policy.understands(Fact("other", .integer(1)), of: nostr))
    }
}
