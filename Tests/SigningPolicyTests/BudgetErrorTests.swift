// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Budgets that are refused")
struct BudgetErrorTests {
    private static func messages(_ text: String, version: Int = 2) -> [String] {
        do throws(PolicyLoadError) {
            _ = try policy(text, version: version)
            return []
        } catch {
            return error.diagnostics.filter { $0.severity == .error }.map(\.message)
        }
    }

    private static let daily = SharedBudgetTests.budget("daily", SharedBudgetTests.daily)
    private static let rule = SharedBudgetTests.rule("a", SharedBudgetTests.draws)

    private static func rates(_ rate: String) -> String {
        SharedBudgetTests.budget(
            "daily", "{ amount = \"5 USD\", of = \"outflow\", per = \"1d\" }",
            "unit = \"USD\"\nrate = { \(rate) }") + rule
    }

    struct Row: Sendable {
        let text: String
        let message: String

        init(_ text: String, _ message: String) {
            self.text = text
            self.message = message
        }
    }

    /// Rules that draw on a budget.
    private static let drawing: [Row] = [
        Row(rule, "unknown budget \"daily\""),
        Row(daily + drawer("\"dayly\""), "unknown budget \"dayly\""),
        Row(daily + drawer("5"), "budget takes names as text"),
        Row(daily + drawer("[]"), "budget takes 1 to 8 names"),
        Row(daily + drawer("[\"daily\", \"daily\"]"), "the rule names \"daily\" twice"),
        Row(
            daily + SharedBudgetTests.rule("a", SharedBudgetTests.draws, effect: "deny"),
            "\"budget\" is for rules that allow or ask"),
        Row(
            daily
                + SharedBudgetTests.rule(
                    "daily", "limit = [{ uses = 1 }]\n\(SharedBudgetTests.draws)"),
            "a budget has the name of the rule \"daily\""),
        Row(
            daily + SharedBudgetTests.rule("a", SharedBudgetTests.draws, protocolName: "nostr"),
            "the budget \"daily\" counts \"amount\" in ALGO, which requests of nostr do not "),
        Row(
            daily + "[[rule]]\nid = \"a\"\neffect = \"allow\"\nbudget = \"daily\"\n",
            "the budget \"daily\" counts \"amount\": add the protocol of the rule"),
        Row(
            budget("{ count = 1, per = \"1h\", by = [\"size\"] }") + drawer("\"d\""),
            "the budget \"d\" bounds nothing here"),
    ]

    /// Budgets themselves.
    private static let tables: [Row] = [
        Row("[budget.daily]\nbudget = \"daily\"\n", "a budget cannot draw on a budget"),
        Row("[budget.daily]\nfinal = true\n", "the budget \"daily\" has no limit"),
        Row("[budget]\ndaily = 5\n", "budgets are written as [budget.NAME]"),
        Row("[[budget]]\nlimit = 5\n", "budgets are written as [budget.NAME]"),
        Row(
            SharedBudgetTests.budget("\"Da ily\"", "{ uses = 1 }"),
            "the budget name \"Da ily\" is invalid"),
        Row(budget("{ uses = 1 }", "spent = 1"), "unknown key \"spent\""),
        Row(budget("{ uses = 1 }", "tz = \"UTC\""), "tz needs a calendar limit"),
        Row(
            budget("{ uses = 1 }", "final = true\nescalate = true"),
            "a final budget does not escalate"),
        Row(budget("{ uses = 1 }", "final = 1"), "final takes true or false"),
        Row(budget("{ uses = 1 }", "escalate = 1"), "escalate is true, or"),
        Row(
            budget("{ amount = 5, of = \"nothing\", per = \"1d\" }"),
            "no protocol has an amount \"nothing\""),
        Row(
            budget("{ amount = \"5 DOGE\", of = \"amount\", per = \"1d\" }"),
            "\"amount\" is written in ALGO"),
        Row(
            budget("{ amount = \"0 ALGO\", of = \"amount\", per = \"1d\" }"),
            "the amount must be above 0"),
    ]

    /// Common units and rates.
    private static let units: [Row] = [
        Row(rates("DOGE = \"1\""), "unknown asset \"DOGE\"; known are ALGO, NEAR"),
        Row(rates("ALGO = \"0\""), "a rate is a decimal above 0"),
        Row(rates("ALGO = \"0.00\""), "a rate is a decimal above 0"),
        Row(rates("ALGO = \"-1\""), "a rate is a decimal above 0"),
        Row(rates("ALGO = \"1e3\""), "a rate is a decimal above 0"),
        Row(rates("ALGO = \"1.\""), "a rate is a decimal above 0"),
        Row(rates("ALGO = 2"), "a rate is a decimal above 0"),
        Row(
            rates("ALGO = \"\(String(repeating: "1", count: 40))\""),
            "a rate is a decimal above 0 with at most 18 digits"),
        Row(rates(""), "rate takes a table"),
        Row(
            rates("ALGO = \"1\"").replacing("\"5 USD\"", with: "\"-5 USD\""),
            "\"outflow\" takes an amount such as \"5 USD\""),
        Row(budget("{ uses = 1 }", "unit = \"USD\""), "unit and rate belong together"),
        Row(
            budget("{ uses = 1 }", "unit = \"USD\"\nrate = { ALGO = \"1\" }"),
            "no limit of the budget is in USD"),
        Row(
            budget("{ uses = 1 }", "unit = \"us dollar\"\nrate = { ALGO = \"1\" }"),
            "unit is 1 to 12 of A-Z and 0-9"),
    ]

