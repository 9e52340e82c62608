// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Differences of policies")
struct DifferenceTests {
    static func difference(_ old: String, _ new: String) throws -> PolicyDifference {
        PolicyDifference(
            from: try policy(old), to: try policy(new), own: ["own1"],
            at: Timestamp(seconds: 1_000))
    }

    static let base = payRule("amount = { max = \"5 ALGO\" }\nreceiver = \"bob\"")

    static let rows: [(new: String, word: String)] = [
        (base.replacing("5 ALGO", with: "6 ALGO"), "widens"),
        (base.replacing("5 ALGO", with: "4.999999 ALGO"), "tightens"),
        (base.replacing("\"bob\"", with: "[\"bob\", \"eve\"]"), "widens"),
        (base.replacing("\"bob\"", with: "\"eve\""), "incomparable"),
        (base.replacing("receiver = \"bob\"", with: ""), "widens"),
        (base + "acknowledge = [\"rekey\"]", "widens"),
        (base + "unless = { fee = { min = \"1 ALGO\" } }", "tightens"),
        (base + "limit = [{ count = 5, per = \"1h\" }]", "tightens"),
        (base + "expires = 1970-01-01T00:00:01Z", "tightens"),
        ("", "tightens"),
        (base + payRule("amount = { max = \"1 ALGO\" }", id: "two"), "widens"),
        (base + "[[rule]]\nid = \"no\"\neffect = \"deny\"\nkey = \"x\"\n", "tightens"),
        (base.replacing("\"pay\"", with: "\"other-name\""), "not proved"),
        // One request has one time, so no example covers all hours.
        (base + "hours = \"00:00-24:00\"\ntz = \"UTC\"", "not proved"),
        (base, "same"),
    ]

    @Test("are found in every part of a rule", arguments: rows)
    func words(_ row: (new: String, word: String)) throws {
        let found = try Self.difference(Self.base, row.new)
        #expect(found.word == row.word, "\(found)")
        #expect(found.triedAllNamed)
        let mirrored = try Self.difference(row.new, Self.base)
        let opposite = ["widens": "tightens", "tightens": "widens"][row.word] ?? row.word
        #expect(mirrored.word == opposite, "\(mirrored)")
    }

    @Test("show a request, and the uses before it")
    func witness() throws {
        let wider = try Self.difference(Self.base, Self.base.replacing("5 ALGO", with: "6 ALGO"))
        let witness = try #require(wider.widening)
        #expect(witness.before == "ask" && witness.after == "allow")
        #expect(witness.request.contains("amount is 5.000001 ALGO"))
        #expect(witness.request.contains("receiver is \"bob\""))
        let limited = Self.base + "limit = [{ count = 5, per = \"1h\" }]"
        let raised = Self.base + "limit = [{ count = 6, per = \"1h\" }]"
        #expect(try Self.difference(limited, raised).widening?.past?.contains("up to 5") == true)
        let longer = Self.base + "limit = [{ count = 5, per = \"2h\" }]"
        #expect(try Self.difference(limited, longer).word == "tightens")
    }

    @Test("say so where only a sample was tried")
    func sample() throws {
        let wide = (0..<20).map { "tag.t\($0) = { has = [\"a\", \"b\"] }" }.joined(separator: "\n")
        let rule = "[[rule]]\nid = \"r\"\neffect = \"deny\"\nprotocol = \"nostr\"\n\(wide)\n"
        let found = try Self.difference(rule, "")
        #expect(!found.triedAllNamed)
        #expect(found.triedCount > 0)
        #expect(found.widening != nil)
    }

