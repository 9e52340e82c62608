// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import PolicyProof

@Suite("The proved difference of two policies")
struct ProvedDifferenceTests {
    @Test("is found in every part of a rule, and the other way round", arguments: PolicyPair.all)
    func pairs(pair: PolicyPair) throws {
        let (signs, difference) = try pair.found()
        #expect(signs == pair.signs, "\(difference)")
        let mirrored = try PolicyPair("", pair.new, pair.old, "", fallback: pair.fallback).found()
        // A request that is newly allowed one way is newly asked or denied the other way.
        if case .shown = difference[.newlyAllowed] {
            #expect(mirrored.signs.dropFirst().prefix(2) != "..", "\(mirrored)")
        }
        if signs == "...." { #expect(mirrored.signs == "....") }
    }

    @Test("shows a request, and the uses before it")
    func witness() throws {
        let old = PolicyPair.pay("amount = { max = \"5 ALGO\" }\nreceiver = \"bob\"")
        let wider = try PolicyPair("", old, old.replacing("5 ALGO", with: "6 ALGO"), "").found()
        let found = try #require(wider.difference[.newlyAllowed].witness)
        #expect(found.before == "ask" && found.after == "allow" && found.past == nil)
        #expect(
            found.request
                == "algorand sign_transactions where amount is 5.000001 ALGO, receiver is \"bob\"")
        let limit = PolicyPair.limited("{ count = 5, per = \"1h\" }")
        let raised = limit.replacing("count = 5", with: "count = 6")
        let past = try PolicyPair("", limit, raised, "").found().difference[.newlyAllowed].witness
        #expect(past?.past == "5 operations used of the limits of the rule \"pay\"")
    }

    @Test("of the default alone is seen")
    func fallback() throws {
        let found = ProvedDifference(
            from: try policy("", fallback: "ask"), to: try policy("", fallback: "deny"),
            at: Timestamp(seconds: 1_000))
        #expect(PolicyPair.signs(of: found) == "..+.")
    }

    @Test("of two spellings of one letter is seen")
    func spellings() throws {
        let spelled = ["caf\u{E9}", "cafe\u{301}"].map { word in
            PolicyPair.pay("receiver = \"\(word)\"")
        }
        let found = try PolicyPair("", spelled[0], spelled[1], "").found()
        #expect(found.signs == "++..")
    }

    @Test("with budgets is shown, or proved if each rule draws on one and allows")
    func budgets() throws {
        func text(_ budget: String, _ maximum: String = "5 ALGO", _ more: String = "") -> String {
            """
            version = 2
            default = "ask"

            [budget.bot]
            limit = [{ amount = "5 ALGO", of = "amount", per = "1d" }]
            \(budget)

            [[rule]]
            id = "pay"
            effect = "allow"
            protocol = "algorand"
            operation = "sign_transactions"
            budget = "bot"
            amount = { max = "\(maximum)" }
            \(more)
            """
        }
        func signs(_ old: String, _ new: String) throws -> String {
            PolicyPair.signs(
                of: ProvedDifference(
                    from: try loaded(old), to: try loaded(new), at: Timestamp(seconds: 1_000)))
        }
        #expect(try signs(text(""), text("")) == "....")
        // Where the budget is overused, the old policy asks and the final budget refuses.
        #expect(try signs(text(""), text("final = true")) == "??+?")
        #expect(try signs(text(""), text("escalate = true")) == "....")
        #expect(try signs(text("", "4 ALGO"), text("")) == "+??.")
        let other =
            "[[rule]]\nid = \"other\"\neffect = \"EFFECT\"\nbudget = \"bot\"\n"
            + "protocol = \"algorand\"\noperation = \"sign_transactions\"\n"
        let allowing = other.replacing("EFFECT", with: "allow")
        #expect(try signs(text("", "4 ALGO"), text("", "4 ALGO", allowing)) == "+??.")
        // An ask rule draws if a person agrees.
        let asking = other.replacing("EFFECT", with: "ask")
        #expect(try signs(text(""), text("", "5 ALGO", asking)) == "?+??")
    }

    @Test("of the upgrade to version 2 is none")
    func upgrade() throws {
        let rule = PolicyPair.limited("{ count = 5, per = \"1h\" }")
        let budget = "[budget.pay]\nlimit = [{ count = 5, per = \"1h\" }]\n"
        let drawing = PolicyPair.pay("type = \"pay\"\nbudget = \"pay\"")
        for (fallback, onExceed, new) in [
            ("deny", "deny", rule), ("ask", "ask", rule),
            ("ask", "deny", budget + "final = true\n" + drawing),
            ("deny", "ask", budget + "escalate = true\n" + drawing),
        ] {
            let found = ProvedDifference(
                from: try policy(rule + "on_exceed = \"\(onExceed)\"\n", fallback: fallback),
                to: try policy(new, fallback: fallback, version: 2),
                at: Timestamp(seconds: 1_000))
            let signs = new.contains("final") ? "????" : "...."
            #expect(PolicyPair.signs(of: found) == signs, "\(fallback) \(onExceed) \(found)")
        }
    }

