// SPDX-License-Identifier: Apache-2.0

/// Rules with an assertion, and whether it holds: `.` for a proof, `+` for a request against it,
/// `?` for neither.
struct AssertionRow: Sendable, CustomStringConvertible {
    let description: String
    let rules: String
    let never: String
    let sign: String

    init(_ description: String, _ rules: String, _ never: String, _ sign: String) {
        self.description = description
        self.rules = rules
        self.never = never
        self.sign = sign
    }

    static let algorand = "protocol = \"algorand\"\n"
    private static let strangers = algorand + "receiver = { not_in = \"@friends\" }"
    static let large = algorand + "amount = { min = \"5.000001 ALGO\" }"
    private static let notes = "[[rule]]\nid = \"n\"\neffect = \"allow\"\nprotocol = \"nostr\"\n"
    private static let small = PolicyPair.pay("amount = { max = \"5 ALGO\" }")

    static let all: [AssertionRow] = [
        AssertionRow("no rule", "", strangers, "."),
        AssertionRow("a value", PolicyPair.pay("receiver = \"@friends\""), strangers, "."),
        AssertionRow(
            "another value", PolicyPair.pay("receiver = [\"@friends\", \"x\"]"), strangers, "+"),
        AssertionRow("any value", PolicyPair.pay(""), strangers, "+"),
        AssertionRow("a bound", small, large, "."),
        AssertionRow(
            "a number of operations", PolicyPair.pay("request.operations = { max = 2 }"),
            algorand + "request.operations = { min = 3 }", "."),
        AssertionRow(
            "any number of operations", PolicyPair.pay(""),
            algorand + "request.operations = { min = 3 }", "+"),
        AssertionRow("a bound above", PolicyPair.pay("amount = { max = \"6 ALGO\" }"), large, "+"),
        AssertionRow(
            "a deny rule beside it",
            PolicyPair.pay("")
                + PolicyPair.pay("amount = { min = \"3 ALGO\" }", id: "d", effect: "deny"),
            large, "."),
        AssertionRow(
            "an ask rule beside it",
            PolicyPair.pay("")
                + PolicyPair.pay("amount = { min = \"3 ALGO\" }", id: "d", effect: "ask"),
            large, "."),
        AssertionRow(
            "a deny rule with an exception",
            PolicyPair.pay("")
                + PolicyPair.pay(
                    "amount = { min = \"3 ALGO\" }\nunless = { receiver = \"bob\" }", id: "d",
                    effect: "deny"),
            large, "+"),
        AssertionRow(
            "the same exception in the assertion",
            PolicyPair.pay("")
                + PolicyPair.pay(
                    "amount = { min = \"3 ALGO\" }\nunless = { receiver = \"bob\" }", id: "d",
                    effect: "deny"),
            large + "\nunless = { receiver = \"bob\" }", "."),
        // Limits bound single amounts; used-up limits do not prove that nothing is allowed.
        AssertionRow(
            "a limit below",
            PolicyPair.limited("{ amount = \"4 ALGO\", of = \"amount\", per = \"1d\" }"),
            large, "."),
        AssertionRow(
            "a limit above",
            PolicyPair.limited("{ amount = \"6 ALGO\", of = \"amount\", per = \"1d\" }"), large, "+"
        ),
        AssertionRow("a limit of uses", PolicyPair.limited("{ uses = 1 }"), large, "+"),
        AssertionRow(
            "a final budget", PolicyPair.pay("budget = \"cap\""),
            algorand + "amount = { min = \"20.000001 ALGO\" }", "."),
        AssertionRow("a final budget above", PolicyPair.pay("budget = \"cap\""), large, "+"),
        AssertionRow(
            "two budgets and a limit of its own",
            PolicyPair.pay(
                "budget = [\"cap\", \"usd\"]\n"
                    + "limit = [{ amount = \"4 ALGO\", of = \"amount\", per = \"1d\" }]"), large,
            "."),
        AssertionRow(
            "a budget with a unit, which proves nothing", PolicyPair.pay("budget = \"usd\""), large,
            "?"),
        // Unknown fields do not match an assertion; lists match by any of their values.
        AssertionRow(
            "an absent field", PolicyPair.pay("receiver = { exists = false }"), strangers, "."),
        AssertionRow(
            "a list", notes + "tag.p = { in = [\"a\"] }\n",
            "protocol = \"nostr\"\ntag.p = { not_in = [\"a\"] }", "."),
        AssertionRow(
            "a list with another value", notes + "tag.p = { in = [\"a\", \"b\"] }\n",
            "protocol = \"nostr\"\ntag.p = { not_in = [\"a\"] }", "+"),
        // Dangers.
        AssertionRow(
            "a danger that no rule covers", PolicyPair.pay(""),
            algorand + "danger = { has = \"rekey\" }", "."),
        AssertionRow(
            "a danger that a rule covers", PolicyPair.pay("acknowledge = [\"rekey\"]"),
            algorand + "danger = { has = \"rekey\" }", "+"),
        // Hours.
        AssertionRow(
            "hours outside", PolicyPair.pay("hours = \"09:00-18:00\"\ntz = \"Europe/Berlin\""),
            algorand + "hours = \"19:00-08:00\"\ntz = \"Europe/Berlin\"", "."),
        AssertionRow(
            "hours in another zone", PolicyPair.pay("hours = \"09:00-18:00\"\ntz = \"Asia/Tokyo\""),
            algorand + "hours = \"19:00-08:00\"\ntz = \"Europe/Berlin\"", "+"),
        AssertionRow("any hour", PolicyPair.pay(""), "hours = \"19:00-08:00\"\ntz = \"UTC\"", "+"),
        // All protocols, clients and operations.
        AssertionRow("nothing at all is allowed", PolicyPair.pay(""), "key = \"x\"", "+"),
        AssertionRow("another key", PolicyPair.pay("key = \"alice\""), "key = \"bob\"", "."),
        AssertionRow(
            "proved clients only", PolicyPair.pay("\"client.proof\" = [\"token\", \"browser\"]"),
            "\"client.proof\" = \"claimed\"", "."),
        AssertionRow(
            "a new client", PolicyPair.pay("client = \"token:bot\""),
            "danger = { has = \"new_client\" }", "+"),
        AssertionRow(
            "a new client that no rule names", PolicyPair.pay("client = { exists = true }"),
            "danger = { has = \"new_client\" }", "."),
        AssertionRow("a client that may disconnect", "", algorand + "operation = \"disable\"", "."),
        AssertionRow(
            "a rule for it", PolicyPair.pay("").replacing("sign_transactions", with: "disable"),
            algorand + "operation = \"disable\"", "+"),
        // Patterns.
        AssertionRow(
            "a pattern", notes + "url = { glob = \"https://a.x/**\" }\n",
            "protocol = \"nostr\"\nurl = { regex = 'http://.*' }", "."),
        AssertionRow(
            "a pattern inside", notes + "url = { glob = \"https://*.x/**\" }\n",
            "protocol = \"nostr\"\nurl = { regex = 'https://b.*' }", "+"),
        AssertionRow(
            "a pattern that is not modelled", notes + "url = { glob = \"https://*.x/**\" }\n",
            "protocol = \"nostr\"\nurl = { regex = '(?i)http://.*' }", "?"),
    ]
}
