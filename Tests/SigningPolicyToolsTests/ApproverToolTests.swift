// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Approvers in what helps to write policies")
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

    @Test("a difference of approvers shows who had to approve, and who has to")
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
