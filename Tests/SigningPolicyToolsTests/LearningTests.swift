// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("Learning from the record")
struct LearningTests {
    static func approved(
        _ amount: Int128, to receiver: String, at seconds: Int64, dangers: [String] = []
    ) -> Suggester.Approved {
        Suggester.Approved(
            protocolID: ProtocolID("algorand"), method: "sign_transactions",
            client: Client(id: "app", name: nil, proof: .claimed), keyName: "alice",
            dangers: dangers.map { Danger($0) },
            facts: [
                Fact("amount", .integer(amount)), Fact("receiver", .text(receiver)),
                Fact("type", .text("pay")),
            ], time: Timestamp(seconds: seconds))
    }

    @Test("suggests rules that load, and that allow the approved requests only")
    func suggest() throws {
        let items = [
            Self.approved(1_000_000, to: "@bob", at: 1_000),
            Self.approved(3_000_000, to: "e\"ve\u{202E}", at: 2_000),
            Self.approved(2_000_000, to: "@bob", at: 200_000),
        ]
        let rules = Suggester(FactSchema.all, version: 1).rules(for: items)
        let text = try #require(rules.first)
        #expect(rules.count == 1)
        #expect(text.hasPrefix("# approved 3 times\n[[rule]]\n"))
        #expect(text.contains("limit = [{ count = 2, per = \"1d\" }]"))
        let policy = try policy(text)
        func verdict(_ request: JudgedRequest) throws -> String {
            try policy.judge(request, usage: FakeUsage()).verdict.name
        }
        #expect(try verdict(payment(1_000_000, to: "@bob")) == "allow")
        #expect(try verdict(payment(3_000_000, to: "e\"ve\u{202E}")) == "allow")
        #expect(try verdict(payment(3_000_001, to: "@bob")) == "ask")
        #expect(try verdict(payment(1, to: "bob")) == "ask")
        #expect(try verdict(payment(1, to: "@bob", dangers: ["rekey"])) == "ask")
    }

