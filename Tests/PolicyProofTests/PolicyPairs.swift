// SPDX-License-Identifier: Apache-2.0

import PolicyProof
import PolicyReference
import SigningCore
import SigningPolicy

/// Two policies and what is found about them.
struct PolicyPair: Sendable, CustomStringConvertible {
    let description: String
    let old: String
    let new: String
    /// One sign each for newly allowed, newly asked, newly denied and fewer approvers: `+` shown
    /// by a request, `.` proved to be none, `?` not proved.
    let signs: String
    var fallback = "ask"

    init(_ name: String, _ old: String, _ new: String, _ signs: String, fallback: String = "ask") {
        description = name
        self.old = old
        self.new = new
        self.signs = signs
        self.fallback = fallback
    }

    /// The difference in the same signs.
    func found() throws -> (signs: String, difference: ProvedDifference) {
        let difference = ProvedDifference(
            from: try policy(old, fallback: fallback), to: try policy(new, fallback: fallback),
            at: Timestamp(seconds: 1_795_000_000))
        return (Self.signs(of: difference), difference)
    }

    static func signs(of difference: ProvedDifference) -> String {
        ProvedDifference.Change.allCases.map { change in
            switch difference[change] {
            case .proved: "."
            case .shown: "+"
            case .notProved: "?"
            }
        }.joined()
    }

    /// An allow rule for payments, with additional lines.
    static func pay(_ rest: String, id: String = "pay", effect: String = "allow") -> String {
        "[[rule]]\nid = \"\(id)\"\neffect = \"\(effect)\"\nprotocol = \"algorand\"\n"
            + "operation = \"sign_transactions\"\n\(rest)\n"
    }

    static func limited(_ limits: String, id: String = "pay") -> String {
        pay("type = \"pay\"\nlimit = [\(limits)]", id: id)
    }

    private static let base = pay("amount = { max = \"5 ALGO\" }\nreceiver = \"bob\"\n")
    private static let denial = "[[rule]]\nid = \"no\"\neffect = \"deny\"\nkey = \"x\"\n"
    private static let cap = "{ amount = \"20 ALGO\", of = \"outflow\", per = \"1d\" }"
    private static func discovery(_ rest: String) -> String {
        pay(rest, id: "look").replacing("sign_transactions", with: "discover")
    }

    private static let words = "tag.p = { has = \"a\" }\n"
    private static let nostr = "[[rule]]\nid = \"n\"\neffect = \"allow\"\nprotocol = \"nostr\"\n"

