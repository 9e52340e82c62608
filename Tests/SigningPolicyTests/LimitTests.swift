// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Limits")
struct LimitTests {
    static func rule(_ id: String, _ limits: String, _ rest: String = "") -> String {
        "[[rule]]\nid = \"\(id)\"\neffect = \"allow\"\nprotocol = \"nostr\"\n"
            + "limit = [\(limits)]\n\(rest)\n"
    }

    static func batch(_ kinds: Int128...) -> JudgedRequest {
        FakeRequest(operations: kinds.map { .fake([Fact("kind", .integer($0))]) }).judged()
    }

    static func claim(
        _ counter: String, _ maximum: Int128, _ amount: Int128, per seconds: Int64 = 3_600
    ) -> LimitClaim {
        LimitClaim(
            counter: counter, window: .sliding(seconds: seconds), maximum: maximum, amount: amount)
    }

    @Test("allow as long as the claim fits")
    func room() throws {
        let rules = Self.rule("r", "{ count = 3, per = \"1h\" }, { count = 9, per = \"2d\" }")
        let policy = try policy(rules)
        let table: [(used: [Int128], operations: Int, verdict: String)] = [
            ([0, 0], 1, "allow"), ([2, 0], 1, "allow"), ([3, 0], 1, "deny"),
            ([0, 8], 1, "allow"), ([0, 9], 1, "deny"), ([0, 0], 3, "allow"),
            ([0, 0], 4, "deny"), ([1, 0], 3, "deny"), ([.max, 0], 1, "deny"),
        ]
        for row in table {
            let usage = FakeUsage(counts: [
                "r#count/3600": row.used[0], "r#count/172800": row.used[1],
            ])
            let operations = (0..<row.operations).map { _ in RequestedOperation.fake() }
            let judgement = try policy.judge(
                FakeRequest(operations: operations).judged(), usage: usage)
            #expect(judgement.verdict.name == row.verdict, "\(row)")
            let amount = Int128(row.operations)
            let claims = [
                Self.claim("r#count", 3, amount), Self.claim("r#count", 9, amount, per: 172_800),
            ]
            #expect(judgement.claims == (row.verdict == "allow" ? claims : []), "\(row)")
            if row.verdict == "deny" {
                #expect(judgement.verdict.reasons.map(\.code) == [.limitExceeded])
                #expect(judgement.verdict.reasons.map(\.rule) == ["r"])
            }
        }
    }

    /// 1 December 2025 was a Monday: the day, the week and the month begin at one moment.
    @Test("count an operation once, also where windows begin together")
    func sameWindow() throws {
        let per = ["day", "week", "month"].map { "per = \"\($0)\", tz = \"UTC\"" }
        let policy = try policy(
            Self.rule(
                "r",
                "{ count = 16, \(per[0]) }, { count = 40, \(per[1]) }, { count = 9, \(per[2]) }"))
        let start = Timestamp(seconds: 1_764_547_200)
        let request = FakeRequest(operations: [.fake(), .fake()]).judged(
            at: start.seconds + 3_600)
        let judgement = try policy.judge(request, usage: FakeUsage(counts: ["r#count": 7]))
        #expect(judgement.verdict.name == "allow")
        let claim = LimitClaim(counter: "r#count", window: .since(start), maximum: 9, amount: 2)
        #expect(judgement.claims == [claim])
        let full = try policy.judge(request, usage: FakeUsage(counts: ["r#count": 8]))
        #expect(full.verdict.name == "deny")
    }

    @Test("turn into on_exceed where there is no room", arguments: ["ask", "deny"])
    func onExceed(_ effect: String) throws {
        let rules = Self.rule("r", "{ count = 1, per = \"1h\" }", "on_exceed = \"\(effect)\"")
        let policy = try policy(rules, fallback: effect == "ask" ? "deny" : "ask")
        #expect(try policy.verdict(FakeRequest(), ["r#count": 1]) == effect)
        #expect(try policy.verdict(FakeRequest()) == "allow")
    }

    @Test("of several rules: the first by id with room is charged, else the mildest answers")
    func choice() throws {
        let hourly = "{ count = 1, per = \"1h\" }"
        let rules =
            Self.rule("b", hourly, "on_exceed = \"ask\"") + Self.rule("a", hourly)
            + Self.rule("c", hourly)
        let policy = try policy(rules)
        let table: [(counts: [String: Int128], verdict: String, charged: [String])] = [
            ([:], "allow", ["a#count"]), (["a#count": 1], "allow", ["b#count"]),
            (["a#count": 1, "b#count": 1], "allow", ["c#count"]),
            (["a#count": 1, "b#count": 1, "c#count": 1], "ask", []),
        ]
        for row in table {
            let judgement = try policy.judge(Self.batch(1), usage: FakeUsage(counts: row.counts))
            #expect(judgement.verdict.name == row.verdict, "\(row)")
            #expect(judgement.claims.map(\.counter) == row.charged, "\(row)")
        }
        let three = try policy.judge(Self.batch(1, 1, 1), usage: FakeUsage())
        #expect(three.verdict.name == "allow")
        #expect(three.claims == ["a#count", "b#count", "c#count"].map { Self.claim($0, 1, 1) })
        let four = try policy.judge(Self.batch(1, 1, 1, 1), usage: FakeUsage())
        #expect(four.verdict.reasons.map(\.rule) == ["b"])
        #expect(four.verdict.name == "ask")
    }

    @Test("count per rule in a batch covered by different rules")
    func batch() throws {
        let policy = try policy(
            Self.rule("ones", "{ count = 2, per = \"1h\" }", "kind = 1")
                + Self.rule("twos", "{ count = 1, per = \"1h\" }", "kind = 2")
                + "[[rule]]\nid = \"threes\"\neffect = \"allow\"\nprotocol = \"nostr\"\nkind = 3\n")
        let judgement = try policy.judge(Self.batch(2, 1, 3, 1), usage: FakeUsage())
        #expect(judgement.verdict.name == "allow")
        #expect(
            judgement.claims == [Self.claim("twos#count", 1, 1), Self.claim("ones#count", 2, 2)])
        #expect(judgement.verdict.reasons.compactMap(\.rule) == ["twos", "ones", "threes"])
        #expect(try policy.judge(Self.batch(2, 2), usage: FakeUsage()).verdict.name == "deny")
    }

    @Test("are not softened by an ask rule and not charged where a person decides")
    func askRules() throws {
        let ask = "[[rule]]\nid = \"ask\"\neffect = \"ask\"\nprotocol = \"nostr\"\n"
        let policy = try policy(ask + Self.rule("r", "{ count = 1, per = \"1h\" }"))
        #expect(try policy.judge(Self.batch(1), usage: FakeUsage()).claims == [])
        #expect(try policy.verdict(FakeRequest()) == "ask")
        #expect(try policy.verdict(FakeRequest(), ["r#count": 1]) == "deny")
    }

    @Test("that cannot be read stop the judging, unless a rule denies anyway")
    func brokenUsage() throws {
        let limited = Self.rule("r", "{ count = 1, per = \"1h\" }")
        let policy = try policy(limited)
        #expect(throws: LedgerError.unavailable("no disk")) {
            try policy.judge(Self.batch(1), usage: BrokenUsage())
        }
        let deny = "[[rule]]\nid = \"no\"\neffect = \"deny\"\nprotocol = \"nostr\"\n"
        let denying = try PolicyReference.policy(deny + limited)
        #expect(try denying.judge(Self.batch(1), usage: BrokenUsage()).verdict.name == "deny")
    }
}