    @Test("suggests rules for files of every version", arguments: PolicyDocument.versions)
    func versions(version: Int64) throws {
        let item = Self.approved(1_000_000, to: "@bob", at: 1_000)
        let rules = Suggester(FactSchema.all, version: version).rules(for: [item])
        let policy = try loaded(
            "version = \(version)\ndefault = \"ask\"\n\n" + (try #require(rules.first)))
        let request = payment(1_000_000, to: "@bob")
        #expect(try policy.judge(request, usage: FakeUsage()).verdict.name == "allow")
        #expect(
            try policy.judge(request, usage: FakeUsage(counts: ["suggested-1#count": 1])).verdict
                .name == "ask")
    }

    @Test("marks flagged requests, and leaves out clients without a name")
    func flagged() throws {
        let rules = Suggester(FactSchema.all, version: 1).rules(
            for: [Self.approved(1, to: "bob", at: 0, dangers: ["rekey"])])
        #expect(rules.first?.contains("# dangerous: read this rule twice") == true)
        #expect(rules.first?.contains("acknowledge = [\"rekey\"]") == true)
        let nameless = Suggester.Approved(
            protocolID: ProtocolID("nostr"), method: "sign_event", client: nil, keyName: "a",
            dangers: [], facts: [], time: Timestamp(seconds: 0))
        #expect(Suggester(FactSchema.all, version: 1).rules(for: [nameless]).isEmpty)
    }

    @Test("replays limits as they would have counted, and does not guess at payloads")
    func replay() throws {
        let policy = try policy(
            payRule("limit = [{ amount = \"5 ALGO\", of = \"amount\", per = \"1h\" }]"))
        var replay = PolicyReplay(policy)
        #expect(try replay.verdict(on: payment(3_000_000, at: 1_000))?.name == "allow")
        #expect(try replay.verdict(on: payment(3_000_000, at: 2_000))?.name == "deny")
        #expect(try replay.verdict(on: payment(3_000_000, at: 4_600))?.name == "allow")
        let schema = FactSchema(
            protocolID: ProtocolID("nostr"), methods: ["sign_event"],
            fields: [FactField("content.contains", .text, isPayload: true, note: "")], dangers: [])
        let text =
            "version = 1\ndefault = \"ask\"\n[[rule]]\nid = \"r\"\neffect = \"deny\"\n"
            + "protocol = \"nostr\"\ncontent.contains = \"scam\"\n"
        let searching = try TOMLPolicy.load(
            Array(text.utf8).span, fileName: "p", schemas: [schema], at: Timestamp(seconds: 0),
            sha256: fakeDigest)
        var blind = PolicyReplay(searching)
        #expect(try blind.verdict(on: FakeRequest(operations: [.fake()]).judged()) == nil)
        for condition in ["all", "any"] {
            let batch = text.replacing("version = 1", with: "version = 2").replacing(
                "content.contains = \"scam\"",
                with: "\(condition) = { content.contains = \"scam\" }")
            let policy = try TOMLPolicy.load(
                Array(batch.utf8).span, fileName: "p", schemas: [schema],
                at: Timestamp(seconds: 0), sha256: fakeDigest)
            var replay = PolicyReplay(policy)
            let request = FakeRequest(operations: [.fake(), .fake()]).judged()
            #expect(try replay.verdict(on: request) == nil, "\(condition)")
        }
    }

    @Test("names rules without use, and none that unrecorded values may have matched")
    func unused() throws {
        let schema = FactSchema(
            protocolID: ProtocolID("nostr"), methods: ["sign_event"],
            fields: [
                FactField("kind", .integer, note: ""),
                FactField("text", .text, isPayload: true, note: ""),
            ], dangers: [Danger("odd")])
        func rule(_ id: String, _ rest: String, _ effect: String = "allow") -> String {
            "[[rule]]\nid = \"\(id)\"\neffect = \"\(effect)\"\nprotocol = \"nostr\"\n\(rest)\n"
        }
        let text =
            "version = 2\ndefault = \"ask\"\n" + rule("z-other", "kind = 7")
            + rule("used", "kind = 1\nlimit = [{ uses = 1 }]") + rule("d", "kind = 7", "deny")
            + rule("words", "text = \"x\"") + rule("some-words", "text = { exists = true }")
            + rule("unless", "unless = { text = { exists = false } }")
            + rule("other-words", "kind = 7\ntext = \"x\"")
            + rule("unit", "\"client.process.unit\" = { exists = true }")
            + rule("flagged", "kind = 7\nacknowledge = [\"odd\"]")
            + rule("old", "kind = 1\nexpires = 1970-01-01T00:00:00Z")
            + rule("excepted", "unless = { kind = 1 }")
        let policy = try TOMLPolicy.load(
            Array(text.utf8).span, fileName: "p", schemas: [schema], at: Timestamp(seconds: 0),
            sha256: fakeDigest)
        var use = RuleUse(policy)
        #expect(use.unused.count == policy.document.rules.count)
        let operation = RequestedOperation.fake([Fact("kind", .integer(1))])
        for _ in 0..<2 { try use.add(FakeRequest(operations: [operation]).judged()) }
        #expect(
            use.unused.map(\.id) == ["z-other", "d", "other-words", "flagged", "old", "excepted"])
        // In a request of several operations, it is not known which one has the danger.
        var flagged = RuleUse(policy)
        try flagged.add(FakeRequest(operations: [operation], dangers: [Danger("odd")]).judged())
        #expect(flagged.unused.contains { $0.id == "used" })
        try flagged.add(
            FakeRequest(operations: [operation, operation], dangers: [Danger("odd")]).judged())
        #expect(!flagged.unused.contains { $0.id == "used" })
    }

