// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Keys that rules name")
struct KeyTests {
    static let rules = """
        [[rule]]
        id = "named"
        effect = "deny"
        key = ["alice", "bob"]

        [[rule]]
        id = "others"
        effect = "deny"
        unless = { key = { not_in = ["alcie"] } }

        [[rule]]
        id = "pattern"
        effect = "ask"
        key = { glob = "al*" }
        """

    @Test("are reported where no fact has the name, with the likely name")
    func unheld() throws {
        let unheld = try policy(Self.rules).unheldKeys(among: ["alice"])
        #expect(unheld.map(\.name) == ["bob", "alcie"])
        #expect(unheld.map(\.rule.id) == ["named", "others"])
        #expect(unheld.map(\.meant) == [nil, "alice"])
    }

    @Test(
        "are reported under their new names where a rule would judge differently",
        arguments: [
            ("alice", "bob", ["pattern"]), ("alice", "alf", ["named"]), ("carl", "carol", []),
            ("carl", "bob", ["named"]), ("carl", "alcie", ["others", "pattern"]),
        ])
    func renamed(old: String, new: String, rules: [String]) throws {
        #expect(try policy(Self.rules).rules(distinguishing: old, from: new) == rules)
    }
}
