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

    @Test("changed budgets are named, with their limits and the keys of their approvers")
    func budgets() throws {
        func text(_ maximum: String, _ rest: String) -> String {
            Self.people.replacing("version = 1", with: "version = 2")
                + "[budget.daily]\nlimit = [{ amount = \"\(maximum)\", of = \"amount\", "
                + "per = \"1d\", by = [\"key\"] }, { uses = 9 }]\n\(rest)\n"
                + payRule("budget = \"daily\"")
        }
        func found(_ old: String, _ new: String) throws -> [String] {
            PolicyChanges(from: try loaded(old), to: try loaded(new)).budgets.map {
                "\($0.word) \($0.text)"
            }
        }
        let plain = text("5 ALGO", "")
        #expect(try found(plain, plain) == [])
        let limits = "5 ALGO of amount per 1d by key, 9 in all"
        #expect(
            try found(plain, text("6 ALGO", "final = true")) == [
                "changed daily (\(limits) -> 6 ALGO of amount per 1d by key, 9 in all, final)"
            ])
        #expect(
            try found(plain, plain.replacing("daily", with: "other")) == [
                "removed daily (\(limits))", "added other (\(limits))",
            ])
        let demand = "escalate = { approvers = { min = 1, of = \"alice\" } }"
        let swapped = text("5 ALGO", demand).replacing("ed25519:0101", with: "ed25519:0303")
        #expect(try found(text("5 ALGO", demand), swapped).count == 1)
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
