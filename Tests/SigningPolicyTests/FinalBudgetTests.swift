// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

/// Each test is an attack that once took more from a final budget than it has.
@Suite("Final budgets")
struct FinalBudgetTests {
    typealias Shared = SharedBudgetTests

    private static let month = Shared.budget(
        "month", "{ amount = \"100 ALGO\", of = \"amount\", per = \"30d\" }", "final = true")
    private static func hour(_ rest: String = "") -> String {
        Shared.budget("hour", "{ amount = \"5 ALGO\", of = \"amount\", per = \"1h\" }", rest)
    }
    private static let hourUsed: [String: Int128] = ["hour#sum(amount)": 4_000_000]
    private static let almost: [String: Int128] = ["month#sum(amount)": 97_000_000]
    private static let draws = "budget = \"month\""

    /// The amounts that a request takes, by the names of budgets.
    private static func taken(_ judgement: Judgement) -> [String: Int128] {
        Dictionary(
            judgement.claims.map { (String($0.counter.prefix { $0 != "#" }), $0.amount) }
        ) { first, _ in first }
    }

    @Test(
        "count what people approve where another budget of the rule has no room",
        arguments: ["allow", "ask"])
    func besideAnother(effect: String) throws {
        let rule = Shared.rule("pay", "budget = [\"hour\", \"month\"]", effect: effect)
        let text = Self.hour("escalate = true") + Self.month + rule
        let over = try Shared.judge(text, Shared.payments(2_000_000), Self.hourUsed)
        #expect(over.verdict.name == "ask")
        #expect(Self.taken(over) == ["month": 2_000_000])
        // A budget that has room counts beside a final one.
        let within = try Shared.judge(text, Shared.payments(1_000_000), Self.hourUsed)
        #expect(within.verdict.name == effect)
        #expect(Self.taken(within) == ["hour": 1_000_000, "month": 1_000_000])
        let full = try Shared.judge(
            text, Shared.payments(3_000_001), Self.hourUsed.merging(Self.almost) { $1 })
        #expect(full.verdict.name == "deny")
        #expect(full.claims.isEmpty)
    }

    @Test("count what the default asks about because another budget is used up")
    func undecided() throws {
        let text =
            Self.hour() + Self.month + Shared.rule("pay", "budget = [\"hour\", \"month\"]")
        let asked = try Shared.judge(text, Shared.payments(2_000_000), Self.hourUsed)
        #expect(asked.verdict.name == "ask")
        // The question names the rule, so no remembered answer covers it.
        #expect(asked.undecided.isEmpty)
        #expect(Self.taken(asked) == ["month": 2_000_000])
        let full = try Shared.judge(
            text, Shared.payments(3_000_001), Self.hourUsed.merging(Self.almost) { $1 })
        #expect(full.verdict.name == "deny")
    }

