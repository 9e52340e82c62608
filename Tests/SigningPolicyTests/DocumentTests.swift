// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Policy files that load")
struct DocumentTests {
    static let example = """
        version = 1
        default = "ask"

        [set.treasury]
        accounts = ["ALGO-ADDRESS-1", "ALGO-ADDRESS-2"]

        [[rule]]
        id = "notes"
        effect = "allow"
        protocol = "nostr"
        operation = "sign_event"
        key = "alice"
        client = "https://notes.example"
        kind = [1, 6, 7]
        tag_count = { max = 50 }
        limit = [{ count = 60, per = "1h" }]
        on_exceed = "ask"
        expires = 2027-01-01T00:00:00Z

        [[rule]]
        id = "pay-treasury"
        effect = "allow"
        protocol = "algorand"
        operation = "sign_transactions"
        type = "pay"
        receiver = "@treasury"
        amount = { max = "5 ALGO" }
        fee = { max = "0.01 ALGO" }

        [[rule]]
        id = "never-rekey-away"
        effect = "deny"
        protocol = "algorand"
        danger = { has = "rekey" }
        unless = { rekey_to = "@own" }
        """

    /// A small payment to the treasury; a later fact replaces an earlier one of the same name.
    static func payment(_ facts: [Fact], dangers: [String] = []) -> FakeRequest {
        let pay = [
            Fact("type", .text("pay")), Fact("receiver", .text("ALGO-ADDRESS-2")),
            Fact("amount", .integer(5_000_000)), Fact("fee", .integer(1_000)),
        ]
        return FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: [.fake(pay + facts, dangers: dangers)])
    }

    @Test("the example of the design gives the documented verdicts")
    func exampleFile() throws {
        let policy = try loaded(Self.example)
        #expect(policy.document.ruleIDs == ["never-rekey-away", "notes", "pay-treasury"])
        let table: [(FakeRequest, String)] = [
            (Self.payment([]), "allow"),
            (Self.payment([Fact("amount", .integer(5_000_001))]), "ask"),
            (Self.payment([Fact("receiver", .text("other"))]), "ask"),
            (Self.payment([Fact("rekey_to", .text("thief"))], dangers: ["rekey"]), "deny"),
            (Self.payment([], dangers: ["rekey"]), "deny"),
            (Self.payment([Fact("rekey_to", .text("own1"))], dangers: ["rekey"]), "ask"),
        ]
        for (request, verdict) in table { #expect(try policy.verdict(request) == verdict) }
    }

    @Test("findings name expired rules, unused sets and over-wide rules")
    func findings() throws {
        let text = """
            version = 1
            default = "ask"
            [set.used]
            x = ["@inner"]
            [set.inner]
            x = ["a"]
            [set.idle]
            x = ["a"]

            [[rule]]
            id = "old"
            effect = "deny"
            key = "@used"
            expires = 1970-01-01T00:16:40Z
            [[rule]]
            id = "wide"
            effect = "allow"
            [[rule]]
            id = "bound"
            effect = "allow"
            key = "alice"
            [[rule]]
            id = "limited"
            effect = "allow"
            limit = [{ count = 1, per = "1s" }]
            """
        let policy = try loaded(text, at: 1_000)
        #expect(
            policy.findings.map(\.headline) == [
                "policy.toml:7:6: warning[P0202]: no rule uses the set \"idle\"",
                "policy.toml:10:1: warning[P0201]: the rule \"old\" has expired and never matches",
                "policy.toml:15:1: warning[P0203]: the rule \"wide\" allows any client and any key "
                    + "without a limit",
            ])
        #expect(try loaded(text, at: 999).findings.count == 2)
    }

    @Test("the canonical form does not depend on how a file is written")
    func canonicalForm() throws {
        let first = """
            default = "deny"
            version = 1
            [set.s]
            b = ["y"]
            a = ["x", "y"]
            [[rule]]
            protocol = "nostr"
            kind = [6, 1, 6]
            url = "@@x"
            content.bytes = { max = 1_000 }
            client = ["b", "@s"]
            id = "r"
            effect = "allow"
            limit = [{ per = "60m", count = 5 }]
            unless = { key = "bob" }
            """
        let second = """
            version = 1
            default = "deny"
            [[rule]]
            id = "r"
            effect = "allow"
            protocol = ["nostr"]
            on_exceed = "deny"
            limit = [{ count = 5, per = "1h" }]
            client = { in = ["@s", "b"] }
            kind.in = [1, 6]
            url = "@@x"
            "content.bytes" = { max = 0x3E8 }
            [rule.unless]
            key = ["bob"]
            [set.s]
            all = ["y", "x"]
            """
        let policy = try loaded(first)
        #expect(
            policy.document.canonicalJSON
                == #"{"default":"deny","rules":[{"acknowledge":[],"conditions":{"client":"#
                + #"{"in":["@s","b"]},"content.bytes":{"max":"1000"},"kind":{"in":["1","6"]},"#
                + #""protocol":{"in":["nostr"]},"url":{"in":["@@x"]}},"effect":"allow","id":"r","#
                + #""limits":[{"maximum":"5","per":"3600"}],"on_exceed":"deny","#
                + #""unless":{"key":{"in":["bob"]}}}],"sets":{"s":["x","y"]},"version":"1"}"#)
        #expect(try loaded(second).document.canonicalJSON == policy.document.canonicalJSON)
        #expect(try loaded(second).hash == policy.hash)
        #expect(try loaded(first.replacing("1_000", with: "1_001")).hash != policy.hash)
        #expect(policy.hash == fakeDigest(Array(policy.document.canonicalJSON.utf8).span))
    }

    @Test("a diagnostic is shown with its line and a caret")
    func rendering() throws {
        let text = "version = 1\r\n\tdefault = \"\u{202E}x\"\r\n"
        do throws(PolicyLoadError) {
            _ = try loaded(text)
            Issue.record("loaded")
        } catch {
            #expect(
                error.diagnostics[0].render(source: Array(text.utf8).span) == """
                    policy.toml:2:12: error[P0103]: default must be "ask" or "deny"
                      \\tdefault = "\\u{202E}x"
                                  ^
                    """)
        }
    }
}

extension String {
    fileprivate func replacing(_ old: String, with new: String) -> String {
        split(separator: old, omittingEmptySubsequences: false).joined(separator: new)
    }
}