    /// Rates of tokens.
    private static let tokens: [Row] = [
        Row(
            rates("ALGO = \"1\", \"GOLD@algorand\" = \"1\""),
            "unknown asset \"GOLD@algorand\"; known are ALGO, NEAR"),
        Row(
            gold("GOLD = \"1\""), "unknown asset \"GOLD\"; known are ALGO, NEAR, GOLD@algorand"),
        Row(gold("\"GOLD@near\" = \"1\""), "unknown asset \"GOLD@near\""),
        Row(gold("\"GOLD@algorand@algorand\" = \"1\""), "unknown asset \"GOLD@algorand@a"),
        Row(gold("\"gold@algorand\" = \"1\""), "unknown asset \"gold@algorand\""),
        Row(gold("\"@algorand\" = \"1\""), "unknown asset \"@algorand\""),
        Row(gold("\"GOLD@algorand\" = \"0\""), "a rate is a decimal above 0"),
        Row(gold("\"GOLD@algorand\" = \"-1\""), "a rate is a decimal above 0"),
        Row(gold("\"GOLD@algorand\" = 1"), "a rate is a decimal above 0"),
        Row(
            gold("\"GOLD@algorand\" = \"0.\(String(repeating: "1", count: 40))\""),
            "a rate is a decimal above 0 with at most 18 digits"),
        // A smallest unit of 38 decimals at such a rate is worth too little.
        Row(gold("\"GOLD@algorand\" = \"0.0000000001\"", decimals: 38), "a rate is a decimal ab"),
        Row(
            TokenRateTests.asset() + rates("\"GOLD@algorand\" = \"1\", NEAR = \"1\""),
            "the rate of \"GOLD@algorand\" counts only in a limit of \"outflow\", beside a rate"),
        Row(
            gold("\"GOLD@algorand\" = \"1\"").replacing("\"outflow\"", with: "\"amount\""),
            "the rate of \"GOLD@algorand\" counts only in a limit of \"outflow\", beside a rate"),
    ]

    private static func gold(_ rate: String, decimals: Int = 6) -> String {
        TokenRateTests.asset(decimals) + rates("ALGO = \"1\", \(rate)")
    }

    private static func drawer(_ names: String) -> String {
        SharedBudgetTests.rule("a", "budget = \(names)")
    }

    private static func budget(_ limits: String, _ rest: String = "") -> String {
        SharedBudgetTests.budget("d", limits, rest)
    }

    @Test("with words for each mistake")
    func words() {
        for row in Self.drawing + Self.tables + Self.units + Self.tokens {
            let found = Self.messages(row.text)
            #expect(found.contains { $0.hasPrefix(row.message) }, "\(row.text)\n\(found)")
            // Nothing is said that only follows from the mistake.
            if row.message.hasPrefix("a rate is") { #expect(found.count == 1, "\(found)") }
        }
    }

    @Test("in files of version 1")
    func version() {
        #expect(
            Self.messages(Self.daily + Self.rule, version: 1).allSatisfy {
                $0.hasPrefix("budgets need version = 2")
            })
        #expect(!Self.messages(Self.daily + Self.rule, version: 1).isEmpty)
        #expect(Self.messages(Self.daily + Self.rule).isEmpty)
    }

    @Test("unless the rule pins the values that a budget counts by")
    func pinned() {
        let budget = SharedBudgetTests.budget(
            "d", "{ count = 1, per = \"1h\" }", "by = [\"receiver\"]")
        let pinned = SharedBudgetTests.rule("a", "receiver = [\"x\", \"y\"]\nbudget = \"d\"")
        #expect(Self.messages(budget + pinned).isEmpty)
        let open = SharedBudgetTests.rule("a", "budget = \"d\"")
        #expect(Self.messages(budget + open).count == 1)
        #expect(
            Self.messages(
                budget + SharedBudgetTests.rule("a", "budget = \"d\"", protocolName: "nostr")
            ).first == "the budget \"d\" counts \"receiver\", which requests of nostr do not have")
    }

    @Test("are warned about if no rule draws on them")
    func unused() throws {
        #expect(try policy(Self.daily, version: 2).findings.map(\.code) == ["P0217"])
    }
}