    @Test("judges a receipt's facts again, and names the facts it would have to guess")
    func rerun() throws {
        let limited = payRule("limit = [{ amount = \"5 ALGO\", of = \"amount\", per = \"1h\" }]")
        let request = payment(3_000_000, at: 1_000)
        func finding(
            _ text: String, used: Int128?, says verdict: String = "allow",
            by rules: [String] = ["pay"], on request: JudgedRequest
        ) throws -> ReceiptRerun.Finding {
            try ReceiptRerun(try policy(text)) { _ in used }
                .finding(on: request, verdict: verdict, rules: rules)
        }
        let same = ReceiptRerun.Finding.same("allow by pay")
        #expect(try finding(limited, used: 0, on: request) == same)
        #expect(try finding(limited, used: 2_000_000, on: request) == same)
        // With one more unit the limit was used up, so the request cannot have been allowed.
        let over = try finding(limited, used: 2_000_001, on: request)
        guard case .other(let said) = over else {
            Issue.record("\(over)")
            return
        }
        #expect(said.hasPrefix("deny"))
        #expect(
            try finding(limited, used: nil, on: request)
                == .undetermined(["earlier uses of its limits"]))
        // A receipt with another rule, another verdict or another amount differs.
        let other = ReceiptRerun.Finding.other("allow by pay")
        #expect(try finding(limited, used: 0, by: ["x"], on: request) == other)
        #expect(try finding(limited, used: 0, says: "ask", on: request) == other)
        #expect(try finding(limited, used: 0, on: payment(6_000_000, at: 1_000)) != same)
        // A fact that the record does not hold is named instead of guessed.
        let process = payRule("client.process.exe = \"/usr/bin/pay\"")
        #expect(try finding(process, used: 0, on: request) == .undetermined(["client.process.exe"]))
    }

    /// The rule of an unused grant.
    private func rule(for grant: Grant, in schema: FactSchema) throws -> String {
        let left = GrantRemainder(
            uses: grant.usesMax, totals: [], isShared: false, time: grant.created)
        let text = try GrantRule(grant, keyName: "alice", schema: schema, left: left).text
        return String(text[..<(text.firstRange(of: "[[test]]")?.lowerBound ?? text.endIndex)])
    }

    @Test("writes a grant as the rule that says the same")
    func grants() throws {
        let schema = FactSchema(
            protocolID: ProtocolID("algorand"), methods: ["sign_transactions"],
            fields: [
                FactField("amount", .algo, boundsRefusals: true, note: ""),
                FactField("receiver", .account, boundsRefusals: true, note: ""),
                FactField("rekey_to", .account, boundsRefusals: true, note: ""),
            ], dangers: [])
        let grant = Grant(
            id: [UInt8](repeating: 7, count: 8), answer: .yes,
            scope: Grant.Scope(
                client: "app", proof: .claimed, key: KeyID("00"),
                protocolID: ProtocolID("algorand"), method: "sign_transactions",
                facts: [Fact("amount", .integer(5)), Fact("receiver", .text("bob"))]),
            dangers: [], created: Timestamp(seconds: 0), expires: Timestamp(seconds: 2_000),
            login: nil, usesMax: 3)
        let policy = try policy(try rule(for: grant, in: schema))
        func verdict(_ request: JudgedRequest) throws -> String {
            try policy.judge(request, usage: FakeUsage()).verdict.name
        }
        #expect(try verdict(payment(5)) == "allow")
        #expect(try verdict(payment(6)) == "ask")
        #expect(try verdict(payment(5, at: 2_000)) == "ask")
    }

    @Test("writes a number of uses in each hour as a limit")
    func hourly() throws {
        let schema = FactSchema(
            protocolID: ProtocolID("algorand"), methods: ["sign_transactions"], fields: [],
            dangers: [])
        let scope = Grant.Scope(
            client: "app", proof: .claimed, key: KeyID("00"), protocolID: ProtocolID("algorand"),
            method: "sign_transactions", facts: [])
        for (per, words) in [(Remembering.Period.hour, "1h"), (.week, "7d")] {
            let grant = Grant(
                id: [UInt8](repeating: 7, count: 8), answer: .yes, scope: scope, dangers: [],
                created: Timestamp(seconds: 0), expires: nil, login: nil, usesMax: 20, per: per)
            let rule = try rule(for: grant, in: schema)
            #expect(rule.contains("limit = [{ count = 20, per = \"\(words)\" }]"))
            _ = try policy(rule)
        }
    }

    @Test("writes permissions granted ahead without their free values")
    func grantedAhead() throws {
        let schema = FactSchema(
            protocolID: ProtocolID("algorand"), methods: ["sign_transactions"],
            fields: [
                FactField("amount", .algo, boundsWishes: true, note: ""),
                FactField("receiver", .account, boundsRefusals: true, note: ""),
            ], dangers: [])
        let grant = Grant(
            id: [UInt8](repeating: 7, count: 8), answer: .yes,
            scope: Grant.Scope(
                client: "app", proof: .claimed, key: KeyID("00"),
                protocolID: ProtocolID("algorand"), method: "sign_transactions",
                facts: [Fact("amount", .integer(5))], isBroad: true),
            dangers: [], created: Timestamp(seconds: 0), expires: nil, login: nil, usesMax: nil)
        let text = try rule(for: grant, in: schema)
        #expect(!text.contains("receiver"))
        let policy = try policy(text)
        #expect(try policy.judge(payment(5), usage: FakeUsage()).verdict.name == "allow")
        #expect(try policy.judge(payment(6), usage: FakeUsage()).verdict.name == "ask")
    }
}
