// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import PolicyProof

@Suite("Approvers in the difference of two policies")
struct ApproverDifferenceTests {
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

    private static let rows: [(new: String, signs: String, back: String)] = [
        (two, "....", "...."), ("", "...+", "...."),
        ("approvers = { min = 1, of = [\"alice\", \"bob\"] }", "...+", "...."),
        ("approvers = { min = 2, of = [\"alice\", \"bob\", \"carol\"] }", "...+", "...."),
        (two.replacing(" }", with: ", submitter_may_approve = true }"), "...+", "...."),
        (two.replacing(" }", with: ", within = \"1m\" }"), "....", "...+"),
        ("approvers = { min = 2, of = [\"alice\", \"carol\"] }", "...+", "...+"),
    ]

    @Test("fewer approvers are found, both ways", arguments: rows)
    func differences(_ row: (new: String, signs: String, back: String)) throws {
        let old = try loaded(Self.text(Self.two))
        let new = try loaded(Self.text(row.new))
        #expect(PolicyPair.signs(of: Self.difference(old, new)) == row.signs)
        #expect(PolicyPair.signs(of: Self.difference(new, old)) == row.back)
    }

    private static func difference(_ old: TOMLPolicy, _ new: TOMLPolicy) -> ProvedDifference {
        ProvedDifference(from: old, to: new, at: Timestamp(seconds: 1_000))
    }

    @Test("the old and the new approvers are listed")
    func witness() throws {
        let found = Self.difference(try loaded(Self.text(Self.two)), try loaded(Self.text("")))
        let witness = found[.fewerApprovers].witness
        #expect(witness?.before == "ask: 2 of alice, bob" && witness?.after == "ask")
    }

    @Test("a request that no person need approve any more is newly allowed as well")
    func allowed() throws {
        let new = Self.text("").replacing("effect = \"ask\"", with: "effect = \"allow\"")
        let found = Self.difference(try loaded(Self.text(Self.two)), try loaded(new))
        #expect(PolicyPair.signs(of: found) == "+.++")
    }

    @Test("fewer people for an act of the owner are found")
    func governance() throws {
        let two = "[governance]\npolicy = { min = 2, of = [\"alice\", \"bob\"] }\n"
        let one = "[governance]\npolicy = { min = 1, of = [\"alice\", \"bob\"] }\n"
        let other = "[governance]\npolicy = { min = 1, of = \"alice\" }\n"
        for (old, new, isFewer) in [
            (two, one, true), (two, "", true), ("", two, false), (one, two, false),
            (two, two, false), (two, other, true),
        ] {
            let found = Self.difference(
                try loaded(Self.text(Self.two) + "\n" + old),
                try loaded(Self.text(Self.two) + "\n" + new))
            #expect(PolicyPair.signs(of: found) == (isFewer ? "...+" : "...."))
        }
    }
}
