// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Tests of policy files")
struct TestRunTests {
    static let rules = payRule(
        "amount = { max = \"5 ALGO\" }\nlimit = [{ count = 2, per = \"1h\" }]\n"
            + "acknowledge = [\"rekey\"]")

    /// Runs a policy with tests, each with its request.
    static func run(_ tests: [(lines: String, request: JudgedRequest)]) throws -> (
        TOMLPolicy, [TestCase]
    ) {
        let blocks = tests.enumerated().map { number, test in
            "[[test]]\nname = \"t\(number)\"\nrequest = \"r\"\n\(test.lines)\n"
        }
        let policy = try policy(rules + blocks.joined())
        let cases = zip(policy.document.tests, tests).map { TestCase($0, $1.request) }
        return (policy, cases)
    }

    @Test("compare verdict and deciding rule, and count repetitions")
    func verdicts() throws {
        let (policy, cases) = try Self.run([
            ("expect = \"allow\"\nrule = \"pay\"", payment(5_000_000)),
            ("expect = \"ask\"", payment(5_000_001)),
            ("expect = \"allow\"\nrepeat = 2", payment(1)),
            ("expect = \"deny\"\nrepeat = 3\nrule = \"pay\"", payment(1)),
            ("expect = \"deny\"", payment(1)),
            ("expect = \"ask\"\nrule = \"pay\"", payment(6_000_000)),
        ])
        let run = TestRun(policy, cases)
        #expect(run.failures.map(\.test.name) == ["t4", "t5"])
        #expect(run.failures.first?.text == "expected deny, got allow by the rule \"pay\"")
        #expect(run.failures.last?.text == "expected the rule \"pay\", decided by the default")
        #expect(run.coveredRules == ["pay"])
    }

    @Test("mutants survive where no test looks, and only there")
    func mutants() throws {
        let (policy, cases) = try Self.run([("expect = \"allow\"", payment(1))])
        let weak = Mutant.survivors(of: policy, cases)
        #expect(weak.count == weak.survivors.count + 2)
        let (same, thorough) = try Self.run([
            ("expect = \"allow\"", payment(5_000_000, dangers: ["rekey"])),
            ("expect = \"ask\"", payment(5_000_001)),
            ("expect = \"allow\"\nrepeat = 2", payment(1)),
            ("expect = \"deny\"\nrepeat = 3", payment(1)),
            (
                "expect = \"ask\"",
                FakeRequest(
                    protocolID: ProtocolID("algorand"), method: "enable", operations: [.fake()],
                    facts: [Fact("amount", .integer(1))]
                ).judged()
            ),
        ])
        let strong = Mutant.survivors(of: same, thorough)
        #expect(strong.survivors.map(\.text) == [])
        #expect(strong.count == weak.count)
    }
}

@Suite("Mutants inside of all, any and unless")
struct NestedMutantTests {
    private static func texts(_ rules: String) throws -> [String] {
        Mutant.all(of: try policy(rules, version: 2).document).map(\.text)
            .filter { $0.contains("all.") || $0.contains("any.") || $0.contains("unless") }
    }

    @Test("leave out a condition, and move a bound so that the rule allows more")
    func changes() throws {
        let batch = payRule("all = { amount = { max = \"5 ALGO\" }, receiver = \"bob\" }")
        #expect(
            try Self.texts(batch) == [
                "rule \"pay\" without all.amount",
                "rule \"pay\" with all.amount at most 5.000001 ALGO",
                "rule \"pay\" without all.receiver",
            ])
        #expect(try Self.texts(payRule("any = { receiver = \"bob\" }")) == [])
        let two =
            "unless = [{ amount = { max = \"5 ALGO\" }, receiver = \"bob\" }, { type = \"axfer\" }]"
        let deny = payRule(two).replacing("\"allow\"", with: "\"deny\"")
        #expect(
            try Self.texts(deny) == [
                "rule \"pay\" without unless 1", "rule \"pay\" without unless 2",
                "rule \"pay\" without unless 1.amount",
                "rule \"pay\" with unless 1.amount at most 5.000001 ALGO",
                "rule \"pay\" without unless 1.receiver",
            ])
        // Without a condition, the exception of an allow rule would hold for more.
        #expect(
            try Self.texts(payRule(two)) == [
                "rule \"pay\" without unless 1", "rule \"pay\" without unless 2",
                "rule \"pay\" with unless 1.amount at most 4.999999 ALGO",
            ])
    }

    @Test("are killed by a test on the condition")
    func killed() throws {
        let rules = payRule("all = { amount = { max = \"5 ALGO\" }, receiver = \"bob\" }")
        let tests = ["allow", "ask", "ask"].enumerated().map { number, verdict in
            "[[test]]\nname = \"t\(number)\"\nrequest = \"r\"\nexpect = \"\(verdict)\"\n"
        }
        let policy = try policy(rules + tests.joined(), version: 2)
        let requests = [payment(5_000_000), payment(5_000_001), payment(1, to: "eve")]
        let cases = zip(policy.document.tests, requests).map { TestCase($0, $1) }
        func surviving(_ cases: [TestCase]) -> [String] {
            Mutant.survivors(of: policy, cases).survivors.map(\.text)
                .filter { $0.contains("all.") }
        }
        #expect(surviving(cases).isEmpty)
        #expect(
            surviving(Array(cases.prefix(2))) == ["rule \"pay\" without all.receiver"])
        #expect(surviving(Array(cases.prefix(1))).count == 3)
    }
}

