// SPDX-License-Identifier: Apache-2.0

import SigningCodecs
import SigningCore
import Testing

@testable import NEAR

@Suite("Grants to agents of NEAR Intents")
struct AgentConsentTests {
    private func request(_ message: JSON) throws -> NEARRequest {
        let text = String(decoding: message.write(), as: UTF8.self)
        return try MessageCall(message: text, recipient: "api.example.near").request()
    }

    private static func update(_ policy: JSON) -> JSON {
        ["purpose": "policy_update", "agent_id": "agent_1", "policy": policy]
    }

    @Test("a budget is shown as what the agent may spend, and each other member too")
    func budget() throws {
        let found = try request(
            Self.update([
                "actions": ["swap", "withdraw"], "assets": ["nep141:wrap.near"],
                "limits": ["daily": ["nep141:wrap.near": "100"]],
                "destinations": [
                    "mode": "only", "list": [["action": "transfer", "address": "vendor.near"]],
                ],
                "budget": ["daily_usd": "50", "weekly_usd": nil, "monthly_usd": "1000"],
                "new_rule": 7,
            ]))
        let lines = found.summary.lines
        #expect(
            lines.contains(
                .init(
                    "consent",
                    "replaces the rules of your agent: what it may do and spend without you")))
        #expect(lines.contains(.init("agent may", parts: ["swap", "withdraw"], by: .client)))
        #expect(lines.contains(.init("at most a day", "100 of nep141:wrap.near", by: .client)))
        #expect(lines.contains(.init("USD a day", "50", by: .client)))
        #expect(lines.contains(.init("USD a week", "no bound")))
        #expect(lines.contains(.init("sends to", "only", by: .client)))
        for said in [
            "agent_id: agent_1", "policy.new_rule: 7",
            "policy.destinations.list.1.address: vendor.near",
        ] {
            #expect(lines.contains(.init("says", said, by: .client)), "\(said)")
        }
        #expect(!found.summary.warnings.contains { $0.contains("no bound in USD") })
        #expect(found.summary.title.hasPrefix("An agent may spend for you"))
    }

    @Test("rules without a bound are warned about")
    func unbounded() throws {
        let none: JSON = ["daily_usd": nil, "weekly_usd": nil, "monthly_usd": nil]
        let found = try request(
            Self.update([
                "assets": "any", "destinations": ["mode": "any", "list": []], "budget": none,
            ]))
        let warnings = found.summary.warnings
        for text in ["no bound in USD", "to any address", "every asset"] {
            #expect(warnings.contains { $0.contains(text) }, "\(text)")
        }
    }

    @Test("only the message's own policy has trusted labels, and an empty list is no bound")
    func elsewhere() throws {
        let rules: JSON = ["budget": ["daily_usd": "5"]]
        let hidden: [JSON] = [
            ["purpose": "policy_update", "label": ["policy": rules]],
            ["purpose": "policy_update", "policy": ["x": ["policy": rules]]],
            ["purpose": "policy_update", "policy": ["x": rules]],
            ["purpose": "grant_issue", "policy": rules],
        ]
        for message in hidden {
            let summary = try request(message).summary
            #expect(!summary.lines.contains { $0.label == "USD a day" })
            #expect(summary.warnings.contains { $0.contains("no bound in USD") })
        }
        for bound: JSON in [[], [:], "", "none", true, ["5", "6"], "-5"] {
            let warnings = try request(Self.update(["budget": ["daily_usd": bound]])).summary
                .warnings
            #expect(warnings.contains { $0.contains("no bound in USD") }, "\(bound)")
        }
        for bound: JSON in ["50", "0.5", 7] {
            let warnings = try request(Self.update(["budget": ["daily_usd": bound]])).summary
                .warnings
            #expect(!warnings.contains { $0.contains("no bound in USD") }, "\(bound)")
        }
    }

    @Test("a consent has the danger and the effects of what it grants")
    func judged() throws {
        let grant = try request(["purpose": "grant_issue", "x": "\u{fc}"])
        #expect(grant.dangers.contains(.intents))
        #expect(grant.effects == [.provesIdentity, .spends, .grantsAuthority])
        #expect(grant.fact("intents") == .bool(true))
        #expect(grant.fact("intents.kinds") == .list([.text("grant_issue")]))
        #expect(grant.decoding == .full)
        let end = try request(["purpose": "grant_revoke", "grant_id": "g"])
        #expect(end.effects == [.provesIdentity] && end.dangers.contains(.intents))
    }

    @Test("other purposes are messages like any, and a consent with orders cannot be read")
    func others() throws {
        for message: JSON in [
            ["purpose": "login"], ["purpose": 7], ["inner": ["purpose": "grant_issue"]],
        ] {
            #expect(try !request(message).dangers.contains(.intents))
        }
        let both = try request(["purpose": "grant_revoke", "intents": []])
        #expect(both.decoding == .partial && both.effects.contains(.grantsAuthority))
    }
}
