// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import Testing

@testable import SigningPolicy

@Suite("Reading assertions")
struct AssertionReadingTests {
    private static let head = "version = 2\ndefault = \"ask\"\n"

    private static func never(_ rest: String, id: String = "a") -> String {
        "[[never]]\nid = \"\(id)\"\nbecause = \"I said so\"\n\(rest)\n"
    }

    private static func errors(_ text: String) -> [String] {
        do {
            _ = try loaded(text)
            return []
        } catch {
            return error.diagnostics.map(\.headline)
        }
    }

    @Test("keeps the conditions of rules, `unless` and hours")
    func conditions() throws {
        let text =
            Self.head + "[set.friends]\naccounts = [\"bob\"]\n"
            + Self.never(
                """
                protocol = "algorand"
                receiver = { not_in = "@friends" }
                amount = { min = "5 ALGO" }
                unless = { key = "alice" }
                hours = "22:00-06:00"
                tz = "UTC"
                """, id: "b") + Self.never("danger = { has = \"rekey\" }\nprotocol = \"algorand\"")
        let policy = try loaded(text)
        #expect(policy.findings.isEmpty)
        #expect(policy.document.assertions.map(\.id) == ["a", "b"])
        let second = policy.document.assertions[1]
        #expect(second.because == "I said so")
        #expect(second.rule.conditions.map(\.field.name) == ["protocol", "receiver", "amount"])
        #expect(second.rule.exceptions.count == 1 && second.rule.schedule != nil)
        #expect(policy.document.rules.isEmpty && policy.document.ruleIDs.isEmpty)
    }

    @Test("changes no verdict")
    func verdicts() throws {
        let rule = "[[rule]]\nid = \"a\"\neffect = \"allow\"\nprotocol = \"nostr\"\n"
        for text in [rule, rule + Self.never("protocol = \"nostr\"")] {
            let policy = try loaded(Self.head + text)
            let judgement = try policy.judge(
                FakeRequest(operations: [.fake()]).judged(), usage: FakeUsage())
            #expect(judgement.verdict.name == "allow")
        }
    }

    @Test("is hashed, and independent of the order")
    func canonical() throws {
        let (a, b) = (Self.never("key = \"x\""), Self.never("key = \"x\"", id: "b"))
        func hash(_ text: String) throws -> [UInt8] { try loaded(Self.head + text).hash }
        #expect(try hash(a + b) == hash(b + a))
        let others = [
            "", a, a.replacing("\"x\"", with: "\"y\""), a.replacing("I said", with: "We said"),
        ]
        #expect(try Set(others.map { try hash($0) }).count == others.count)
        let json = try loaded(Self.head + a).document.canonicalJSON
        let never =
            #""never":[{"because":"I said so","conditions":{"key":{"in":["x"]}},"id":"a"}]"#
        #expect(json.contains(never))
        #expect(try loaded(Self.head).document.canonicalJSON.contains("never") == false)
    }

    @Test("names keys that the home may lack")
    func keys() throws {
        let policy = try loaded(Self.head + Self.never("key = \"alice\""))
        #expect(policy.unheldKeys(among: ["bob"]).map(\.name) == ["alice"])
        #expect(policy.rules(distinguishing: "alice", from: "carol") == ["a"])
    }

    private static let refused: [(text: String, error: String)] = [
        (never("recever = \"x\"\nprotocol = \"algorand\""), "unknown field \"recever\""),
        (never("receiver = \"x\""), "add the protocol of the rule"),
        (never("limit = [{ uses = 1 }]"), "\"limit\" is for rules only, not for [[never]]"),
        (never("effect = \"allow\""), "\"effect\" is for rules only, not for [[never]]"),
        (never("acknowledge = [\"opaque\"]"), "\"acknowledge\" is for rules only"),
        (never("expires = 2027-01-01T00:00:00Z"), "\"expires\" is for rules only"),
        (never("approvers = { min = 1, of = \"bob\" }"), "\"approvers\" is for rules only"),
        (never("budget = \"b\""), "\"budget\" is for rules only"),
        (never("tz = \"UTC\""), "tz needs hours"), (never("unless = {}"), "unless takes a table"),
        (never("key = \"@nobody\""), "unknown set \"@nobody\""),
        (never("key = \"x\"") + never("key = \"y\""), "line 3 has the id \"a\" already"),
        ("[[never]]\nbecause = \"x\"\n", "id is missing"),
        ("[[never]]\nid = \"a\"\n", "because is missing"),
        ("[[never]]\nid = \"a\"\nbecause = \"\"\n", "because takes text"),
        ("[[never]]\nid = \"a\"\nbecause = 1\n", "because takes text"),
        ("[[never]]\nid = \"A b\"\nbecause = \"x\"\n", "an id is 1 to 64"),
        ("never = 1\n", "written as [[never]]"), ("never = [1]\n", "written as [[never]]"),
        ("[never]\nid = \"a\"\n", "written as [[never]]"),
        ("[[nevr]]\nid = \"a\"\n", "did you mean \"never\"?"),
    ]

    @Test("refuses what rules refuse, and what only rules have", arguments: refused)
    func refusals(_ row: (text: String, error: String)) {
        let errors = Self.errors(Self.head + row.text)
        #expect(errors.contains { $0.contains(row.error) }, "\(errors)")
    }

    @Test("reports several mistakes at once")
    func several() {
        let text = Self.never("limit = 1\nbudget = \"x\"\nrecever = \"x\"\nprotocol = \"algorand\"")
        #expect(Self.errors(Self.head + text).count == 3)
    }

    @Test("is for version 2, and bounded")
    func bounds() {
        let first = Self.head.replacing("2", with: "1") + Self.never("key = \"x\"")
        #expect(Self.errors(first).contains { $0.contains("[[never]] is for version = 2") })
        let many = (0...PolicyReader.assertionCountMax).map { Self.never("", id: "a\($0)") }
        let errors = Self.errors(Self.head + many.joined())
        #expect(errors.contains { $0.contains("at most 1000 are allowed") }, "\(errors)")
    }
}
