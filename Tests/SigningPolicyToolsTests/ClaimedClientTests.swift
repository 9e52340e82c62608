// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Rules for a client that any program can claim to be")
struct ClaimedClientTests {
    private static func isWarned(_ conditions: String, effect: String = "allow") throws -> Bool {
        let rule =
            "[[rule]]\nid = \"r\"\neffect = \"\(effect)\"\nprotocol = \"nostr\"\n\(conditions)\n"
            + (effect == "allow" ? "limit = [{ uses = 5 }]\n" : "")
        let policy = try policy(rule)
        let isWarned = PolicyFindings.find(in: policy).contains { $0.code == "P0215" }
        // Only `check` warns about sites, because most rules for a site are meant for its pages.
        let isSite = conditions.contains("https://")
        #expect((isWarned && !isSite) == !PolicyFindings.beforeAttesting(policy).isEmpty)
        return isWarned
    }

    @Test("are reported, unless it names a token or demands a proof")
    func told() throws {
        let hex = String(repeating: "ab", count: 32)
        let cases: [(conditions: String, isWarned: Bool)] = [
            ("client = \"myapp\"", true), ("client = [\"token:bot\", \"myapp\"]", true),
            ("client = \"\(hex)\"", true), ("client = { prefix = \"my\" }", true),
            ("client = \"token:bot\"", false), ("client = \"https://a.example\"", true),
            ("client = { glob = \"https://*.example\" }", true),
            ("client = \"https://a.example\"\n\"client.proof\" = \"browser\"", false),
            ("client = \"myapp\"\n\"client.proof\" = \"callback\"", false),
            ("client = \"myapp\"\n\"client.proof\" = [\"callback\", \"claimed\"]", true),
            ("client = \"\(hex)\"\n\"client.proof\" = \"key\"", false), ("kind = 1", false),
        ]
        for (conditions, isWarned) in cases {
            let rest = conditions.replacing("client = ", with: "\"client\" = ")
            #expect(try Self.isWarned(rest) == isWarned, "\(conditions)")
        }
        #expect(try !Self.isWarned("client = \"myapp\"", effect: "deny"))
        for quantifier in ["all", "any"] {
            for (rest, isWarned) in [
                ("client = \"myapp\"", true), ("client = \"token:bot\"", false),
                ("client = \"myapp\", \"client.proof\" = \"callback\"", false),
            ] {
                let rule =
                    "[[rule]]\nid = \"r\"\neffect = \"allow\"\n\(quantifier) = { \(rest) }\n"
                    + "limit = [{ uses = 5 }]\n"
                let codes = try PolicyFindings.find(in: policy(rule, version: 2)).map(\.code)
                #expect(codes == (isWarned ? ["P0215"] : []), "\(rule)")
            }
        }
        let denial = "limit = [{ uses = 1 }]\n[[rule]]\nid = \"no\"\neffect = \"deny\"\n"
        for (conditions, isWarned) in [
            ("\"client.proof\" = \"claimed\"", false), ("client = \"myapp\"", false),
            ("client = \"other\"", true), ("\"client.proof\" = \"browser\"", true),
            ("\"client.proof\" = \"claimed\"\nkind = 1\nprotocol = \"nostr\"", true),
        ] {
            let found = PolicyFindings.find(
                in: try policy(
                    "[[rule]]\nid = \"r\"\neffect = \"allow\"\nclient = \"myapp\"\n"
                        + denial + conditions + "\n"))
            #expect(found.contains { $0.code == "P0215" } == isWarned, "\(conditions)")
        }
    }
}
