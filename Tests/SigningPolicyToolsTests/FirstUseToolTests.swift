// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Tools about first uses")
struct FirstUseToolTests {
    private static let rules =
        payRule("receiver = { exists = true }\nfirst_use.receiver = { min = \"1d\" }")

    private static func payment(to receiver: String = "aa", _ seconds: Int64 = 1_000)
        -> JudgedRequest
    {
        FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: [
                .fake([Fact("amount", .integer(1)), Fact("receiver", .text(receiver))])
            ]
        ).judged(at: seconds)
    }

    private static func cases(_ rules: String, _ tests: [String]) throws -> (
        TOMLPolicy, [TestCase]
    ) {
        let blocks = tests.enumerated().map { number, lines in
            "[[test]]\nname = \"t\(number)\"\nrequest = \"r\"\n\(lines)\n"
        }
        let policy = try policy(rules + blocks.joined(), version: 2)
        return (policy, policy.document.tests.map { TestCase($0, payment()) })
    }

    @Test("tests say who is known, and for how long; a signed repetition makes known")
    func tests() throws {
        let (policy, cases) = try Self.cases(
            Self.rules,
            [
                "expect = \"ask\"", "expect = \"allow\"\nknown = [\"aa\"]",
                "expect = \"ask\"\nknown = \"bb\"",
                "expect = \"allow\"\nknown = [\"bb\", \"aa\"]\nknown_for = \"1d\"",
                "expect = \"ask\"\nknown = \"aa\"\nknown_for = 86399",
            ])
        #expect(TestRun(policy, cases).failures.map(\.text) == [])
        let survivors = Mutant.survivors(of: policy, cases).survivors.map(\.text)
        #expect(!survivors.contains { $0.contains("first_use") }, "\(survivors)")
        let (once, repeated) = try Self.cases(
            payRule("first_use.receiver = { max = \"0s\" }"),
            ["expect = \"allow\"", "expect = \"ask\"\nrepeat = 2"])
        #expect(TestRun(once, repeated).failures.map(\.text) == [])
        // Who was only asked about stays new.
        let (asks, unsigned) = try Self.cases(
            payRule("")
                + payRule("first_use.receiver = { max = \"1h\" }")
                .replacing("\"allow\"", with: "\"ask\"").replacing("\"pay\"", with: "\"new\""),
            ["expect = \"ask\"\nrepeat = 3\nrule = \"new\""])
        #expect(TestRun(asks, unsigned).failures.map(\.text) == [])
    }

    @Test("refuse tests with other shapes")
    func refused() {
        for (lines, error) in [
            ("known = [1]", "takes counterparties as text"),
            ("known = \"@friends\"", "takes counterparties as text"),
            ("known_for = \"1h\"", "needs known"),
            ("known = \"aa\"\nknown_for = \"-1h\"", "needs known"),
            ("known = \"aa\"\nknown_for = \"soon\"", "needs known"),
        ] {
            let found = #expect(throws: PolicyLoadError.self) {
                try Self.cases(Self.rules, ["expect = \"ask\"\n\(lines)"])
            }
            #expect(found?.diagnostics.contains { $0.message.contains(error) } == true)
        }
    }

    @Test("explain names the moment from which a counterparty is known for long enough")
    func later() throws {
        let usage = FakeUsage(firstUses: ["receiver aa": Timestamp(seconds: 400)])
        #expect(
            SmallestChange.find(
                for: Self.payment(), try policy(Self.rules, version: 2), usage: usage)
                == .later(Timestamp(seconds: 86_800)))
        let rule = payRule("unless = { first_use.receiver = { max = \"1d\" } }")
        #expect(
            SmallestChange.find(for: Self.payment(), try policy(rule, version: 2), usage: usage)
                == .later(Timestamp(seconds: 86_801)))
        // A wait does not make a counterparty known.
        #expect(
            SmallestChange.find(
                for: Self.payment(), try policy(Self.rules, version: 2), usage: FakeUsage()) == nil)
    }

    @Test("what the record does not tell stays open")
    func record() throws {
        let policy = try policy(Self.rules, version: 2)
        var replay = PolicyReplay(policy)
        #expect(try replay.verdict(on: Self.payment()) == nil)
        var use = RuleUse(policy)
        try use.add(Self.payment())
        #expect(use.unused.isEmpty)
        let rerun = ReceiptRerun(policy) { _ in 0 }
        #expect(
            try rerun.finding(on: Self.payment(), verdict: "allow", rules: ["pay"])
                == .undetermined(["first_use.receiver"]))
    }
}