    static let all: [PolicyPair] = [
        // Values, sets and names.
        PolicyPair("same", base, base, "...."),
        PolicyPair(
            "a method without operations", base,
            base + discovery("request.operations = 1"), "...."),
        PolicyPair("a method", base, base + discovery("request.operations = 0"), "+..."),
        PolicyPair("no such number", base, base + pay("request.operations = -1", id: "x"), "...."),
        PolicyPair("a higher amount", base, base.replacing("5 ALGO", with: "6 ALGO"), "+..."),
        PolicyPair("a lower amount", base, base.replacing("5 ALGO", with: "4 ALGO"), ".+.."),
        PolicyPair(
            "one receiver more", base, base.replacing("\"bob\"", with: "[\"bob\", \"eve\"]"), "+..."
        ),
        PolicyPair("another receiver", base, base.replacing("\"bob\"", with: "\"eve\""), "++.."),
        PolicyPair("any receiver", base, base.replacing("receiver = \"bob\"", with: ""), "+..."),
        PolicyPair("a danger covered", base, base + "acknowledge = [\"rekey\"]", "+..."),
        PolicyPair(
            "an exception", base, base + "unless = { fee = { min = \"1 ALGO\" } }", ".+.."),
        PolicyPair(
            "the same of all operations", pay("all = { receiver = \"bob\" }"),
            pay("all = { receiver = \"bob\" }"), "...."),
        PolicyPair(
            "one more receiver of all operations", pay("all = { receiver = \"bob\" }"),
            pay("all = { receiver = [\"bob\", \"eve\"] }"), "+..."),
        PolicyPair(
            "one operation in place of all", pay("all = { receiver = \"bob\" }"),
            pay("any = { receiver = \"bob\" }"), "?..."),
        PolicyPair(
            "one operation is all of a single one",
            pay("request.operations = 1\nall = { receiver = \"bob\" }"),
            pay("request.operations = 1\nany = { receiver = \"bob\" }"), "...."),
        PolicyPair(
            "no longer an operation of another kind", pay("any = { receiver = \"bob\" }"), pay(""),
            "+..."),
        PolicyPair(
            "hours and their complement", pay("hours = \"18:00-09:00\"\ntz = \"UTC\""),
            pay("unless = { hours = \"09:00-18:00\", tz = \"UTC\" }"), "...."),
        PolicyPair(
            "shorter hours of an exception",
            pay("unless = { hours = \"09:00-18:00\", tz = \"UTC\" }"),
            pay("unless = { hours = \"09:00-17:00\", tz = \"UTC\" }"), "+..."),
        PolicyPair(
            "another exception", pay("unless = { days = [\"sun\"], tz = \"UTC\" }"),
            pay("unless = [{ days = [\"sun\"], tz = \"UTC\" }, { receiver = \"bob\" }]"), ".+.."),
        PolicyPair(
            "exceptions of a denial in another order",
            denial + "unless = [{ client = \"a\" }, { days = [\"sun\"], tz = \"UTC\" }]",
            denial + "unless = [{ days = [\"sun\"], tz = \"UTC\" }, { client = \"a\" }]", "...."),
        PolicyPair(
            "a set with one member more",
            "[set.s]\nnames = [\"bob\"]\n" + pay("receiver = \"@s\""),
            "[set.s]\nnames = [\"bob\", \"eve\"]\n" + pay("receiver = \"@s\""), "+..."),
        PolicyPair(
            "values in place of a set", "[set.s]\nnames = [\"bob\"]\n" + pay("receiver = \"@s\""),
            pay("receiver = \"bob\""), "...."),
        PolicyPair("own accounts", pay("receiver = \"bob\""), pay("receiver = \"@own\""), "++.."),
        PolicyPair("another id", base, base.replacing("\"pay\"", with: "\"other\""), "...."),
        PolicyPair(
            "one rule in two", pay("receiver = [\"a\", \"b\"]"),
            pay("receiver = \"a\"") + pay("receiver = \"b\"", id: "two"), "...."),
        PolicyPair("no rules", base, "", ".+.."),
        PolicyPair(
            "a second rule", base, base + pay("fee = { max = \"1 ALGO\" }", id: "two"), "+..."),
        PolicyPair(
            "a second rule within the first", base,
            base + pay("amount = { max = \"1 ALGO\" }\nreceiver = \"bob\"", id: "two"), "...."),
        PolicyPair("a denial", base, base + denial, "..+."),
        PolicyPair("a denial taken away", base + denial, base, "++.."),
        PolicyPair(
            "a question", base, base + pay("receiver = \"bob\"", id: "q", effect: "ask"), ".+.."),
        PolicyPair(
            "a question where the default asks", base,
            base + pay("receiver = \"eve\"", id: "q", effect: "ask"), "...."),
        PolicyPair(
            "an amount that may be missing", pay("amount = { min = \"0 ALGO\" }", effect: "deny"),
            pay("amount = { exists = true }", effect: "deny"), ".+.."),
        // Patterns.
        PolicyPair(
            "a wider regular expression", pay("receiver = { regex = '[a-c]+' }"),
            pay("receiver = { regex = '[a-z]+' }"), "+..."),
        PolicyPair(
            "the same language", pay("receiver = { regex = '(a|b)c*' }"),
            pay("receiver = { regex = '[ab]|[ab]c+' }"), "...."),
        PolicyPair(
            "a prefix as a glob", pay("receiver = { prefix = \"a.\" }"),
            pay("receiver = { glob = \"a.**\" }"), "...."),
        PolicyPair(
            "a glob within a prefix", pay("receiver = { prefix = \"a.\" }"),
            pay("receiver = { glob = \"a.*\" }"), ".+.."),
        PolicyPair(
            "a pattern that names one text", pay("receiver = { regex = 'bob' }"),
            pay("receiver = \"bob\""), "...."),
        PolicyPair(
            "a longer part in an exception",
            pay("type = \"pay\"\nunless = { receiver = { glob = \"*x*\" } }"),
            pay("type = \"pay\"\nunless = { receiver = { glob = \"*xx*\" } }"), "+..."),
        PolicyPair(
            "a prefix and a suffix taken away",
            pay("receiver = { prefix = \"al\", suffix = \"ce\" }"), "", ".+.."),
        PolicyPair(
            "a pattern that is not modelled", pay("receiver = { regex = '(?i)bob' }"),
            pay("receiver = { regex = '(?i)eve' }"), "??.."),
        PolicyPair(
            "a value beside a pattern that is not modelled",
            pay("receiver = { regex = '(?i)bob' }\namount = { max = \"5 ALGO\" }"),
            pay("receiver = { regex = '(?i)bob' }\namount = { max = \"4 ALGO\" }"), ".?.."),
        // Limits.
        PolicyPair(
            "a limit taken away", limited("{ uses = 2 }"), pay("type = \"pay\""), "+?.."),
        PolicyPair("a limit", pay("type = \"pay\""), limited("{ uses = 2 }"), "..+."),
        PolicyPair(
            "a higher limit", limited("{ count = 5, per = \"1h\" }"),
            limited("{ count = 6, per = \"1h\" }"), "+?.."),
        PolicyPair(
            "a longer window", limited("{ count = 5, per = \"1h\" }"),
            limited("{ count = 5, per = \"2h\" }"), "..+."),
        PolicyPair(
            "a shorter calendar window", limited("{ count = 2, per = \"day\", tz = \"UTC\" }"),
            limited("{ count = 2, per = \"hour\", tz = \"UTC\" }"), "+??."),
        PolicyPair(
            "another counter", limited("{ count = 2, per = \"1h\", by = [\"key\"] }"),
            limited("{ count = 2, per = \"1h\", by = [\"hub\"] }"), "+++."),
        PolicyPair(
            "a higher cap on the outflow", limited(cap),
            limited(cap.replacing("20 ALGO", with: "20000 ALGO")), "+?.."),
        PolicyPair(
            "a new id, which begins to count anew", limited("{ uses = 2 }"),
            limited("{ uses = 2 }", id: "two"), "+?+."),
        PolicyPair(
            "a question once it is used up", limited("{ uses = 2 }"),
            limited("{ uses = 2 }") + "on_exceed = \"ask\"\n", ".+.."),
        PolicyPair(
            "a limit shared by operations in another order",
            pay("type = [\"a\", \"b\"]\nlimit = [{ uses = 1 }]", id: "a")
                + pay("type = \"a\"\nlimit = [{ uses = 1 }]", id: "b"),
            pay("type = \"b\"\nlimit = [{ uses = 1 }]", id: "a")
                + pay("type = \"a\"\nlimit = [{ uses = 1 }]", id: "b"), "??+."),
        // Times.
        PolicyPair(
            "a later end", pay("expires = 2027-01-01T00:00:00Z"),
            pay("expires = 2028-01-01T00:00:00Z"), "+..."),
        PolicyPair(
            "an hour more", pay("hours = \"09:00-18:00\"\ntz = \"UTC\""),
            pay("hours = \"09:00-19:00\"\ntz = \"UTC\""), "+..."),
        PolicyPair(
            "all hours", base, base + "hours = \"00:00-24:00\"\ntz = \"UTC\"", ".+.."),
        PolicyPair(
            "the same hours in two ranges", pay("hours = \"09:00-18:00\"\ntz = \"UTC\""),
            pay("hours = [\"09:00-12:00\", \"12:00-18:00\"]\ntz = \"UTC\""), "...."),
        PolicyPair(
            "another zone", pay("hours = \"09:00-18:00\"\ntz = \"Europe/Berlin\""),
            pay("hours = \"09:00-18:00\"\ntz = \"Europe/Rome\""), "...."),
        PolicyPair(
            "a zone with other clocks", pay("hours = \"09:00-18:00\"\ntz = \"Europe/Berlin\""),
            pay("hours = \"09:00-18:00\"\ntz = \"Africa/Lagos\""), "++.."),
        // Lists, clients, and facts of the hub.
        PolicyPair(
            "one value of a list more", nostr + "tag.p = { in = [\"a\"] }",
            nostr + "tag.p = { in = [\"a\", \"b\"] }", "+..."),
        PolicyPair(
            "a count", nostr + "tag.p = { in = [\"a\"], count = { max = 2 } }",
            nostr + "tag.p = { in = [\"a\"], count = { max = 3 } }", "+..."),
        PolicyPair(
            "any client with a proof", "", pay("\"client.proof\" = \"token\""), "+..."),
        PolicyPair(
            "a group of keys", pay("\"key.tags\" = { has = \"hot\" }"),
            pay("\"key.tags\" = { has = [\"hot\", \"cold\"] }"), "+..."),
        PolicyPair(
            "a program by its hash", "",
            pay("\"client.process.exe_sha256\" = \"\(String(repeating: "ab", count: 32))\""),
            "+..."),
        PolicyPair(
            "partly decoded requests", pay("decoded = \"full\""),
            pay("decoded = [\"full\", \"partial\"]"), "+..."),
        PolicyPair(
            "more operations", pay("request.operations = { max = 2 }"),
            pay("request.operations = { max = 3 }"), "+..."),
        PolicyPair("one operation only", pay(""), pay("request.operations = 1"), ".+.."),
        PolicyPair(
            "no request without operations", pay(""), pay("request.operations = { min = 1 }"),
            ".+.."),
        PolicyPair(
            "the same numbers of operations", pay("request.operations = { min = 1, max = 3 }"),
            pay("request.operations = [3, 2, 1]"), "...."),
        PolicyPair(
            "a key, which only requests with operations have", pay("key = \"x\""),
            pay("key = \"x\"\nrequest.operations = { min = 1 }"), "...."),
        PolicyPair(
            "more operations than a witness has", pay("request.operations = 1000"),
            pay("request.operations = 1001"), "??.."),
        PolicyPair(
            "no more than the default denies", base, base + denial, "..+.", fallback: "deny"),
    ]
}
