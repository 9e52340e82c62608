// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Approvers in policy tools")
struct ApproverToolTests {
    @Test("the formatter leaves approvers as they are")
    func format() {
        let text = """
            version = 1
            default = "deny"

            [approvers]
            alice = "\([UInt8](repeating: 1, count: 32).approverText)"

            [[rule]]
            id = "pay"
            effect = "ask"
            protocol = "algorand"
            approvers = { min = 1, of = ["alice"] }

            """
        let bytes = Array(text.utf8)
        #expect(PolicyFormatter.format(bytes) == bytes)
    }
}

@Suite("Changed parts of policies")
struct PolicyChangesTests {
    private static let people = """
        version = 1
        default = "ask"
        [approvers]
        alice = "ed25519:\(String(repeating: "01", count: 32))"
        bob = "ed25519:\(String(repeating: "02", count: 32))"

        """

    private func changes(_ old: String, _ new: String) throws -> PolicyChanges {
        PolicyChanges(from: try loaded(Self.people + old), to: try loaded(Self.people + new))
    }

    @Test("every replaced part of governance is reported whole")
    func governance() throws {
        let two = "[governance]\npolicy = { min = 2, of = [\"alice\", \"bob\"] }\n"
        let one = "[governance]\npolicy = { min = 1, of = [\"alice\", \"bob\"] }\n"
        #expect(try changes(two, one).acts == ["governance.policy"])
        #expect(try !changes(one, one).isChanged && changes(one, one).changedParts.isEmpty)
        let dropped = try changes(two, "")
        #expect(dropped.changedParts.count == 1)
        #expect(dropped.changedParts.allSatisfy { $0.hasPrefix("- governance.policy = {") })
        #expect(try changes(one, two).changedParts.map { $0.prefix(2) } == ["- ", "+ "])
    }

    @Test("rules are added, changed and removed; a changed set changes the rules that use it")
    func rules() throws {
        let rule = "[[rule]]\nid = \"r\"\neffect = \"deny\"\nkey = \"@s\"\n"
        let set = "[set.s]\nkeys = [\"a\"]\n"
        let wider = "[set.s]\nkeys = [\"a\", \"b\"]\n"
        #expect(try changes(set, set + rule).rules.map(\.word) == ["added"])
        #expect(try changes(set + rule, set).rules.map(\.word) == ["removed"])
        let changed = try changes(set + rule, wider + rule).rules
        #expect(changed.map(\.word) == ["changed"] && changed.map(\.effects) == ["deny"])
    }

    @Test("canonically equivalent texts differ, and are distinguished")
    func equivalents() throws {
        let rule = "[[rule]]\nid = \"no\"\neffect = \"deny\"\nkey = \"KEYS\"\n"
        let found = try changes(rule, rule.replacing("KEYS", with: "\u{212A}EYS"))
        #expect(found.rules.map(\.id) == ["no"])
        #expect(found.changedParts.count == 3)
        #expect(found.changedParts.last?.contains("<U+212A>EYS") == true)
        let set = "[set.s]\nkeys = [\"K\", \"b\"]\n"
        let member = try changes(set, set.replacing("\"K\"", with: "\"\u{212A}\""))
        #expect(
            member.changedParts == [
                "- set s has \"K\"", "+ set s has \"\u{212A}\"",
                "  exactly: set s has \"<U+212A>\"",
            ])
    }
}
