// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Approvers in policy tools")
struct ApproverToolTests {
    private static func key(_ byte: UInt8) -> String {
        [UInt8](repeating: byte, count: 32).approverText
    }

    private static func text(_ demand: String) -> String {
        """
        version = 1
        default = "deny"

        [approvers]
        alice = "\(key(1))"
        bob = "\(key(2))"
        carol = "\(key(3))"

        [[rule]]
        id = "pay"
        effect = "ask"
        protocol = "algorand"
        \(demand)
        """
    }

    private static let two = "approvers = { min = 2, of = [\"alice\", \"bob\"] }"

    private static let rows: [(new: String, word: String)] = [
        (two, "same"), ("", "widens"),
        ("approvers = { min = 1, of = [\"alice\", \"bob\"] }", "widens"),
        ("approvers = { min = 2, of = [\"alice\", \"bob\", \"carol\"] }", "widens"),
        (two.replacing(" }", with: ", submitter_may_approve = true }"), "widens"),
        (two.replacing(" }", with: ", within = \"1m\" }"), "tightens"),
        ("approvers = { min = 2, of = [\"alice\", \"carol\"] }", "incomparable"),
    ]

    @Test("a difference of approvers is found, both ways", arguments: rows)
    func differences(_ row: (new: String, word: String)) throws {
        let old = try loaded(Self.text(Self.two))
        let new = try loaded(Self.text(row.new))
        func word(_ one: TOMLPolicy, _ other: TOMLPolicy) -> String {
            PolicyDifference(
                from: one, to: other, own: ["own1"], at: Timestamp(seconds: 1_000)
            ).word
        }
        #expect(word(old, new) == row.word)
        let opposite = ["widens": "tightens", "tightens": "widens"][row.word] ?? row.word
        #expect(word(new, old) == opposite)
    }

    @Test("a difference of approvers lists the old and the new ones")
    func witness() throws {
        let found = PolicyDifference(
            from: try loaded(Self.text(Self.two)), to: try loaded(Self.text("")), own: ["own1"],
            at: Timestamp(seconds: 1_000))
        #expect(found.widening?.before == "ask: 2 of alice, bob")
        #expect(found.widening?.after == "ask")
    }

    @Test("the formatter leaves approvers as they are")
    func format() {
        let text = Self.text(Self.two) + "\n"
        let bytes = Array(text.utf8)
        #expect(PolicyFormatter.format(bytes) == bytes)
    }
}

@Suite("Changes of governance")
struct GovernanceDifferenceTests {
    private static let people = """
        version = 1
        default = "ask"
        [approvers]
        alice = "ed25519:\(String(repeating: "01", count: 32))"
        bob = "ed25519:\(String(repeating: "02", count: 32))"

        """

    private func difference(_ old: String, _ new: String) throws -> PolicyDifference {
        PolicyDifference(
            from: try loaded(Self.people + old), to: try loaded(Self.people + new), own: [],
            at: Timestamp(seconds: 0))
    }

    @Test("fewer people widen, more tighten, and every replaced part is reported whole")
    func governance() throws {
        let two = "[governance]\npolicy = { min = 2, of = [\"alice\", \"bob\"] }\n"
        let one = "[governance]\npolicy = { min = 1, of = [\"alice\", \"bob\"] }\n"
        let other = "[governance]\npolicy = { min = 1, of = \"alice\" }\n"
        for (old, new, word) in [
            (two, one, "widens"), (two, "", "widens"), ("", two, "tightens"),
            (one, two, "tightens"), (two, two, "same"), (two, other, "incomparable"),
        ] {
            let found = try difference(old, new)
            #expect(found.word == word, "\(old) \(new)")
            #expect(found.changedActs == (word == "same" ? [] : ["governance.policy"]))
            #expect(found.isProvedNotToWiden == ["same", "tightens"].contains(word))
        }
        #expect(try difference(one, one).changedParts.isEmpty)
        let dropped = try difference(two, "")
        #expect(dropped.widening?.before == "2 of alice, bob")
        #expect(dropped.widening?.after == "the owner alone")
        #expect(dropped.changedParts.count == 1)
        #expect(dropped.changedParts.allSatisfy { $0.hasPrefix("- governance.policy = {") })
        #expect(try difference(one, two).changedParts.map { $0.prefix(2) } == ["- ", "+ "])
    }

    @Test("canonically equivalent texts differ, and are distinguished")
    func equivalents() throws {
        let rule = "[[rule]]\nid = \"no\"\neffect = \"deny\"\nkey = \"KEYS\"\n"
        let found = try difference(rule, rule.replacing("KEYS", with: "\u{212A}EYS"))
        #expect(found.word != "same" && found.changedRules == ["no"])
        #expect(found.changedParts.count == 3)
        #expect(found.changedParts.last?.contains("<U+212A>EYS") == true)
        let set = "[set.s]\nkeys = [\"K\", \"b\"]\n"
        let member = try difference(set, set.replacing("\"K\"", with: "\"\u{212A}\""))
        #expect(
            member.changedParts == [
                "- set s has \"K\"", "+ set s has \"\u{212A}\"",
                "  exactly: set s has \"<U+212A>\"",
            ])
    }
}
