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

    private static let tagged = """
        [[rule]]
        id = "bots"
        effect = "allow"
        "key.tags" = { has = ["bots", "agents"] }
        limit = [{ count = 1, per = "1h" }]

        [[rule]]
        id = "not-cold"
        effect = "deny"
        unless = { "key.tags" = { not_in = ["cold"] } }
        """

    @Test(
        "are reported under their new tags where a rule would judge differently",
        arguments: [
            ([], ["bots"], ["bots"]), (["bots"], ["agents"], []), (["x"], ["y"], []),
            (["bots"], ["bots", "cold"], ["not-cold"]), (["cold"], ["bots"], ["bots", "not-cold"]),
        ])
    func retagged(old: [String], new: [String], rules: [String]) throws {
        let policy = try policy(Self.tagged)
        #expect(policy.rules(distinguishing: old, from: new) == rules)
        #expect(policy.namedTags == ["agents", "bots", "cold"])
    }
}
