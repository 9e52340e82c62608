// SPDX-License-Identifier: Apache-2.0
import PolicyReference
import Testing

@testable import SigningCore
@testable import SigningPolicy

@Suite("Governance in a policy")
struct GovernancePolicyTests {
    static func text(_ governance: String) -> String {
        ApproverTests.people + "[governance]\n\(governance)\n"
    }

    private static let two = "{ min = 2, of = \"@finance\", within = \"1d\" }"

    @Test("says whom an act of the owner takes, each key once")
    func demands() throws {
        let policy = try loaded(Self.text("policy = \(Self.two)\nthaw = { min = 1, of = \"bob\" }"))
        let governance = policy.governance
        #expect(Set(governance.demands.keys) == [.policy, .thaw])
        let demand = try #require(governance.demands[.policy])
        #expect(demand.rule == "governance.policy" && demand.minimum == 2)
        #expect(demand.seconds == 86_400 && demand.members.count == 3)
        #expect(governance.demands[.thaw]?.seconds == 900)
        #expect(!policy.findings.contains { $0.code == "P0213" })
        // Rules about requests demand no approvers here.
        #expect(policy.demands.isEmpty)
        #expect(try loaded(ApproverTests.people).governance == .none)
    }

    private static let refused: [(line: String, said: String)] = [
        ("policy = { min = 4, of = \"@finance\" }", "min = 4 can never be met"),
        ("export = { min = 1, of = \"nobody\" }", "unknown approver \"nobody\""),
        ("thaw = { of = \"bob\" }", "thaw has no \"min\""),
        ("thaw = { min = 1 }", "thaw has no \"of\""),
        ("thaw = 2", "thaw takes a table"),
        ("polcy = { min = 1, of = \"bob\" }", "did you mean \"policy\"?"),
        ("policy = { min = 1, of = \"bob\", within = \"2d\" }", "from \"1m\" to \"1d\""),
        ("freeze = { min = 1, of = \"bob\" }", "unknown key \"freeze\" in governance"),
    ]

    @Test("that makes no sense is refused", arguments: refused)
    func refusals(_ row: (line: String, said: String)) {
        let found = headlines(Self.text(row.line))
        #expect(found.count == 1 && found.allSatisfy { $0.contains(row.said) }, "\(found)")
    }

    @Test("is in the canonical form by keys, and only where there is one")
    func canonical() throws {
        let plain = try loaded(ApproverTests.people)
        #expect(!plain.document.canonicalJSON.contains("governance"))
        let governed = try loaded(Self.text("policy = \(Self.two)"))
        #expect(
            governed.document.canonicalJSON.contains(
                "\"governance\":{\"policy\":{\"min\":\"2\",\"of\":[\"ed25519:01"))
        let milder = try loaded(Self.text("policy = { min = 1, of = \"@finance\" }"))
        #expect(governed.document.canonicalJSON != milder.document.canonicalJSON)
        let parts = Set(governed.document.canonicalParts)
        #expect(parts.subtracting(plain.document.canonicalParts).count == 1)
    }

    @Test("has an id that no rule can have")
    func ids() {
        let rule = "[[rule]]\nid = \"governance.policy\"\neffect = \"deny\"\n"
        #expect(!headlines(ApproverTests.people + rule).isEmpty)
    }
}
