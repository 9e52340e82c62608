// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

/// An owner who attests a policy must see every way in which it allows more.
@Suite("A difference hides no widening")
struct HiddenWideningTests {
    private static let denial = "[[rule]]\nid = \"no\"\neffect = \"deny\"\nkey = \"x\"\n"

    private static func difference(_ old: String, _ new: String) throws -> PolicyDifference {
        try DifferenceTests.difference(old, new)
    }

    private static func limited(_ limits: String, _ rest: String = "") -> String {
        payRule("type = \"pay\"\n\(rest)limit = [\(limits)]")
    }

    @Test("a cap on the outflow is tried with amounts")
    func outflow() throws {
        let cap = "{ amount = \"20 ALGO\", of = \"outflow\", per = \"1d\" }"
        let wider = cap.replacing("20 ALGO", with: "20000 ALGO")
        let found = try Self.difference(Self.limited(cap), Self.limited(wider))
        #expect(found.word == "widens")
        #expect(found.widening?.request.contains("outflow is 20") == true)
        #expect(try Self.difference(Self.limited(wider), Self.limited(cap)).word == "tightens")
        let added = try Self.difference("", Self.limited(cap))
        // Above the cap the default asks, and the new rule denies.
        #expect(added.word == "incomparable" && added.tightening?.after == "deny")
        #expect(added.changes[0].widening?.after == "allow")
    }

    @Test("a proof alone makes a client")
    func proofs() throws {
        for proof in ["token", "browser", "callback", "claimed"] {
            let rule = payRule("\"client.proof\" = \"\(proof)\"")
            let found = try Self.difference("", rule)
            #expect(found.word == "widens", "\(proof)")
        }
    }

    @Test("a change is tried first, before other values of the rules")
    func manyValues() throws {
        let many = (0..<80).map { number in
            payRule(
                "receiver = \"r\(number)\"\nfee = { max = \"\(number + 1) ALGO\" }",
                id: "a\(number)")
        }.joined()
        let found = PolicyDifference(
            from: try policy(many), to: try policy(many + payRule("receiver = \"eve\"", id: "z")),
            own: ["own1"], at: Timestamp(seconds: 1_000), pointsMax: 1_000)
        #expect(found.word == "widens")
        #expect(found.widening?.request.contains("receiver is \"eve\"") == true)
        #expect(!found.triedAllNamed)
    }

    /// Pairs in which the new policy allows more; the test adds a rule that denies more.
    private static let hidden: [(old: String, new: String)] = [
        (
            limited("{ count = 2, per = \"1h\", by = [\"key\"] }"),
            limited("{ count = 2, per = \"1h\", by = [\"hub\"] }, { uses = 9 }")
        ),
        (
            payRule("receiver = { regex = '[a-c]+' }"), payRule("receiver = { regex = '[a-z]+' }")
        ),
        (payRule("expires = 2027-01-01T00:00:00Z"), payRule("expires = 2028-01-01T00:00:00Z")),
        (
            payRule("hours = \"09:00-18:00\"\ntz = \"UTC\""),
            payRule("hours = \"09:00-19:00\"\ntz = \"UTC\"")
        ),
        (
            limited("{ count = 2, per = \"day\", tz = \"UTC\" }"),
            limited("{ count = 2, per = \"hour\", tz = \"UTC\" }")
        ),
        ("", payRule("receiver = { prefix = \"al\", suffix = \"ce\" }")),
        (payRule("type = \"pay\""), payRule("type = \"pay\"", id: "two") + payRule("", id: "pay")),
        (limited("{ uses = 2 }"), limited("{ uses = 2 }") + payRule("type = \"pay\"", id: "two")),
        (
            payRule("type = \"pay\"\nunless = { receiver = { glob = \"*x*\" } }"),
            payRule("type = \"pay\"\nunless = { receiver = { glob = \"*xx*\" } }")
        ),
    ]

    @Test(
        "beside a rule that denies, a change that allows more is never called tightening",
        arguments: hidden)
    func headings(_ row: (old: String, new: String)) throws {
        let found = try Self.difference(row.old, row.new + Self.denial)
        #expect(found.word != "tightens" && found.word != "same", "\(row)")
        #expect(!found.isProvedNotToWiden)
        // Each such rule has an example, or is listed as one without an example.
        for change in found.changes where change.id != "no" {
            #expect(change.isProvedNotToWiden || change.widening != nil || change.mayWidenUnseen)
        }
        #expect(found.changes.contains { $0.id != "no" && !$0.isProvedNotToWiden })
    }

    @Test("every added rule shows its own request, at any hour")
    func everyRule() throws {
        let rules = [
            payRule("receiver = \"a\"\nhours = \"03:00-04:00\"\ntz = \"UTC\"", id: "a"),
            payRule("receiver = \"b\"\nacknowledge = [\"rekey\"]", id: "b"),
            payRule("receiver = { prefix = \"c\", suffix = \"d\" }", id: "c"),
            payRule(
                "limit = [{ amount = \"1 ALGO\", of = \"outflow\", per = \"1d\" }]", id: "d"),
        ]
        let found = try Self.difference("", rules.joined())
        for change in found.changes { #expect(change.widening != nil, "\(change.id)") }
        #expect(found.changes[0].widening?.request.hasSuffix(", at 1970-01-01T03:00:40Z") == true)
        // No text that the pattern matches is known, so there is no example.
        let pattern = try Self.difference("", payRule("receiver = { regex = '[a-c]{3}' }"))
        #expect(pattern.word == "not proved" && pattern.changes[0].mayWidenUnseen)
    }

    @Test("a change that is proved not to widen widens for no request")
    func proved() throws {
        var random = RandomPolicies(generator: SeededGenerator(state: 41))
        var provedCount = 0
        for _ in 0..<150 {
            var rules = (0..<4).map { random.rule("r\($0)") }
            let old = try loaded(random.file(rules, fallback: "ask"))
            switch Int.random(in: 0..<3, using: &random.generator) {
            case 0: rules.removeFirst()
            case 1:
                let effect = random.pick(["deny", "ask"])
                rules.append(random.rule("r9", effect: effect))
            default: rules[0] = rules[0] + "expires = 1970-01-01T00:20:00Z\n"
            }
            guard let new = try? loaded(random.file(rules, fallback: "ask")) else { continue }
            let found = PolicyDifference(
                from: old, to: new, own: ["own1"], at: Timestamp(seconds: 1_000), pointsMax: 50)
            guard found.isProvedNotToWiden else { continue }
            provedCount += 1
            for _ in 0..<30 {
                let request = random.request()
                let usage = random.usage(old.document)
                let before = try old.judge(request, usage: usage).verdict.effect
                let after = try new.judge(request, usage: usage).verdict.effect
                #expect(after >= before, "\(found.changedRules)")
            }
        }
        #expect(provedCount > 20)
    }
}
