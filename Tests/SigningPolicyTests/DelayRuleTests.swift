// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Delays of rules")
struct DelayRuleTests {
    private static func rule(_ id: String, _ rest: String, effect: String = "allow") -> String {
        SharedBudgetTests.rule(id, rest, effect: effect)
    }

    private static func judge(_ rules: String, _ amounts: Int128...) throws -> Judgement {
        let request = FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: amounts.map { .fake([Fact("amount", .integer($0))]) })
        return try policy(rules, version: 2).judge(
            request.judged(at: 1_000), usage: FakeUsage(counts: ["q#count": 1]))
    }

    @Test("allow after the delay, and say so")
    func said() throws {
        let found = try Self.judge(Self.rule("r", "delay = \"90m\""), 5)
        #expect(found.verdict.name == "allow" && found.delay == 5_400)
        #expect(found.verdict.reasons.map(\.text) == ["the rule \"r\" allows this after 90m"])
        #expect(found.words == "allow after 90m")
    }

    @Test("the shortest of several rules counts, the longest of several operations")
    func several() throws {
        let two =
            Self.rule("a", "delay = \"2h\"")
            + Self.rule("b", "delay = \"1h\"\namount = { max = \"0.000005 ALGO\" }")
        #expect(try Self.judge(two, 5).delay == 3_600)
        #expect(try Self.judge(two, 6).delay == 7_200)
        #expect(try Self.judge(two, 5, 6).delay == 7_200)
        let atOnce = two + Self.rule("z", "amount = { max = \"0.000001 ALGO\" }")
        #expect(try Self.judge(atOnce, 1).delay == 0)
        #expect(try Self.judge(atOnce, 1, 2).delay == 3_600)
    }

    @Test("a faster rule whose limit is used up does not count")
    func limits() throws {
        let rules =
            Self.rule("a", "delay = \"2h\"")
            + Self.rule("q", "delay = \"1h\"\nlimit = [{ count = 1, per = \"1d\" }]")
        #expect(try Self.judge(rules, 5).delay == 7_200)
        let claims = try Self.judge(
            Self.rule("r", "delay = \"1h\"\nlimit = [{ count = 3, per = \"1d\" }]"), 5, 5
        ).claims
        #expect(claims.map(\.amount) == [2])
    }

    @Test("ask and deny rules win over delayed ones")
    func stronger() throws {
        for effect in ["ask", "deny"] {
            let found = try Self.judge(
                Self.rule("a", "delay = \"1h\"") + Self.rule("b", "", effect: effect), 5)
            #expect(found.verdict.name == effect && found.delay == 0)
        }
    }

    @Test("are part of the hash")
    func hashed() throws {
        let texts = ["", "delay = \"1h\"", "delay = \"60m\"", "delay = \"2h\""]
        let hashes = try texts.map { try policy(Self.rule("r", $0), version: 2).hash }
        #expect(Set(hashes).count == 3 && hashes[1] == hashes[2])
    }

    @Test(
        "are refused where they mean nothing",
        arguments: [
            ("allow", "delay = \"0s\""), ("allow", "delay = \"-1h\""), ("allow", "delay = 3600"),
            ("allow", "delay = \"8d\""), ("allow", "delay = \"\""), ("allow", "delay = [\"1h\"]"),
            ("allow", "delay = \"99999999999999999999d\""), ("ask", "delay = \"1h\""),
            ("deny", "delay = \"1h\""),
        ])
    func refused(_ effect: String, _ line: String) {
        #expect(throws: PolicyLoadError.self) {
            try policy(Self.rule("r", line, effect: effect), version: 2)
        }
    }

    @Test("tests of the file state the delay of an allowed request")
    func tests() throws {
        let test = "[[test]]\nname = \"t\"\nrequest = \"r\"\n"
        let rule = Self.rule("r", "delay = \"1h\"")
        let found = try policy(rule + test + "expect = \"allow\"\ndelay = \"1h\"", version: 2)
        #expect(found.document.tests.map(\.delay) == [3_600])
        for wrong in ["expect = \"ask\"\ndelay = \"1h\"", "expect = \"allow\"\ndelay = 1"] {
            #expect(throws: PolicyLoadError.self) { try policy(rule + test + wrong, version: 2) }
        }
    }
}