    @Test("count every operation of a batch, whichever rule covers or asks about it")
    func batches() throws {
        let text =
            Self.month + Shared.rule("friend", "receiver = \"r1\"\n\(Self.draws)")
            + Shared.rule("other", "receiver = \"r2\"\n\(Self.draws)", effect: "ask")
        let both = try Shared.judge(text, Shared.payments(1_000_001, 2_000_002))
        #expect(both.verdict.name == "ask")
        #expect(Self.taken(both) == ["month": 3_000_003])
        #expect(
            both.budgets == [
                "month: this uses 3.000003 ALGO of the 100 ALGO left (100 ALGO per 30d)"
            ])
        // Each would fit alone, in either order.
        for amounts in [[1_000_001, 2_000_002], [2_000_002, 1_000_001]] as [[Int128]] {
            let request = Shared.payments(amounts[0], amounts[1])
            let full = try Shared.judge(text, request, ["month#sum(amount)": 97_000_000])
            #expect(full.verdict.name == "deny")
        }
        // The question of another operation does not carry an operation past the budget.
        let carried =
            Self.month + Shared.rule("friend", "receiver = \"r1\"\n\(Self.draws)")
            + Shared.rule("ask", "receiver = \"r2\"", effect: "ask")
        let asked = try Shared.judge(carried, Shared.payments(2_000_001, 5_000_002), Self.almost)
        #expect(asked.verdict.name == "ask")
        #expect(Self.taken(asked) == ["month": 2_000_001])
        let full = try Shared.judge(carried, Shared.payments(3_000_001, 5_000_002), Self.almost)
        #expect(full.verdict.name == "deny")
    }

    @Test("count what a rule with an earlier id allows without them")
    func earlierRule() throws {
        let text = Self.month + Shared.rule("a", "") + Shared.rule("b", Self.draws)
        let allowed = try Shared.judge(text, Shared.payments(2_000_000))
        #expect(allowed.verdict.name == "allow")
        #expect(Self.taken(allowed) == ["month": 2_000_000])
        let full = try Shared.judge(text, Shared.payments(3_000_001), Self.almost)
        #expect(full.verdict.reasons.map(\.text) == ["the budget \"month\" is used up"])
        #expect(full.verdict.name == "deny")
    }

    @Test("count what a person approves in spite of a danger that the rule does not acknowledge")
    func flagged() throws {
        let text = Self.month + Shared.rule("pay", Self.draws)
        let request = FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: [.fake([Fact("amount", .integer(3_000_001))], dangers: ["rekey"])])
        let asked = try Shared.judge(text, request)
        #expect(asked.verdict.name == "ask")
        #expect(asked.undecided == [0])
        #expect(Self.taken(asked) == ["month": 3_000_001])
        let policy = try policy(text, version: 2)
        let explanation = try policy.explain(
            request.judged(), usage: FakeUsage(counts: Self.almost))
        #expect(explanation.judgement.verdict.name == "deny")
        #expect(explanation.text.contains("97 ALGO of 100 ALGO used per 30d, 3.000001 ALGO asked"))
    }

    @Test("count an operation once, however many rules draw on them")
    func once() throws {
        let text =
            Self.month + Shared.rule("a", Self.draws) + Shared.rule("b", Self.draws)
            + Shared.rule("c", Self.draws, effect: "ask")
        #expect(Self.taken(try Shared.judge(text, Shared.payments(7))) == ["month": 7])
        let full = try Shared.judge(text, Shared.payments(3_000_001), Self.almost)
        #expect(full.verdict.reasons.count == 1)
    }

    @Test("count nothing of requests that their rules do not match or cannot measure")
    func others() throws {
        let text =
            Self.month + Shared.rule("pay", "receiver = \"r1\"\n\(Self.draws)")
            + Shared.rule("free", "")
        let other = try Shared.judge(text, Shared.payments(2), ["month#sum(amount)": 100_000_000])
        #expect(other.verdict.name == "allow")
        #expect(other.claims.isEmpty)
        let unmeasured = FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: [.fake([Fact("receiver", .text("r1"))])])
        #expect(try Shared.judge(text, unmeasured).verdict.name == "allow")
        // An expired rule draws on nothing.
        let expired =
            Self.month + Shared.rule("pay", "\(Self.draws)\nexpires = 1970-01-01T00:00:01Z")
        let asked = try Shared.judge(expired, Shared.payments(2), ["month#sum(amount)": .max])
        #expect(asked.verdict.name == "ask")
        #expect(asked.claims.isEmpty)
    }

    @Test("and others say which amount is not known, and never that they are used up")
    func unknownAmount() throws {
        let request = FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions", operations: [.fake()])
        let words = "the budget \"month\" cannot count this: \"amount\" is not known"
        let denied = try Shared.judge(
            Self.month + Shared.rule("pay", Self.draws, effect: "ask"), request)
        #expect(denied.verdict == .deny([Reason(.limitExceeded, words, rule: "pay")]))
        let asked = try Shared.judge(
            Self.hour() + Shared.rule("pay", "budget = \"hour\"", effect: "ask"), request)
        #expect(asked.verdict.name == "ask")
        #expect(asked.budgets == [words.replacing("month", with: "hour")])
        #expect(asked.claims.isEmpty)
    }

    @Test("are explained for each operation, with what the operations before it use")
    func explained() throws {
        let policy = try policy(Self.month + Shared.rule("pay", Self.draws), version: 2)
        let text = try policy.explain(
            Shared.payments(2_000_000, 1_500_000).judged(), usage: FakeUsage(counts: Self.almost)
        ).text
        #expect(
            text.hasPrefix(
                """
                verdict: deny
                  because the budget "month" is used up
                operation 1:
                  pay (allow, policy.toml:6): matches
                    budget month: 97 ALGO of 100 ALGO used per 30d, 2 ALGO asked, 3 ALGO left
                operation 2:
                  pay (allow, policy.toml:6): matches, but a limit has no room
                    budget month: 97 ALGO of 100 ALGO used per 30d, 2 ALGO by operations before, \
                1.5 ALGO asked, 1 ALGO left
                """), "\(text)")
    }
}

@Suite("Budgets and people")
struct AskedBudgetTests {
    typealias Shared = SharedBudgetTests

    @Test("a yes draws on each budget of an ask rule that has room")
    func partly() throws {
        let text =
            Shared.budget("hour", "{ count = 1, per = \"1h\" }")
            + Shared.budget("day", "{ count = 9, per = \"1d\" }")
            + Shared.rule("pay", "budget = [\"day\", \"hour\"]", effect: "ask")
        let judgement = try Shared.judge(
            text, Shared.payments(1), ["hour#count": 1, "day#count": 2])
        #expect(judgement.claims.map(\.counter) == ["day#count"])
        #expect(
            judgement.budgets == [
                "day: this uses 1 of the 7 left (9 per 1d)",
                "hour: 1 is above the 0 left (1 per 1h), and not counted",
            ])
    }

    @Test("in a batch, one operation's allow rule is charged beside another's ask rule")
    func batch() throws {
        let daily = Shared.budget("daily", Shared.daily)
        let text =
            daily + Shared.rule("a", "receiver = \"r1\"\n\(Shared.draws)")
            + Shared.rule("b", "receiver = \"r2\"\n\(Shared.draws)", effect: "ask")
        let both = try Shared.judge(text, Shared.payments(5_000_001, 7_000_002))
        #expect(both.verdict.name == "ask")
        #expect(both.claims.map(\.amount) == [12_000_003])
        // The rule has no room beside what a person is asked about.
        let over = try Shared.judge(text, Shared.payments(15_000_002, 7_000_001))
        #expect(over.claims.map(\.amount) == [15_000_002])
        #expect(over.verdict.name == "ask")
        #expect(over.undecided.isEmpty)
    }

    @Test("a person who is asked about an operation does not use up another rule's own limits")
    func ownLimits() throws {
        let text =
            Shared.rule("a", "limit = [{ uses = 9 }]") + Shared.rule("b", "", effect: "ask")
        #expect(try Shared.judge(text, Shared.payments(1)).claims.isEmpty)
        let batch = text.replacing("effect = \"ask\"", with: "effect = \"ask\"\nreceiver = \"r2\"")
        #expect(try Shared.judge(batch, Shared.payments(1, 2)).claims.map(\.amount) == [1])
    }
}
