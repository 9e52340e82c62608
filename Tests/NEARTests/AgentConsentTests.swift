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
        #expect(found.summary.title == "The rules of your agent change: sign a consent")
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

    private static let consequences: [(purpose: String, title: String, effects: [Effect])] = [
        ("agent_create", "An agent may spend for you", [.spends, .grantsAuthority]),
        ("agent_restore", "Your agent comes back", [.spends, .grantsAuthority]),
        ("agent_unfreeze", "Your agent may spend again", [.spends, .grantsAuthority]),
        ("agent_archive", "Your agent is put aside", []),
        ("grant_revoke", "A program loses its power over your agent", []),
        ("agent_freeze", "Your agent stops", []),
        (
            "agent_delete", "Your agent and what it still has are lost for good",
            [.spends, .deletes]
        ),
    ]

    @Test("the title is the consequence of the purpose", arguments: consequences.indices)
    func title(_ index: Int) throws {
        let (purpose, title, effects) = Self.consequences[index]
        let found = try request(["purpose": .string(purpose)])
        #expect(found.summary.title == "\(title): sign a consent")
        #expect(found.effects == [.provesIdentity] + effects)
        let isLoss = purpose == "agent_delete"
        #expect((found.summary.headlines.first?.gravity == .loss) == isLoss)
    }

    /// The forms in which the service of the Agent API writes its messages.
    private static let forms: [(domain: String, action: String?, purpose: String)] = [
        ("agent-grant.v4", nil, "grant_issue"), ("agent-grant.v6", nil, "grant_issue"),
        ("agent-control.v3", "archive", "agent_archive"),
        ("agent-control.v4", "restore", "agent_restore"),
        ("agent-delete.v3", nil, "agent_delete"),
        ("owner-admin.v2", "update_policy", "policy_update"),
        ("owner-admin.v2", "set_budget", "budget_set"),
        ("owner-admin.v2", "set_timelock", "timelock_set"),
        ("owner-admin.v2", "revoke_grant", "grant_revoke"),
        ("owner-admin.v2", "cancel_execution", "execution_cancel"),
    ]

    @Test("a form of the service has the purpose that it means", arguments: forms.indices)
    func form(_ index: Int) throws {
        let (domain, action, purpose) = Self.forms[index]
        let name = "near-intents-agent-api.\(domain)"
        var members: [JSONObject.Member] = [
            .init(name: "domain", value: .string(name)),
            .init(name: "beneficiary", value: "sponsor.near"),
        ]
        if let action { members.append(.init(name: "action", value: .string(action))) }
        let found = try request(.object(JSONObject(members)))
        #expect(found.fact("intents.kinds") == .list([.text(purpose)]))
        #expect(found.dangers.contains(.intents) && found.fact("intents") == .bool(true))
        let known = try #require(ConsentMeaning.known[purpose])
        #expect(found.summary.title == "\(known.title): sign a consent")
        let lines = found.summary.lines
        #expect(lines.contains(.init("says", "domain: \(name)", by: .client)))
        #expect(lines.contains(.init("says", "beneficiary: sponsor.near", by: .client)))
    }

    @Test("a budget of the service without a bound is warned about")
    func unboundedBudget() throws {
        func warnings(_ daily: JSON) throws -> [String] {
            try request([
                "domain": "near-intents-agent-api.owner-admin.v2", "action": "set_budget",
                "daily_usd": daily, "weekly_usd": nil, "monthly_usd": nil,
            ]).summary.warnings
        }
        #expect(try warnings(nil).contains { $0.contains("no bound in USD") })
        #expect(try !warnings("25.00").contains { $0.contains("no bound in USD") })
    }

    private static let unknown: [JSON] = [
        ["purpose": "login"], ["purpose": ""], ["inner": ["purpose": "grant_issue"]],
        [["purpose": "grant_issue"]], ["purpose": "grant_issue", "x": ["purpose": "login"]],
        ["domain": "near-intents-agent-api.new-form.v1"],
        ["domain": "near-intents-agent-api.owner-admin.v2", "action": "add_owner"],
        ["domain": "near-intents-agent-api.agent-grant.v6", "purpose": "agent_freeze"],
        ["x": [["domain": "near-intents-agent-api.agent-delete.v3"]]],
    ]

    @Test("an unknown or wrapped purpose may grant anything", arguments: unknown)
    func unknowns(_ message: JSON) throws {
        let found = try request(message)
        #expect(found.dangers.contains(.intents) && found.fact("intents") == nil)
        #expect(found.effects == [.provesIdentity, .spends, .grantsAuthority])
        #expect(found.decoding == .partial)
        #expect(found.summary.title.hasPrefix("This may let others act for you"))
        #expect(found.summary.headlines.map(\.gravity) == [.authority])
        #expect(found.summary.lines.contains { $0.label == "says" })
    }

    private static let hidden: [String] = [
        #"{"payload":"{\"purpose\":\"grant_issue\"}"}"#,
        #"{"payload":"{\"\\u0070urpose\":\"grant_issue\"}"}"#,
        #"{"a":["{\"b\":\"{\\\"intents\\\":[]}\"}"]}"#,
        #""{\"purpose\":\"grant_issue\"}""#, #"{"payload":"{\"purpose\":"}"#,
        #"Please sign: {"purpose":"grant_issue"}"#, #"["{"intents":[]}"]"#,
        "near-intents-agent-api.agent-grant.v6",
        // A combining character makes one character of the quotation mark and itself.
        "Please sign: \"purpose\"\u{301}: 1", "near-intents-agent-api\u{301}",
    ]

    @Test(
        "a consent or an order inside of a text counts as one that cannot be read",
        arguments: hidden)
    func wrapped(_ message: String) throws {
        let found = try MessageCall(message: message, recipient: "api.example.near").request()
        #expect(found.dangers.contains(.intents) && found.decoding == .partial)
        #expect(found.effects == [.provesIdentity, .spends, .grantsAuthority])
    }

    @Test(
        "other messages are logins",
        arguments: [
            "[myapp.com] Sign in", #""Hello""#, #"{"purpose":7}"#, #"{"domain":"myapp.com"}"#,
            #"{"statement":"[1] for all \"purposes\" {x}","n":[1,"two"]}"#, "[]",
        ])
    func logins(_ message: String) throws {
        let found = try MessageCall(message: message, recipient: "api.example.near").request()
        #expect(!found.dangers.contains(.intents) && found.effects == [.provesIdentity])
    }

    @Test("a consent with orders cannot be read")
    func both() throws {
        let both = try request(["purpose": "grant_revoke", "intents": []])
        #expect(both.decoding == .partial && both.effects.contains(.grantsAuthority))
    }
}
