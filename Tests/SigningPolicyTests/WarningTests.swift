// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Policy files are warned about")
struct WarningTests {
    static func codes(_ rest: String, effect: String = "allow") throws -> [String] {
        let text = "[[rule]]\nid = \"r\"\neffect = \"\(effect)\"\nprotocol = \"nostr\"\n"
        return try policy(text + "key = \"alice\"\n" + rest).findings.map(\.code)
    }

    @Test("lists that are read otherwise than they look")
    func lists() throws {
        let cases: [(effect: String, condition: String, isWarned: Bool)] = [
            ("allow", "tag.p = { has = \"a\" }", true),
            ("allow", "tag.p = { in = [\"a\"] }", false),
            ("allow", "tag.p = { not_in = [\"a\"] }", false),
            ("deny", "tag.p = { has = \"a\" }", false), ("deny", "tag.p = { in = [\"a\"] }", true),
            ("deny", "tag.p = { not_in = [\"a\"] }", true),
            ("ask", "tag.p = { prefix = \"a\" }", true),
            ("ask", "tag.p = { count = { min = 2 } }", false),
            ("allow", "unless.tag.p = { in = [\"a\"] }", true),
            ("allow", "unless.tag.p = { has = \"a\" }", false),
            ("deny", "unless.tag.p = { has = \"a\" }", true),
            ("deny", "unless.tag.p = { in = [\"a\"] }", false),
            ("allow", "\"key.tags\" = { has = \"a\" }", false),
            ("deny", "\"key.tags\" = { not_in = \"a\" }", false),
        ]
        for (effect, condition, isWarned) in cases {
            let codes = try Self.codes(condition, effect: effect)
            #expect(codes.contains("P0207") == isWarned, "\(effect) \(condition)")
        }
        let warning = try policy(
            "[[rule]]\nid = \"r\"\neffect = \"deny\"\ndanger = { not_in = \"opaque\" }"
        ).findings[0].message
        #expect(warning == "\"danger\" in deny rules holds if any value matches")
    }

    @Test("a minute where a month may be meant")
    func minute() throws {
        #expect(try Self.codes("limit = [{ count = 1, per = \"1m\" }]") == ["P0208"])
        #expect(try Self.codes("limit = [{ count = 1, per = \"60s\" }]") == [])
        #expect(try Self.codes("limit = [{ count = 1, per = \"5m\" }]") == [])
    }

    @Test("allow rules that rely on a description of a program")
    func describedOnly() throws {
        let hash = String(repeating: "ab", count: 32)
        for condition in [
            "client.process.exe = \"/usr/bin/bot\"", "client.process.unit = \"bot.service\"",
            "client.process.exe_sha256 = \"\(hash)\"",
            "client.process.parents = { in = [\"/usr/bin/kitty\"] }",
        ] {
            #expect(try Self.codes(condition) == ["P0212"], "\(condition)")
            #expect(try Self.codes(condition, effect: "ask").contains("P0212") == false)
            for proof in [
                "client = \"token:bot\"\n", "\"client.proof\" = [\"token\", \"browser\"]\n",
            ] {
                let rest = condition.replacing("client.process", with: "\"client.process")
                    .replacing(" = ", with: "\" = ", maxReplacements: 1)
                #expect(try Self.codes(proof + rest) == [], "\(proof)\(rest)")
            }
            let claim = "client = \"https://a.example\"\n"
            let rest = condition.replacing("client.process", with: "\"client.process")
                .replacing(" = ", with: "\" = ", maxReplacements: 1)
            #expect(try Self.codes(claim + rest) == ["P0212"])
        }
        #expect(try Self.codes("client.process.uid = 1000") == [])
        for (conditions, codes) in [
            ("client.process.unit = \"a.service\"", ["P0212"]),
            ("\"client.process.unit\" = \"a.service\", client = \"token:bot\"", []),
        ] {
            for quantifier in ["all", "any"] {
                let rule =
                    "[[rule]]\nid = \"r\"\neffect = \"allow\"\nkey = \"alice\"\n"
                    + "\(quantifier) = { \(conditions) }\n"
                #expect(try policy(rule, version: 2).findings.map(\.code) == codes, "\(rule)")
            }
        }
    }

    @Test("nothing about a limit that is there and wrong")
    func wrongLimit() throws {
        let text =
            "version = 1\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"allow\"\nlimit = 5"
        do throws(PolicyLoadError) {
            _ = try loaded(text)
            Issue.record("it loads")
        } catch {
            #expect(error.diagnostics.map(\.code) == ["P0130"])
        }
    }

    @Test("a key is in a group or not, for every effect of the rule")
    func groups() throws {
        let rule = "[[rule]]\nid = \"r\"\neffect = \"EFFECT\"\nkey.tags = "
        let operation = RequestedOperation(
            account: .named("alice", tags: ["bots", "cold"]), operation: .publicKey, facts: [],
            effects: [], dangers: [])
        let request = FakeRequest(operations: [operation])
        for (effect, condition, fires) in [
            ("allow", "{ has = \"bots\" }", true), ("deny", "{ has = \"cold\" }", true),
            ("deny", "{ not_in = \"bots\" }", false), ("allow", "{ in = \"bots\" }", false),
        ] {
            let policy = try policy(
                rule.replacing("EFFECT", with: effect) + condition, fallback: "ask")
            #expect(try policy.verdict(request) == (fires ? effect : "ask"), "\(condition)")
        }
    }
}