    @Test("knows that a client may disconnect unless a rule says otherwise")
    func disconnecting() throws {
        let rule =
            "[[rule]]\nid = \"r\"\neffect = \"EFFECT\"\nprotocol = \"algorand\"\n"
            + "operation = \"disable\"\n"
        func signs(_ effect: String, _ fallback: String, _ rest: String = "") throws -> String {
            let new = rule.replacing("EFFECT", with: effect) + rest
            return try PolicyPair("", "", new, "", fallback: fallback).found().signs
        }
        // Only by a link is it not answered already.
        #expect(try signs("allow", "deny") == "....")
        #expect(try signs("allow", "ask", "acknowledge = [\"by_link\"]") == "+...")
        #expect(try signs("ask", "deny") == ".+..")
        #expect(try signs("deny", "ask") == "..+.")
        #expect(try signs("allow", "deny", "limit = [{ uses = 1 }]") == "..+.")
    }

    @Test("names the budget of an example's earlier uses")
    func budgetOfExample() throws {
        let counting = """
            version = 2
            default = "ask"
            [budget.bot]
            limit = [{ count = 5, per = "1h" }]

            """ + PolicyPair.pay("type = \"pay\"\nbudget = \"bot\"")
        let raised = ProvedDifference(
            from: try loaded(counting),
            to: try loaded(counting.replacing("count = 5", with: "count = 6")),
            at: Timestamp(seconds: 1_000))
        let past = raised[.newlyAllowed].witness?.past
        #expect(past == "5 operations used of the budget \"bot\"")
    }

    @Test("does not depend on the hour")
    func hours() throws {
        let old = try policy(PolicyPair.pay("hours = \"09:00-18:00\"\ntz = \"UTC\""))
        let new = try policy(PolicyPair.pay("hours = \"09:00-19:00\"\ntz = \"UTC\""))
        for hour in stride(from: 0, to: 24, by: 3) as StrideTo<Int64> {
            let found = ProvedDifference(
                from: old, to: new, at: Timestamp(seconds: 1_795_000_000 + hour * 3_600))
            #expect(PolicyPair.signs(of: found) == "+...")
        }
    }

    @Test("has an answer where dates or patterns are too many")
    func bounds() throws {
        let rules = (0...TimeTable.datesMax).map { number in
            let (hour, minute) = (number / 60, number % 60)
            return PolicyPair.pay(
                "expires = 2027-01-01T0\(hour):\(minute < 10 ? "0" : "")\(minute):00Z",
                id: "r\(number)")
        }.joined()
        let many = try PolicyPair("", rules, rules + PolicyPair.pay("", id: "z"), "").found()
        #expect(many.difference[.newlyAllowed] == .notProved("time"))
        let words = (0..<16).map { "\"w\($0)x\"" }.joined(separator: ", ")
        let denial =
            "[[rule]]\nid = \"n\"\neffect = \"deny\"\nprotocol = \"nostr\"\n"
            + "content.contains = { has = [\(words)] }\n"
        let kind = "[[rule]]\nid = \"k\"\neffect = \"allow\"\nprotocol = \"nostr\"\nkind = KINDS\n"
        let one = denial + kind.replacing("KINDS", with: "1")
        let two = denial + kind.replacing("KINDS", with: "[1, 6]")
        // The patterns are the same in both, so they prevent no proof.
        let narrower = try PolicyPair("", two, one, "").found().difference
        #expect(narrower[.newlyAllowed] == .proved)
        let other = try PolicyPair("", denial, denial.replacing("w0x", with: "w1y"), "").found()
        #expect(other.difference[.newlyDenied] == .notProved("content.contains"))
    }

    @Test("is shown by no request that cannot be")
    func methods() throws {
        let schema = FactSchema(
            protocolID: ProtocolID("notes"), methods: ["list", "sign"],
            fields: [FactField("kind", .integer, note: "").of(["sign"])], dangers: [])
        func load(_ rest: String) throws -> TOMLPolicy {
            let rule =
                "[[rule]]\nid = \"r\"\neffect = \"deny\"\nprotocol = \"notes\"\nkind = 9\n\(rest)"
            return try TOMLPolicy.load(
                Array("version = 1\ndefault = \"ask\"\n\(rule)".utf8).span, fileName: "p",
                schemas: [schema], at: Timestamp(seconds: 0), sha256: fakeDigest)
        }
        let found = ProvedDifference(
            from: try load(""), to: try load("operation = \"sign\"\n"),
            at: Timestamp(seconds: 1_000))
        #expect(found[.newlyAsked].witness?.request == "notes list")
    }

    @Test("is quick for 200 overlapping rules with 10 changed")
    func many() throws {
        func rules(_ maximum: Int) -> String {
            (0..<200).map { number in
                PolicyPair.pay(
                    "receiver = [\"r\(number)\", \"r\(number + 1)\"]\nfee = { max = \""
                        + "\(number < 10 ? maximum : number) ALGO\" }", id: "a\(number)")
            }.joined()
        }
        let start = ContinuousClock.now
        let found = try PolicyPair("", rules(500), rules(400), "").found()
        #expect(found.signs == ".+..")
        // The bound is for debug builds on a busy machine; release builds need far less.
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}

extension ProvedDifference.Finding {
    /// The request that shows the change; nil if there is none.
    var witness: ProvedDifference.Witness? {
        if case .shown(let witness) = self { witness } else { nil }
    }
}
