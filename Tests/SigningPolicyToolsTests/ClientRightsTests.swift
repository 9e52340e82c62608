// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import Testing

@testable import SigningPolicyTools

@Suite("The rights of a client")
struct ClientRightsTests {
    static func rule(_ id: String, _ effect: String, _ lines: String...) -> String {
        "[[rule]]\nid = \"\(id)\"\neffect = \"\(effect)\"\n" + lines.joined(separator: "\n") + "\n"
    }

    static func rights(
        of client: String, met: [Client.Proof] = [], _ rules: String...
    ) throws -> [ClientRights.Rule] {
        ClientRights(
            of: client, proofs: ClientRights.proofs(of: client) + met,
            in: try policy(rules.joined(), version: 2), at: Timestamp(seconds: 1_000)
        ).rules
    }

    @Test("rules for other clients and other proofs are left out")
    func clients() throws {
        let rules = [
            Self.rule("any", "allow"),
            Self.rule("bot", "allow", "client = \"token:bot\"", "\"client.proof\" = \"token\""),
            Self.rule("site", "allow", "client = \"https://a.example\""),
            Self.rule("pages", "ask", "\"client.proof\" = \"browser\""),
            Self.rule("others", "allow", "client = { not_in = [\"token:bot\"] }"),
        ].joined()
        #expect(try Self.rights(of: "token:bot", rules).map(\.rule.id) == ["any", "bot"])
        #expect(
            try Self.rights(of: "https://a.example", rules).map(\.rule.id)
                == ["any", "others", "site", "pages"])
        #expect(try Self.rights(of: "app", rules).map(\.rule.id) == ["any", "others"])
        #expect(
            try Self.rights(of: "app", met: [.browser(profile: "p")], rules).map(\.rule.id)
                == ["any", "others", "pages"])
    }

    @Test("rules that name clients in all or any are about these clients only")
    func batches() throws {
        for quantifier in ["all", "any"] {
            let rules = ["allow", "deny"].map { effect in
                Self.rule(effect, effect, "\(quantifier) = { client = \"token:bot\" }")
            }.joined()
            #expect(try Self.rights(of: "token:bot", rules).map(\.rule.id) == ["allow", "deny"])
            #expect(try Self.rights(of: "app", rules).isEmpty)
        }
    }

    @Test("a rule with an exception for the client is not about this client")
    func exceptions() throws {
        let rules = [
            Self.rule("only-bot", "deny", "unless = { client = \"token:bot\" }"),
            Self.rule("not-bot", "allow", "unless = { client = \"token:bot\" }"),
            Self.rule(
                "small", "allow", "unless = { client = \"token:bot\", size = { min = 9 } }"),
            Self.rule("tokens", "ask", "unless = { \"client.proof\" = \"token\" }"),
        ].joined()
        #expect(try Self.rights(of: "token:bot", rules).map(\.rule.id) == ["small"])
        #expect(
            try Self.rights(of: "app", rules).map(\.rule.id)
                == ["not-bot", "small", "tokens", "only-bot"])
    }

    @Test("a deny rule is listed if it names the client; an expired rule never")
    func denials() throws {
        let rules = [
            Self.rule("no-bot", "deny", "client = \"token:bot\""),
            Self.rule("no-size", "deny", "size = { min = 9 }"),
            Self.rule("old", "allow", "expires = 1970-01-01T00:01:00Z"),
        ].joined()
        #expect(try Self.rights(of: "token:bot", rules).map(\.rule.id) == ["no-bot"])
        #expect(try Self.rights(of: "token:other", rules).isEmpty)
    }

    @Test("requirements that a request has to meet are told")
    func requirements() throws {
        let rule = Self.rule(
            "r", "allow", "client = \"app\"", "size = { max = 9 }", "acknowledge = [\"opaque\"]",
            "unless = { size = 5 }", "hours = \"09:00-18:00\"", "tz = \"UTC\"",
            "expires = 2099-01-01T00:00:00Z")
        let found = try #require(try Self.rights(of: "app", rule).first)
        #expect(found.conditions == ["size: at most 9"])
        #expect(
            found.terms == [
                "dangers: opaque", "unless size 5", "only at its hours and days",
                "until 2099-01-01T00:00:00Z",
            ])
    }
}