    @Test("are proved where deny rules alone were added or taken away")
    func proofs() throws {
        let denial = "[[rule]]\nid = \"no\"\neffect = \"deny\"\nkey = \"x\"\n"
        let more = try Self.difference(Self.base, Self.base + denial)
        #expect(more.isProvedNotToWiden && !more.isProvedNotToTighten)
        let less = try Self.difference(Self.base + denial, Self.base)
        #expect(!less.isProvedNotToWiden && less.isProvedNotToTighten)
        let other = try Self.difference(Self.base, denial)
        #expect(other.isProvedNotToWiden && !other.isProvedNotToTighten)
        let changed = try Self.difference(Self.base, Self.base.replacing("5 ALGO", with: "4 ALGO"))
        #expect(changed.isProvedNotToWiden && !changed.isProvedNotToTighten)
        let limited = Self.base + "limit = [{ uses = 5 }]\n"
        // A limit that is used up denies; without the rule, the default asks.
        let removed = try Self.difference(limited, "")
        #expect(!removed.isProvedNotToWiden && removed.word == "incomparable")
    }

    @Test("are not shown by amounts and counts below nothing")
    func impossible() throws {
        let rule = "[[rule]]\nid = \"r\"\neffect = \"deny\"\nprotocol = \"algorand\"\n"
        let found = try Self.difference(
            rule + "amount = { min = \"0 ALGO\" }", rule + "amount = { exists = true }")
        #expect(found.widening?.request.contains("-") != true)
        #expect(found.tightening?.request.contains("-") != true)
    }

    @Test("of the default alone are seen")
    func fallback() throws {
        let found = PolicyDifference(
            from: try policy("", fallback: "ask"), to: try policy("", fallback: "deny"), own: [],
            at: Timestamp(seconds: 0))
        #expect(found.word == "tightens")
    }
}

@Suite("The smallest change that would be allowed")
struct SmallestChangeTests {
    static func find(
        _ rules: String, _ request: JudgedRequest, _ usage: FakeUsage = FakeUsage()
    ) throws -> String? {
        SmallestChange.find(for: request, try policy(rules), usage: usage)?.text
    }

    @Test("is the nearest value of a field")
    func values() throws {
        let rule = payRule("amount = { min = \"1 ALGO\", max = \"5 ALGO\" }")
        #expect(
            try Self.find(rule, payment(7_000_000)) == "if amount were 5 ALGO (it is 7 ALGO)")
        #expect(try Self.find(rule, payment(1)) == "if amount were 1 ALGO (it is 0.000001 ALGO)")
        #expect(try Self.find(rule, payment(nil)) != nil)
        #expect(try Self.find(rule, payment(2_000_000)) == nil)
    }

    @Test("is a later time where a limit has room by then, to the second")
    func later() throws {
        let rule = payRule("limit = [{ count = 1, per = \"1h\" }]")
        let usage = PastUse(amount: 1, secondsAgo: 600)
        // In fifty minutes, a use of ten minutes ago is outside the window.
        let fixed = FixedPast(time: 400)
        let found = SmallestChange.find(for: payment(1), try policy(rule), usage: fixed)
        #expect(found == .later(Timestamp(seconds: 4_000)))
        #expect(usage.amount == 1)
        let hours = payRule("hours = \"09:00-10:00\"\ntz = \"UTC\"")
        #expect(try Self.find(hours, payment(1)) == "at 1970-01-01T09:00:00Z")
    }

    @Test("is the request without a flag, or a rule that names it")
    func dangers() throws {
        let rule = payRule("amount = { max = \"5 ALGO\" }")
        #expect(
            try Self.find(rule, payment(1, dangers: ["rekey"]))
                == "without the danger rekey")
        let two = payment(1, dangers: ["rekey", "close_out"])
        #expect(try Self.find(rule, two) == nil)
    }

    @Test("is missing where a rule denies it all, or two conditions fail")
    func none() throws {
        let denied = payRule("") + "[[rule]]\nid = \"no\"\neffect = \"deny\"\nkey = \"alice\"\n"
        #expect(try Self.find(denied, payment(1)) == nil)
        let both = payRule("amount = { max = \"5 ALGO\" }\nreceiver = \"eve\"")
        #expect(try Self.find(both, payment(7_000_000)) == nil)
    }

    /// One use at a fixed time.
    struct FixedPast: LimitUsage {
        let time: Int64

        func used(_ claim: LimitClaim, at now: Timestamp) throws(LedgerError) -> Int128 {
            time > claim.window.lastUncounted(before: now) ? 1 : 0
        }
    }
}
