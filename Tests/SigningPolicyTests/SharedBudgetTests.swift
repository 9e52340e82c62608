// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Budgets that rules share")
struct SharedBudgetTests {
    static func rule(
        _ id: String, _ rest: String, protocolName: String = "algorand", effect: String = "allow"
    ) -> String {
        "[[rule]]\nid = \"\(id)\"\neffect = \"\(effect)\"\n"
            + "protocol = \"\(protocolName)\"\n\(rest)\n"
    }

    static func budget(_ name: String, _ limits: String, _ rest: String = "") -> String {
        "[budget.\(name)]\nlimit = [\(limits)]\n\(rest)\n"
    }

    static let daily = "{ amount = \"20 ALGO\", of = \"amount\", per = \"1d\" }"
    static let used: [String: Int128] = ["daily#sum(amount)": 18_000_000]
    static let draws = "budget = \"daily\""

    static func judge(
        _ text: String, _ request: FakeRequest, _ counts: [String: Int128] = [:],
        fallback: String = "ask"
    ) throws -> Judgement {
        try policy(text, fallback: fallback, version: 2)
            .judge(request.judged(), usage: FakeUsage(counts: counts))
    }

    static func payments(_ amounts: Int128...) -> FakeRequest {
        FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: amounts.map {
                .fake([Fact("amount", .integer($0)), Fact("receiver", .text("r\($0 % 10)"))])
            })
    }

    @Test("have one counter, named after the budget, whichever rule is charged")
    func shared() throws {
        let text =
            Self.budget("daily", Self.daily) + Self.rule("a", "receiver = \"r1\"\n\(Self.draws)")
            + Self.rule("b", "receiver = \"r2\"\n\(Self.draws)")
        let judgement = try Self.judge(text, Self.payments(5_000_001, 7_000_002))
        #expect(judgement.verdict.name == "allow")
        let window = LimitWindow.sliding(seconds: 86_400)
        #expect(
            judgement.claims == [
                LimitClaim(
                    counter: "daily#sum(amount)", window: window, maximum: 20_000_000,
                    amount: 12_000_003)
            ])
        // Each payment would fit alone.
        #expect(try Self.judge(text, Self.payments(12_000_001, 8_000_002)).verdict.name == "ask")
        let renamed = try Self.judge(
            text.replacing("id = \"a\"", with: "id = \"z\""), Self.payments(2_000_001), Self.used)
        #expect(renamed.verdict.reasons.map(\.code) == [.limitExceeded])
        #expect(try Self.judge(text, Self.payments(1_000_001), Self.used).verdict.name == "allow")
    }

    @Test("apply together with a rule's own limits and with each other")
    func several() throws {
        let text =
            Self.budget("daily", Self.daily) + Self.budget("calls", "{ count = 3, per = \"1h\" }")
            + Self.rule("a", "budget = [\"daily\", \"calls\"]\nlimit = [{ uses = 2 }]")
            + Self.rule("n", "budget = \"calls\"", protocolName: "nostr")
        let claims = try Self.judge(text, Self.payments(1)).claims
        #expect(claims.map(\.counter) == ["a#count", "calls#count", "daily#sum(amount)"])
        let cases: [(counts: [String: Int128], verdict: String)] = [
            (["a#count": 2], "ask"), (["calls#count": 3], "ask"),
            (["daily#sum(amount)": 20_000_000], "ask"),
            (["a#count": 1, "calls#count": 2, "daily#sum(amount)": 19_999_999], "allow"),
        ]
        for (counts, verdict) in cases {
            #expect(try Self.judge(text, Self.payments(1), counts).verdict.name == verdict)
        }
        let nostr = FakeRequest(operations: [.fake()])
        #expect(try Self.judge(text, nostr, ["calls#count": 2]).verdict.name == "allow")
        #expect(try Self.judge(text, nostr, ["calls#count": 3]).verdict.name == "ask")
    }

    @Test("final ones deny, also where another rule allows or asks")
    func final() throws {
        let other =
            Self.rule("b", "limit = [{ uses = 9 }]") + Self.rule("c", "", effect: "ask")
        let rules = Self.rule("a", Self.draws)
        for (rest, more, verdict) in [
            ("", "", "ask"), ("", Self.rule("b", "limit = [{ uses = 9 }]"), "allow"),
            ("final = true", "", "deny"), ("final = true", other, "deny"),
            ("final = false", "", "ask"),
        ] {
            let text = Self.budget("daily", Self.daily, rest) + rules + more
            let judgement = try Self.judge(text, Self.payments(2_000_001), Self.used)
            #expect(judgement.verdict.name == verdict, "\(rest)\(more)")
            guard verdict == "deny" else { continue }
            #expect(
                judgement.verdict.reasons == [
                    Reason(.limitExceeded, "the budget \"daily\" is used up", rule: "a")
                ])
        }
        let within = Self.budget("daily", Self.daily, "final = true") + rules
        #expect(try Self.judge(within, Self.payments(2_000_000), Self.used).verdict.name == "allow")
    }

    @Test("that escalate ask people, unless another rule has room")
    func escalate() throws {
        let key = String(repeating: "ab", count: 32)
        let people = "[approvers]\nbob = \"ed25519:\(key)\"\n"
        let rules = Self.rule("a", Self.draws)
        let plain = Self.budget("daily", Self.daily, "escalate = true") + rules
        let asked = try Self.judge(plain, Self.payments(2_000_001), Self.used, fallback: "deny")
        #expect(asked.verdict.name == "ask")
        #expect(asked.verdict.reasons.map(\.rule) == ["a"])
        // A remembered answer does not replace the person's.
        #expect(asked.undecided.isEmpty)
        let room = plain + Self.rule("b", "limit = [{ uses = 9 }]")
        #expect(try Self.judge(room, Self.payments(2_000_001), Self.used).verdict.name == "allow")
        let demanding =
            people
            + Self.budget(
                "daily", Self.daily, "escalate = { approvers = { min = 1, of = \"bob\" } }") + rules
        let judgement = try Self.judge(demanding, Self.payments(2_000_001), Self.used)
        #expect(judgement.demands.map(\.rule) == ["budget daily"])
        #expect(judgement.demands.map(\.text) == ["1 of bob"])
        #expect(try policy(demanding, version: 2).demands == judgement.demands)
        #expect(try Self.judge(demanding, Self.payments(1)).demands.isEmpty)
    }

    @Test("of ask rules are charged if a person agrees")
    func asking() throws {
        let allowing = Self.rule("b", "limit = [{ uses = 9 }]")
        func text(_ rest: String) -> String {
            Self.budget("daily", Self.daily, rest) + Self.rule("a", Self.draws, effect: "ask")
                + allowing
        }
        let asked = try Self.judge(text(""), Self.payments(2_000_000), Self.used)
        #expect(asked.verdict.name == "ask")
        #expect(asked.claims.map(\.counter) == ["daily#sum(amount)"])
        #expect(asked.claims.map(\.amount) == [2_000_000])
        #expect(
            asked.budgets == ["daily: this uses 2 ALGO of the 2 ALGO left (20 ALGO per 1d)"])
        // A used-up budget makes the rule as strict as the default, and never milder.
        for (rest, fallback, verdict) in [
            ("", "ask", "ask"), ("", "deny", "deny"), ("final = true", "ask", "deny"),
            ("escalate = true", "deny", "ask"),
        ] {
            let judgement = try Self.judge(
                text(rest), Self.payments(2_000_001), Self.used, fallback: fallback)
            #expect(judgement.verdict.name == verdict, "\(rest) \(fallback)")
            #expect(judgement.claims.isEmpty)
        }
        // A budget that cannot count a request has no room for it.
        let unknown = FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: [.fake()])
        #expect(try Self.judge(text(""), unknown).verdict.name == "ask")
        #expect(try Self.judge(text(""), unknown).claims.map(\.counter) == [])
        #expect(try Self.judge(text("final = true"), unknown).verdict.name == "deny")
    }

    @Test("in a common unit add up assets at fixed rates, rounded up")
    func unit() throws {
        let dollars = "{ amount = \"50 USD\", of = \"outflow\", per = \"1d\" }"
        func rates(_ near: String) -> String {
            "unit = \"USD\"\nrate = { NEAR = \"\(near)\", ALGO = \"0.18\" }"
        }
        func claim(_ name: String, _ amount: Int128, near: String = "2.5") throws -> LimitClaim? {
            let text =
                Self.budget("all", dollars, rates(near))
                + Self.rule("r", "budget = \"all\"").replacing(
                    "\"algorand\"", with: "[\"algorand\", \"near\"]")
            let unit = AmountUnit(
                symbol: name == "near" ? "NEAR" : "ALGO", decimals: name == "near" ? 24 : 6,
                smallest: name == "near" ? "yoctoNEAR" : "microAlgo")
            let coin = Asset(id: name, network: name, name: name, unit: unit)
            let request = FakeRequest(
                protocolID: ProtocolID(name),
                method: name == "near" ? "sign_message" : "sign_transactions",
                operations: [
                    RequestedOperation(
                        account: .named("alice"), operation: .publicKey, facts: [], effects: [],
                        dangers: [], outflows: [Outflow(coin, amount)])
                ])
            return try Self.judge(text, request).claims.first
        }
        let near: Int128 = 1_000_000_000_000_000_000_000_000
        #expect(try claim("near", 20 * near)?.amount == 50_000_000_000)
        #expect(try claim("near", 20 * near)?.maximum == 50_000_000_000)
        #expect(try claim("near", 20 * near)?.counter == "all#sum(outflow in USD)")
        #expect(try claim("near", 20 * near + 1) == nil)
        #expect(try claim("near", 1)?.amount == 1)
        #expect(try claim("near", 0)?.amount == 0)
        #expect(try claim("algorand", 1)?.amount == 180)
        #expect(try claim("algorand", 277_777_777)?.amount == 49_999_999_860)
        #expect(try claim("algorand", 277_777_778) == nil)
        #expect(try claim("near", .max) == nil)
        let tiny = "0.00000000000000001"
        #expect(try claim("near", .max - 1, near: tiny)?.amount == 1_701_412)
        #expect(try claim("near", near, near: tiny)?.amount == 1)
        #expect(try claim("near", 7, near: "999999999999999999")?.amount == 7_000)
    }

    @Test("are part of the hash, of rules as they are compared, and of explanations")
    func canonical() throws {
        let text = Self.budget("daily", Self.daily) + Self.rule("a", Self.draws)
        let first = try policy(text, version: 2)
        let other = try policy(text.replacing("20 ALGO", with: "21 ALGO"), version: 2)
        #expect(first.hash != other.hash)
        #expect(first.document.rules[0].canonicalText != other.document.rules[0].canonicalText)
        #expect(
            first.document.canonicalJSON.hasPrefix(
                #"{"budgets":{"daily":{"limits":[{"maximum":"20000000","of":"amount","#
                    + #""per":"86400"}]}},"default":"ask","rules":[{"acknowledge":[],"#
                    + #""budgets":["daily"],"#))
        let explanation = try first.explain(
            Self.payments(3_000_000).judged(),
            usage: FakeUsage(counts: ["daily#sum(amount)": 12_000_000]))
        #expect(explanation.rules.flatMap(\.limits).map(\.budget) == ["daily"])
        #expect(
            explanation.text.contains(
                "  budget daily: 12 ALGO of 20 ALGO used per 1d, 3 ALGO asked, 8 ALGO left\n"))
    }
}
