// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Tools about delays")
struct DelayToolTests {
    private static let rules = payRule("delay = \"1h\"")

    private static let request = FakeRequest(
        protocolID: ProtocolID("algorand"), method: "sign_transactions",
        operations: [.fake([Fact("amount", .integer(1)), Fact("receiver", .text("aa"))])]
    ).judged(at: 1_000)

    private static func run(_ rules: String, _ test: String) throws -> (TOMLPolicy, [TestCase]) {
        let policy = try policy(
            rules + "[[test]]\nname = \"t\"\nrequest = \"r\"\n\(test)\n", version: 2)
        return (policy, policy.document.tests.map { TestCase($0, request) })
    }

    @Test("a test fails for another delay, and says both")
    func tests() throws {
        let by = "by the rule \"pay\""
        let rows = [
            (Self.rules, "expect = \"allow\"\ndelay = \"60m\"", nil),
            (Self.rules, "expect = \"allow\"", "expected allow, got allow after 1h \(by)"),
            (
                Self.rules, "expect = \"allow\"\ndelay = \"2h\"",
                "expected allow after 2h, got allow after 1h \(by)"
            ),
            (
                payRule(""), "expect = \"allow\"\ndelay = \"2h\"",
                "expected allow after 2h, got allow \(by)"
            ),
            (Self.rules, "expect = \"ask\"", "expected ask, got allow after 1h \(by)"),
        ]
        for (rules, test, text) in rows {
            let (policy, cases) = try Self.run(rules, test)
            #expect(TestRun(policy, cases).failures.map(\.text) == (text.map { [$0] } ?? []))
        }
    }

    @Test("a test that states the delay kills the mutant without it")
    func mutants() throws {
        let (policy, cases) = try Self.run(Self.rules, "expect = \"allow\"\ndelay = \"1h\"")
        #expect(Mutant.all(of: policy.document).map(\.text).contains("rule \"pay\" without delay"))
        let survivors = Mutant.survivors(of: policy, cases).survivors.map(\.text)
        #expect(!survivors.contains { $0.contains("delay") }, "\(survivors)")
    }

    @Test("an explanation says the delay in words and in JSON")
    func explained() throws {
        let explained = try policy(Self.rules, version: 2).explain(Self.request, usage: FakeUsage())
        #expect(explained.text.hasPrefix("verdict: allow after 1h\n"))
        #expect(explained.json.contains("\"delay\":3600"))
    }

    @Test("the rights of a client name the delay")
    func rights() throws {
        let found = ClientRights(
            of: "c", proofs: [.claimed], in: try policy(Self.rules, version: 2),
            at: Timestamp(seconds: 1_000))
        #expect(found.rules.map(\.terms) == [["after 1h, unless you say no"]])
    }
}