@Suite("Findings")
struct FindingTests {
    static func codes(_ rules: String) throws -> [String] {
        PolicyFindings.find(in: try policy(rules)).map { "\($0.line) \($0.code)" }
    }

    static let limit = "limit = [{ count = 1, per = \"1h\" }]"

    @Test("name rules whose exception always holds")
    func excepted() throws {
        for (rest, isAlways) in [
            ("receiver = \"bob\"\nunless = { receiver = \"bob\" }", true),
            ("receiver = \"bob\"\nunless = { receiver = [\"bob\", \"eve\"] }", true),
            ("amount = { max = \"5 ALGO\" }\nunless = { amount = { max = \"5 ALGO\" } }", true),
            ("amount = { max = \"5 ALGO\" }\nunless = { amount = { max = \"4 ALGO\" } }", false),
            ("amount = { max = \"5 ALGO\" }\nunless = { amount = { max = \"6 ALGO\" } }", true),
            ("unless = { request.operations = { min = 0 } }", true),
            ("unless = { request.operations = { min = 1 } }", false),
            ("all = { receiver = \"bob\" }\nunless = { receiver = \"bob\" }", true),
            ("receiver = [\"bob\", \"eve\"]\nunless = { receiver = \"bob\" }", false),
            ("unless = { receiver = \"bob\" }", false),
            (
                "receiver = \"bob\"\n"
                    + "unless = { receiver = \"bob\", hours = \"09:00-10:00\", tz = \"UTC\" }",
                false
            ),
            (
                "receiver = \"bob\"\nunless = [{ type = \"axfer\" }, { receiver = \"bob\" }]", true
            ),
        ] {
            let policy = try policy(payRule(rest + "\n" + Self.limit), version: 2)
            let found = PolicyFindings.find(in: policy).filter { $0.code == "P0204" }
            #expect(found.count == (isAlways ? 1 : 0), "\(rest)")
            #expect(
                found.allSatisfy {
                    $0.message.hasSuffix("unless holds for all requests that it matches")
                })
        }
    }

    @Test("name rules that can never match")
    func never() throws {
        #expect(
            try Self.codes(payRule("asset = { in = [1], min = 5 }\n" + Self.limit)) == ["3 P0204"])
        #expect(try Self.codes(payRule("request.operations = -1\n" + Self.limit)) == ["3 P0204"])
        #expect(
            try Self.codes(payRule("receiver = { in = [\"a\"], not_in = [\"a\"] }\n" + Self.limit))
                == ["3 P0204"])
        for (rest, isNever) in [
            ("all = { protocol = \"near\" }", true), ("any = { protocol = \"near\" }", true),
            ("type = \"pay\"\nall = { type = \"axfer\" }", true),
            ("type = \"pay\"\nall = { type = [\"axfer\", \"pay\"] }", false),
            ("type = \"pay\"\nany = { type = \"axfer\" }", false),
            ("receiver = \"@own\"\nall = { receiver = \"a\" }", false),
        ] {
            let codes = try PolicyFindings.find(
                in: policy(payRule("\(rest)\n\(Self.limit)"), version: 2)
            ).map(\.code)
            #expect(codes == (isNever ? ["P0204"] : []), "\(rest)")
        }
        #expect(try Self.codes(payRule("receiver = { regex = \"a+\" }\n" + Self.limit)).isEmpty)
        #expect(try Self.codes(payRule("receiver = \"@own\"\n" + Self.limit)).isEmpty)
        #expect(try Self.codes(payRule("receiver = { glob = \"a*b?\" }\n" + Self.limit)).isEmpty)
    }

    @Test("name allow rules that a deny rule always overrules")
    func shadowed() throws {
        func deny(_ rest: String) -> String {
            "[[rule]]\nid = \"no\"\neffect = \"deny\"\nprotocol = \"algorand\"\n\(rest)\n"
        }
        let allow = payRule("amount = { max = \"5 ALGO\" }\n" + Self.limit)
        #expect(try Self.codes(allow + deny("")) == ["3 P0205"])
        #expect(try Self.codes(allow + deny("amount = { max = \"6 ALGO\" }")) == ["3 P0205"])
        #expect(try Self.codes(allow + deny("amount = { max = \"4 ALGO\" }")).isEmpty)
        #expect(try Self.codes(allow + deny("receiver = \"bob\"")).isEmpty)
        #expect(try Self.codes(allow + deny("unless = { key = \"alice\" }")).isEmpty)
        #expect(try Self.codes(allow + deny("days = [\"mon\"]\ntz = \"UTC\"")).isEmpty)
    }

    @Test("name allow rules without a limit, once")
    func unlimited() throws {
        #expect(try Self.codes(payRule("key = \"alice\"")) == ["3 P0206"])
        #expect(try Self.codes(payRule("")).isEmpty)
    }
}
