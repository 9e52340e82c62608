// SPDX-License-Identifier: Apache-2.0

import PolicyReference
import SigningCore
import SigningPolicy
import SigningPolicyTools
import Testing

@Suite("Fields that only some methods have")
struct FieldMethodTests {
    private static let notes = ProtocolID("notes")
    private static let schema = FactSchema(
        protocolID: notes, methods: ["list", "read", "sign"],
        fields: [
            FactField("kind", .integer, note: "").of(["sign"]),
            FactField("peer", .text, note: "").of(["read"]),
            FactField("size", .integer, note: ""),
        ], dangers: [])

    private func load(_ rules: String, version: Int = 1) throws -> TOMLPolicy {
        try TOMLPolicy.load(
            Array("version = \(version)\ndefault = \"ask\"\n\(rules)".utf8).span,
            fileName: "policy.toml", schemas: [Self.schema], at: Timestamp(seconds: 1_000),
            sha256: fakeDigest)
    }

    private static func rule(
        _ rest: String, effect: String = "deny", id: String = "no-nines"
    ) -> String {
        "[[rule]]\nid = \"\(id)\"\neffect = \"\(effect)\"\nprotocol = \"notes\"\n\(rest)\n"
    }

    @Test(
        "a rule on one that answers other methods as well is named, with the fix",
        arguments: [
            (
                rule("kind = 9"),
                "the rule \"no-nines\" also denies requests of list and 1 more method, "
                    + "which have no \"kind\": "
                    + "add operation = \"sign\""
            ),
            (
                rule("kind = 9\noperation = [\"read\", \"sign\"]"),
                "the rule \"no-nines\" also denies requests of read, "
                    + "which have no \"kind\": "
                    + "add operation = \"sign\""
            ),
            (
                rule("peer = \"bob\"", effect: "ask"),
                "the rule \"no-nines\" also asks about requests of list and 1 more method, "
                    + "which have no \"peer\": "
                    + "add operation = \"read\""
            ),
            (
                rule("kind = 9\npeer = \"bob\""),
                "the rule \"no-nines\" also denies requests of list and 2 more methods, "
                    + "which have no \"kind\": "
                    + "add operation"
            ),
        ])
    func named(rules: String, text: String) throws {
        let found = PolicyFindings.find(in: try load(rules)).filter { $0.code == "P0216" }
        #expect(found.map(\.message) == [text])
    }

    @Test(
        "a rule that says its operation, or is about no such field, is not",
        arguments: [
            rule("kind = 9\noperation = \"sign\""), rule("size = 9"), rule(""),
            rule("kind = { exists = true }"), rule("unless = { kind = 1 }"),
            rule("kind = 9\nunless = { operation = [\"list\", \"read\"] }"),
            rule("kind = 9\nlimit = [{ count = 1, per = \"1h\" }]", effect: "allow"),
        ])
    func silent(rules: String) throws {
        #expect(!PolicyFindings.find(in: try load(rules)).contains { $0.code == "P0216" })
    }

    @Test("a condition on all operations is one on the field as well")
    func batch() throws {
        let found = PolicyFindings.find(
            in: try load(Self.rule("all = { kind = 9 }"), version: 2))
        #expect(found.map(\.code) == ["P0216"])
    }

    private func change(_ method: String, _ facts: [Fact]) throws -> String? {
        let policy = try load(
            Self.rule("client = \"app\"", effect: "allow", id: "app") + Self.rule("kind = 9"))
        let request = FakeRequest(
            protocolID: Self.notes, method: method,
            client: Client(id: "app", name: nil, proof: .claimed), operations: [.fake(facts)]
        ).judged(at: 1_000)
        guard case .deny = try policy.judge(request, usage: FakeUsage()).verdict else {
            Issue.record("\(method) is not denied")
            return nil
        }
        return SmallestChange.find(for: request, policy, usage: FakeUsage())?.text
    }

    @Test("no change is suggested to a field that the method cannot have")
    func changes() throws {
        #expect(try change("read", []) == nil)
        #expect(try change("sign", [Fact("kind", .integer(9))])?.hasSuffix("(it is 9)") == true)
        // The method has this field, so the client can send it in another request.
        #expect(try change("sign", [])?.hasSuffix("(it is absent)") == true)
    }
}
