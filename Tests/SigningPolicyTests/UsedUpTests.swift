// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Used-up limits")
struct UsedUpTests {
    private static func rule(_ id: String, _ rest: String = "") -> String {
        LimitTests.rule(id, "{ count = 1, per = \"1h\" }", rest)
    }

    private static let ask = "[[rule]]\nid = \"ask\"\neffect = \"ask\"\nprotocol = \"nostr\"\n"
    private static let usedUp: [String: Int128] = ["r#count": 1]

    private static func judge(
        _ rules: String, fallback: String, _ counts: [String: Int128] = usedUp
    ) throws -> Judgement {
        try policy(rules, fallback: fallback, version: 2)
            .judge(LimitTests.batch(1), usage: FakeUsage(counts: counts))
    }

    @Test("of version 2 leave the answer to the default", arguments: ["ask", "deny"])
    func fallback(_ fallback: String) throws {
        #expect(try Self.judge(Self.rule("r"), fallback: fallback, [:]).verdict.name == "allow")
        let judgement = try Self.judge(Self.rule("r"), fallback: fallback)
        #expect(judgement.verdict.name == fallback)
        #expect(
            judgement.verdict.reasons == [
                Reason(
                    .limitExceeded,
                    "a limit of the rule \"r\" is used up; the default is to \(fallback)",
                    rule: "r")
            ])
        // No remembered answer replaces the limit.
        #expect(judgement.undecided.isEmpty)
        let explanation = try policy(Self.rule("r"), fallback: fallback, version: 2)
            .explain(LimitTests.batch(1), usage: FakeUsage(counts: Self.usedUp))
        #expect(explanation.usedDefault)
    }

    @Test("of version 2 leave the answer to other rules, ask rules too")
    func otherRules() throws {
        let both = try Self.judge(Self.rule("r") + Self.rule("s"), fallback: "deny")
        #expect(both.verdict.name == "allow")
        #expect(both.claims.map(\.counter) == ["s#count"])
        let asked = try Self.judge(Self.rule("r") + Self.ask, fallback: "deny")
        #expect(asked.verdict.name == "ask")
        #expect(asked.verdict.reasons.compactMap(\.rule) == ["ask", "r"])
        #expect(asked.undecided.isEmpty)
        let denied = try Self.judge(
            Self.rule("r") + Self.ask.replacing("\"ask\"", with: "\"deny\""), fallback: "ask")
        #expect(denied.verdict.name == "deny")
        let two = try Self.judge(
            Self.rule("r") + Self.rule("s"), fallback: "ask", ["r#count": 1, "s#count": 1])
        #expect(
            two.verdict.reasons.map(\.text) == [
                "a limit of the rule \"r\" is used up; the default is to ask",
                "a limit of the rule \"s\" is used up; the default is to ask",
            ])
    }

    @Test("of version 1 keep on_exceed, its default, and the hash")
    func oldFiles() throws {
        let plain = try policy(Self.rule("r"))
        let written = try policy(Self.rule("r", "on_exceed = \"deny\""))
        #expect(plain.hash == written.hash)
        #expect(plain.document.canonicalJSON.contains("\"on_exceed\":\"deny\""))
        for policy in [plain, written] {
            let judgement = try policy.judge(
                LimitTests.batch(1), usage: FakeUsage(counts: Self.usedUp))
            #expect(judgement.verdict.name == "deny")
            #expect(judgement.verdict.reasons.map(\.rule) == ["r"])
        }
        let new = try policy(Self.rule("r"), version: 2)
        #expect(!new.document.canonicalJSON.contains("on_exceed"))
        #expect(new.document.canonicalJSON.contains("\"version\":\"2\""))
        #expect(new.hash != plain.hash)
    }

    @Test("of version 2 have no on_exceed")
    func refused() {
        do throws(PolicyLoadError) {
            _ = try policy(Self.rule("r", "on_exceed = \"ask\""), version: 2)
            Issue.record("it loads")
        } catch {
            #expect(
                error.diagnostics.filter { $0.severity == .error }.map(\.headline) == [
                    "policy.toml:8:1: error[P0131]: \"on_exceed\" is for version = 1: from version "
                        + "2 on, a rule whose limit is used up does not apply"
                ])
        }
    }
}
