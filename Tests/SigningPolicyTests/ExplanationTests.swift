import PolicyReference
// SPDX-License-Identifier: Apache-2.0
import SigningCodecs
import SigningPolicyTools
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Explanations")
struct ExplanationTests {
    static let rules = """
        [[rule]]
        id = "pay"
        effect = "allow"
        protocol = "algorand"
        amount = { max = "5 ALGO" }
        limit = [{ count = 2, per = "1h" }]
        [[rule]]
        id = "notes"
        effect = "allow"
        protocol = "nostr"
        [[rule]]
        id = "far"
        effect = "deny"
        protocol = "algorand"
        receiver = { not_in = "@own" }
        unless = { fee = { min = "1 ALGO" } }
        [[rule]]
        id = "old"
        effect = "deny"
        expires = 1970-01-01T00:00:01Z
        [[rule]]
        id = "mine"
        effect = "ask"
        protocol = "algorand"
        receiver = "x"
        unless = { key = "alice" }
        """

    static func request(_ facts: [Fact], dangers: [String] = []) -> JudgedRequest {
        FakeRequest(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            operations: [.fake(facts, dangers: dangers)]
        ).judged()
    }

    @Test("report the outcome of every rule")
    func states() throws {
        let policy = try policy(Self.rules)
        let facts = [Fact("amount", .integer(5_500_000)), Fact("receiver", .text("x"))]
        let explanation = try policy.explain(Self.request(facts), usage: FakeUsage())
        #expect(
            explanation.rules.map(\.state) == [
                .unknown(fields: ["fee"]), .excepted,
                .unmatched(field: "protocol", actual: "\"algorand\"", wanted: "\"nostr\""),
                .expired,
                .unmatched(field: "amount", actual: "5.5 ALGO", wanted: "at most 5 ALGO"),
            ])
        #expect(explanation.rules.map(\.fires) == [true, false, false, false, false])
        #expect(
            explanation.text == """
                verdict: deny
                  because the rule "far" denies this, because a match cannot be ruled out
                operation 1:
                  far (deny, policy.toml:13): applies, because a match cannot be ruled out: \
                unknown fee
                  mine (ask, policy.toml:23): no match: its \"unless\" applies
                  notes (allow, policy.toml:9): no match: protocol is "algorand", wanted "nostr"
                  old (deny, policy.toml:19): expired
                  pay (allow, policy.toml:3): no match: amount is 5.5 ALGO, wanted at most 5 ALGO
                default: not used
                policy: \(Hex.encode(policy.hash.span))
                """)
    }

    @Test("report limits and unacknowledged dangers")
    func limits() throws {
        let policy = try policy(Self.rules)
        let facts = [Fact("amount", .integer(1)), Fact("receiver", .text("own1"))]
        let usage = FakeUsage(counts: ["pay#count": 1])
        let allowed = try policy.explain(Self.request(facts), usage: usage)
        #expect(allowed.judgement.verdict.name == "allow")
        #expect(!allowed.usedDefault)
        #expect(allowed.text.contains("limit 2 per 1h: 1 used, 1 asked, 1 left"))
        let flagged = try policy.explain(Self.request(facts, dangers: ["rekey"]), usage: usage)
        #expect(flagged.rules.last?.state == .unacknowledged([Danger("rekey")]))
        #expect(flagged.usedDefault)
        #expect(flagged.text.contains("danger rekey: acknowledged by no rule"))
        #expect(flagged.dangers == [DangerTrace(danger: Danger("rekey"), acknowledgedBy: [])])
        #expect(flagged.text.contains("matches, but does not acknowledge rekey"))
    }

    @Test("say the same as JSON")
    func json() throws {
        let policy = try policy("[[rule]]\nid = \"r\"\neffect = \"allow\"\nclient = \"a\\u0007\"\n")
        let request = FakeRequest(client: Client(id: "\"", name: nil, proof: .claimed)).judged()
        let explanation = try policy.explain(request, usage: FakeUsage())
        #expect(
            explanation.json
                == #"{"dangers":[],"default_used":true,"file":"policy.toml","policy_hash":""#
                + Hex.encode(policy.hash.span)
                + #"","reasons":[{"text":"no rule covers this; the "#
                + #"default is to ask"}],"rules":[{"actual":"\"\\\"\"","effect":"allow","#
                + #""field":"client","fires":false,"limits":[],"line":3,"rule":"r","#
                + #""state":"unmatched","wanted":"\"a\\u{7}\""}],"verdict":"ask"}"#)
    }

    @Test("write times and durations as files do")
    func writing() {
        let times: [(Int64, String)] = [
            (0, "1970-01-01T00:00:00Z"), (-1, "1969-12-31T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"), (1_798_761_599, "2026-12-31T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ]
        for (seconds, text) in times {
            #expect(Timestamp(seconds: seconds).utcText == text)
        }
        let durations: [(Int64, String)] = [
            (1, "1s"), (90, "90s"), (300, "5m"), (3_600, "1h"), (172_800, "2d"), (-300, "-5m"),
        ]
        for (seconds, text) in durations {
            #expect(WrittenDuration.text(of: seconds) == text)
            #expect(WrittenDuration.seconds(of: text) == seconds)
        }
        for text in ["", "s", "5", "5 m", "m5", "1.5h", "+5m", "--5m", "5M", "\u{664}m"] {
            #expect(WrittenDuration.seconds(of: text) == nil, "\(text)")
        }
    }
}
